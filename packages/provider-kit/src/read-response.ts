import { modelFailure } from './failure.ts'
import { parsedJson } from './json.ts'
import { createSseReader, type ServerSentEvent } from './sse.ts'

/** Most characters that an answer may have: a body without end must not fill the memory. */
const MOST = 64 * 1024 * 1024

/** What of a response is read. */
export type Readable = Pick<Response, 'text' | 'body' | 'headers'>

/** Reads the body of a complete answer; fails when it is no JSON. */
export async function readJson(response: Readable): Promise<unknown> {
  const declared = Number(response.headers.get('content-length') ?? 0)
  if (declared > MOST) throw modelFailure('server', `the answer is longer than ${MOST} bytes`)
  return jsonOf(await response.text(), 'the answer')
}

/** Gives the frames of a streamed answer as they arrive, each parsed; `[DONE]` and empty ones are left out. */
export async function* readFrames(response: Readable): AsyncGenerator<unknown[], void> {
  if (/\bjson\b/u.test(response.headers.get('content-type') ?? '')) {
    // Some endpoints answer a request for a stream with the whole answer.
    yield [await readJson(response)]
    return
  }
  const reader = createSseReader()
  for await (const chunk of response.body ?? []) {
    const events = reader.push(chunk)
    const frames = parsedFrames(events)
    if (frames.length > 0) yield frames
    // Some endpoints say that they are done and keep the connection open.
    if (events.at(-1)?.data === DONE) return
  }
  const rest = parsedFrames(reader.end())
  if (rest.length > 0) yield rest
}

/** What ends a stream of OpenAI's kind. */
const DONE = '[DONE]'

function parsedFrames(events: readonly ServerSentEvent[]): unknown[] {
  const frames: unknown[] = []
  for (const { data } of events) if (data !== '' && data !== DONE) frames.push(jsonOf(data, 'a piece of the stream'))
  return frames
}

function jsonOf(text: string, what: string): unknown {
  const value = parsedJson(text)
  if (typeof value !== 'object' || value === null) {
    throw modelFailure('server', `${what} is no JSON object: \`${text.slice(0, 80)}\``)
  }
  return value
}
