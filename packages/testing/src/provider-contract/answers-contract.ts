import type { ModelAnswer } from '@x/interfaces'
import { disorder } from '../contracts/event-order.ts'
import { asking, complete, framesOf, streamed } from './asked.ts'
import { collected, folded, said } from './collected.ts'
import { bytesOf } from './fake-fetch.ts'
import type { ProviderContract } from './contract.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Checks answers, complete and streamed. */
export function answersContract({ test, expect }: ContractRunner, contract: ProviderContract): void {
  for (const recording of contract.recordings) {
    const { name, whole, stream, says } = recording
    const expected = [{ text: says.text, calls: [...(says.calls ?? [])], finish: says.finish }]

    test(`${name}: the complete answer says what was recorded`, async () => {
      const answer = await complete(contract, whole)
      expect(said(answer)).toEqual(expected)
      expect(answer.model.length > 0).toBe(true)
      lawful(answer)
    })

    test(`${name}: the stream says the same, and its answer is the fold of its events`, async () => {
      const { events, answer, error } = await streamed(contract, stream)
      expect(error).toBe(undefined)
      expect(folded(events)).toEqual(expected)
      expect(said(answer!)).toEqual(expected)
      lawful(answer!)
      const other = await complete(contract, whole)
      expect(counts(answer!)).toEqual(counts(other))
      expect(answer!.choices.map(({ message }) => message.provider_metadata)).toEqual(
        other.choices.map(({ message }) => message.provider_metadata),
      )
    })

    test(`${name}: events come in order, each call begun, filled and ended once`, async () => {
      const { events } = await streamed(contract, stream)
      expect(disorder(events)).toBe(undefined)
    })

    test(`${name}: bytes may be cut anywhere`, async () => {
      const { events } = await streamed(contract, stream)
      const { length } = new TextEncoder().encode(stream)
      for (let cut = 1; cut < length; cut++) {
        const result = await streamed(contract, stream, [cut])
        if (JSON.stringify(result.events) !== JSON.stringify(events))
          expect({ cut, ...result }).toEqual({ cut, events })
      }
    })

    test(`${name}: a stream with other line ends is the same`, async () => {
      const { events } = await streamed(contract, stream)
      const { events: others } = await streamed(contract, stream.replaceAll('\n', '\r\n'))
      expect(others).toEqual(events)
    })

    test(`${name}: a stream that is cut off is never a success`, async () => {
      const frames = framesOf(stream)
      for (let count = 0; count < frames.length; count++) {
        const { answer, error } = await streamed(contract, frames.slice(0, count).join(''))
        // What only counts tokens or says goodbye may be missing: then the answer is whole all the same.
        if (answer) expect(said(answer)).toEqual(expected)
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

  test('a consumer that stops early gives the connection back', async () => {
    const [{ stream }] = contract.recordings as [ProviderContract['recordings'][number]]
    const frames = framesOf(stream)
    await asking(
      contract,
      () => ({
        headers: { 'content-type': 'text/event-stream' },
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

  test('a caller who stops the call gets `aborted`', async () => {
    const controller = new AbortController()
    await asking(
      contract,
      () => ({ headers: { 'content-type': 'text/event-stream' }, pieces: [], open: true }),
      async ({ client, params }) => {
        const running = collected(client, params, controller.signal)
        setImmediate(() => controller.abort())
        const { error } = await running
        expect(error).toMatchObject({ code: 'aborted' })
      },
    )
  })

  function lawful({ usage }: ModelAnswer): void {
    if (!usage) return
    const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
    const { cached_tokens: cached = 0, reasoning_tokens: reasoning = 0 } = usage
    expect([prompt, completion, total].every((count) => Number.isInteger(count) && count >= 0)).toBe(true)
    expect(total >= prompt + completion).toBe(true)
    expect(cached <= prompt && reasoning <= completion).toBe(true)
  }
}

function counts({ usage }: ModelAnswer): unknown {
  if (!usage) return undefined
  const { raw: _, ...rest } = usage
  return rest
}
