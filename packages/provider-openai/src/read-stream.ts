import type { ModelAnswer, ModelEvent } from '@x/interfaces'
import { createSseReader, modelFailure, parsedJson, type NameMap, type ServerSentEvent } from '@x/provider-kit'
import { foldStream, type StreamFold, type WireChunk } from './fold-stream.ts'
import { raiseFrame } from './raise-error.ts'
import { wholeAnswer } from './whole-answer.ts'

/** What is needed to read a streamed answer. */
export interface StreamFacts {
  readonly model: string
  readonly names: NameMap
  readonly secrets: ReadonlySet<string>
  /** Called for every piece that arrives. */
  readonly alive: () => void
}

/** Gives the events of a streamed answer as they arrive, and the answer that they add up to. */
export async function* readStream(response: Response, facts: StreamFacts): AsyncGenerator<ModelEvent, ModelAnswer> {
  const fold = foldStream(facts.model, facts.names)
  let events: ModelEvent[] = []
  if (/\bjson\b/u.test(response.headers.get('content-type') ?? '')) {
    // Some endpoints answer a request for a stream with the whole answer.
    fold.push(wholeAnswer(await response.text(), facts.secrets), events)
  } else {
    const reader = createSseReader()
    let done = false
    for await (const chunk of response.body ?? []) {
      facts.alive()
      done = pushAll(reader.push(chunk), fold, events, facts)
      if (events.length > 0) {
        // One `yield` per event: `yield*` over a list would wait twice for each.
        for (const event of events) yield event
        events = []
      }
      if (done) break
    }
    if (!done) pushAll(reader.end(), fold, events, facts)
  }
  const answer = fold.end(events)
  for (const event of events) yield event
  return answer
}

/** Reads frames into the fold; true at the frame that ends the stream. */
function pushAll(frames: ServerSentEvent[], fold: StreamFold, events: ModelEvent[], facts: StreamFacts): boolean {
  for (const { data } of frames) {
    if (data === '[DONE]') return true
    if (data !== '') fold.push(chunkOf(data, facts), events)
  }
  return false
}

function chunkOf(data: string, { secrets }: StreamFacts): WireChunk {
  const chunk = parsedJson(data)
  if (typeof chunk !== 'object' || chunk === null) {
    throw modelFailure('server', 'the stream holds a piece that is no JSON')
  }
  const failure = raiseFrame(chunk, secrets)
  if (failure) throw failure
  return chunk
}
