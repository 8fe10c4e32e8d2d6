import type { ModelAnswer } from '@x/interfaces'
import { findDisorder } from '../contracts/event-order.ts'
import { withAdapter, requestAnswer, requestStream } from './adapter-case.ts'
import { detailsOf, foldContent, foldDetails, reasoningOf, contentOf, recordedContent } from './collect-stream.ts'
import { bytesOf } from './fake-fetch.ts'
import type { CompleteContract, FramedRecording, ProviderRecording, RecordedUsage } from './contract.ts'
import { framesOf, typeOf } from './stream-text.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Number of streams, each cut in other places, that test one recording. */
const MAX_CUT_STREAMS = 400

/** Checks answers, complete and streamed. */
export function answersContract(runner: ContractRunner, contract: CompleteContract): void {
  for (const recording of contract.recordings) {
    checkContent(runner, contract, recording)
    checkBytes(runner, contract, recording)
    checkFrames(runner, contract, recording)
  }
  const { test, expect } = runner

  test('a consumer that stops early gives the connection back', async () => {
    const [recording] = contract.recordings as [CompleteContract['recordings'][number]]
    const { stream } = recording
    const frames = framesOf(recording)
    await withAdapter(
      contract,
      () => ({
        headers: { 'content-type': typeOf(stream) },
        pieces: frames.flatMap((frame) => bytesOf(frame)),
        open: true,
      }),
      async ({ client, params, cancelled }) => {
        const events = client.stream!(params, {})
        await events.next()
        await events.return(undefined as never)
        expect(cancelled()).toBe(1)
      },
    )
  })
}

/** Checks that the complete and the streamed answer say what was recorded. */
function checkContent(
  { test, expect }: ContractRunner,
  contract: CompleteContract,
  recording: ProviderRecording,
): void {
  const { name, whole, stream, says } = recording
  const expected = [recordedContent(recording)]

  test(`${name}: the complete answer says what was recorded`, async () => {
    const answer = await requestAnswer(contract, whole)
    expect(contentOf(answer)).toEqual(expected)
    expect(answer.model.length > 0).toBe(true)
    expect(detailsOf(answer)[0]).toEqual({ ...detailsOf(answer)[0], ...says.details })
    expectLawful(expect, answer)
  })

  test(`${name}: the stream says the same, and its answer is the fold of its events`, async () => {
    const { events, answer, error } = await requestStream(contract, stream)
    expect(error).toBe(undefined)
    expect(foldContent(events)).toEqual(expected)
    expect(contentOf(answer!)).toEqual(expected)
    expectLawful(expect, answer!)
    const other = await requestAnswer(contract, whole)
    expect(counts(answer!)).toEqual(counts(other))
    expect(foldDetails(events)).toEqual(detailsOf(answer!))
    expect(detailsOf(answer!)).toEqual(detailsOf(other))
    expect(answer!.extra).toEqual(other.extra)
    expect(answer!.choices.map(({ message }) => message.provider_metadata)).toEqual(
      other.choices.map(({ message }) => message.provider_metadata),
    )
  })

  test(`${name}: tokens are counted as the provider counts them`, async () => {
    const { answer } = await requestStream(contract, stream)
    for (const each of [await requestAnswer(contract, whole), answer!])
      expect(used(each)).toEqual(countsOf(says.usage, each))
  })

  test(`${name}: the stream shows the reasoning that was recorded`, async () => {
    const { events } = await requestStream(contract, stream)
    expect(reasoningOf(events)).toBe(says.reasoning ?? says.details?.reasoning ?? '')
  })

  test(`${name}: events come in order, each call begun, filled and ended once`, async () => {
    const { events } = await requestStream(contract, stream)
    expect(findDisorder(events)).toBe(undefined)
  })
}

/** Checks a stream whose bytes are cut anywhere, or whose line ends differ. */
function checkBytes({ test, expect }: ContractRunner, contract: CompleteContract, recording: ProviderRecording): void {
  const { name, stream } = recording

  test(`${name}: bytes may be cut anywhere`, async () => {
    const { events } = await requestStream(contract, stream)
    const { length } = new TextEncoder().encode(stream)
    const { answer } = await requestStream(contract, stream)
    // Each byte is a cut in one of the streams; a stream of a long recording has several cuts.
    const every = Math.min(length, MAX_CUT_STREAMS)
    for (let first = 1; first <= every; first++) {
      const cuts = []
      for (let cut = first; cut < length; cut += every) cuts.push(cut)
      const result = await requestStream(contract, stream, cuts)
      if (JSON.stringify(result.events) !== JSON.stringify(events))
        expect({ first, events: result.events }).toEqual({ first, events })
      expect(result.answer).toEqual(answer)
    }
  })

  test(`${name}: a stream with other line ends is the same`, async () => {
    const { events } = await requestStream(contract, stream)
    const { events: others } = await requestStream(contract, stream.replaceAll('\n', '\r\n'))
    expect(others).toEqual(events)
  })

  test(`${name}: a stream without its last line end is the same`, async () => {
    const { events } = await requestStream(contract, stream)
    const { events: others } = await requestStream(contract, stream.trimEnd())
    expect(others).toEqual(events)
  })
}

/** Checks a stream that lacks its end, or that has frames of a later version. */
function checkFrames({ test, expect }: ContractRunner, contract: CompleteContract, recording: FramedRecording): void {
  const { name, stream } = recording

  test(`${name}: a stream that is cut off is never a success`, async () => {
    const frames = framesOf(recording)
    for (let count = 0; count < frames.length; count++) {
      const { answer, error } = await requestStream(contract, frames.slice(0, count).join(''))
      // Without its last frames of usage or `[DONE]`, an answer may still be complete.
      if (answer) expect(contentOf(answer)).toEqual([recordedContent(recording)])
      else expect((error as { kind?: string }).kind).toBe('truncated')
    }
    const first = await requestStream(contract, frames[0]!)
    expect(frames.length === 1 || first.answer === undefined).toBe(true)
  })

  test(`${name}: events of a later version are passed over`, async () => {
    const { events } = await requestStream(contract, stream)
    const frames = framesOf(recording)
    for (let at = 1; at < frames.length; at++) {
      const { events: others } = await requestStream(contract, frames.toSpliced(at, 0, contract.unknownFrame).join(''))
      expect(others).toEqual(events)
    }
  })
}

/** Checks that the counts of an answer fit together. */
function expectLawful(expect: ContractRunner['expect'], { usage }: ModelAnswer): void {
  if (!usage) return
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
  const { cached_tokens: cached = 0, reasoning_tokens: reasoning = 0 } = usage
  expect([prompt, completion, total].every((count) => Number.isInteger(count) && count >= 0)).toBe(true)
  expect(total >= prompt + completion).toBe(true)
  expect(cached <= prompt && reasoning <= completion).toBe(true)
}

function counts({ usage }: ModelAnswer): unknown {
  if (!usage) return undefined
  const { raw: _, ...rest } = usage
  return rest
}

/** Counts of an answer in the form of a recording. */
function used({ usage }: ModelAnswer): RecordedUsage | null {
  if (!usage) return null
  const {
    prompt_tokens: prompt,
    completion_tokens: completion,
    cached_tokens: cached,
    reasoning_tokens: reasoning,
  } = usage
  return { prompt, completion, cached, reasoning }
}

/** Counts of a recording; parts that it does not name may be anything. */
function countsOf(recorded: RecordedUsage | null, answer: ModelAnswer): RecordedUsage | null {
  if (!recorded) return null
  const { cached, reasoning } = used(answer) ?? {}
  return { cached, reasoning, ...recorded }
}
