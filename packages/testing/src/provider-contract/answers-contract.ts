import type { ModelAnswer } from '@x/interfaces'
import { disorder } from '../contracts/event-order.ts'
import { asking, complete, streamed } from './asked.ts'
import { detailsOf, folded, foldedDetails, reasoned, said, saidBy } from './collected.ts'
import { bytesOf } from './fake-fetch.ts'
import type { ProviderContract, ProviderRecording, RecordedUsage } from './contract.ts'
import { framesOf, typeOf } from './stream-text.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Number of streams, each cut in other places, that test one recording. */
const MAX_CUT_STREAMS = 400

/** Checks answers, complete and streamed. */
export function answersContract(runner: ContractRunner, contract: ProviderContract): void {
  for (const recording of contract.recordings) {
    checkContent(runner, contract, recording)
    checkBytes(runner, contract, recording)
    checkFrames(runner, contract, recording)
  }
  const { test, expect } = runner

  test('a consumer that stops early gives the connection back', async () => {
    const [{ stream }] = contract.recordings as [ProviderContract['recordings'][number]]
    const frames = framesOf(stream)
    await asking(
      contract,
      () => ({
        headers: { 'content-type': typeOf(stream) },
        pieces: frames.flatMap((frame) => bytesOf(frame)),
        open: true,
      }),
      async ({ client, params, cancelled }) => {
        const events = client.stream!(params, { last: false })
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
  contract: ProviderContract,
  recording: ProviderRecording,
): void {
  const { name, whole, stream, says } = recording
  const expected = [saidBy(recording)]

  test(`${name}: the complete answer says what was recorded`, async () => {
    const answer = await complete(contract, whole)
    expect(said(answer)).toEqual(expected)
    expect(answer.model.length > 0).toBe(true)
    expect(detailsOf(answer)[0]).toEqual({ ...detailsOf(answer)[0], ...says.details })
    expectLawful(expect, answer)
  })

  test(`${name}: the stream says the same, and its answer is the fold of its events`, async () => {
    const { events, answer, error } = await streamed(contract, stream)
    expect(error).toBe(undefined)
    expect(folded(events)).toEqual(expected)
    expect(said(answer!)).toEqual(expected)
    expectLawful(expect, answer!)
    const other = await complete(contract, whole)
    expect(counts(answer!)).toEqual(counts(other))
    expect(foldedDetails(events)).toEqual(detailsOf(answer!))
    expect(detailsOf(answer!)).toEqual(detailsOf(other))
    expect(answer!.extra).toEqual(other.extra)
    expect(answer!.choices.map(({ message }) => message.provider_metadata)).toEqual(
      other.choices.map(({ message }) => message.provider_metadata),
    )
  })

  test(`${name}: tokens are counted as the provider counts them`, async () => {
    const { answer } = await streamed(contract, stream)
    for (const each of [await complete(contract, whole), answer!])
      expect(used(each)).toEqual(countsOf(says.usage, each))
  })

  test(`${name}: the stream shows the reasoning that was recorded`, async () => {
    const { events } = await streamed(contract, stream)
    expect(reasoned(events)).toBe(says.reasoning ?? says.details?.reasoning ?? '')
  })

  test(`${name}: events come in order, each call begun, filled and ended once`, async () => {
    const { events } = await streamed(contract, stream)
    expect(disorder(events)).toBe(undefined)
  })
}

/** Checks a stream whose bytes are cut anywhere, or whose line ends differ. */
function checkBytes({ test, expect }: ContractRunner, contract: ProviderContract, recording: ProviderRecording): void {
  const { name, stream } = recording

  test(`${name}: bytes may be cut anywhere`, async () => {
    const { events } = await streamed(contract, stream)
    const { length } = new TextEncoder().encode(stream)
    const { answer } = await streamed(contract, stream)
    // Each byte is a cut in one of the streams; a stream of a long recording has several cuts.
    const every = Math.min(length, MAX_CUT_STREAMS)
    for (let first = 1; first <= every; first++) {
      const cuts = []
      for (let cut = first; cut < length; cut += every) cuts.push(cut)
      const result = await streamed(contract, stream, cuts)
      if (JSON.stringify(result.events) !== JSON.stringify(events))
        expect({ first, events: result.events }).toEqual({ first, events })
      expect(result.answer).toEqual(answer)
    }
  })

  test(`${name}: a stream with other line ends is the same`, async () => {
    const { events } = await streamed(contract, stream)
    const { events: others } = await streamed(contract, stream.replaceAll('\n', '\r\n'))
    expect(others).toEqual(events)
  })

  test(`${name}: a stream without its last line end is the same`, async () => {
    const { events } = await streamed(contract, stream)
    const { events: others } = await streamed(contract, stream.trimEnd())
    expect(others).toEqual(events)
  })
}

/** Checks a stream that lacks its end, or that has frames of a later version. */
function checkFrames({ test, expect }: ContractRunner, contract: ProviderContract, recording: ProviderRecording): void {
  const { name, stream } = recording

  test(`${name}: a stream that is cut off is never a success`, async () => {
    const frames = framesOf(stream)
    for (let count = 0; count < frames.length; count++) {
      const { answer, error } = await streamed(contract, frames.slice(0, count).join(''))
      // Without its last frames of usage or `[DONE]`, an answer may still be complete.
      if (answer) expect(said(answer)).toEqual([saidBy(recording)])
      else expect((error as { kind?: string }).kind).toBe('truncated')
    }
    const first = await streamed(contract, frames[0]!)
    expect(frames.length === 1 || first.answer === undefined).toBe(true)
  })

  test(`${name}: events of a later version are passed over`, async () => {
    const { events } = await streamed(contract, stream)
    const frames = framesOf(stream)
    for (let at = 1; at < frames.length; at++) {
      const { events: others } = await streamed(contract, frames.toSpliced(at, 0, contract.unknownFrame).join(''))
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
