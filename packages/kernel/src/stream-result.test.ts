import type { EventStream } from '@x/interfaces'
import { expect, it } from 'vitest'
import { isXError, runStream, wait, type Steps } from './index.ts'

interface Note {
  readonly type: 'note'
  readonly n: number
}

/** Lets every promise that is already settled reach who waits for it. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** A stream of notes that knows how far it has come. */
function counting(
  notes: number,
  { fails = false }: { fails?: boolean } = {},
): { stream: EventStream<string, Note>; seen: string[] } {
  const seen: string[] = []
  function* count(): Steps<string, Note> {
    try {
      seen.push('begun')
      for (let n = 1; n <= notes; n++) {
        yield { type: 'note', n }
        seen.push(`went on from ${n}`)
        yield* wait(Promise.resolve(), 'a promise')
      }
      if (fails) throw new Error('broken')
      return 'counted'
    } finally {
      seen.push('closed')
    }
  }
  return { stream: runStream<string, Note>(count()), seen }
}

const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    (value) => value,
    (error: unknown) => (isXError(error) ? error.code : String(error)),
  )

it('starts nothing when its `result` is only read, and all when it is waited for', async () => {
  const { stream, seen } = counting(3)
  const { result } = stream
  expect(stream.result).toBe(result)
  await settled()
  expect(seen).toEqual([])
  expect(await result).toBe('counted')
  expect(seen).toEqual(['begun', 'went on from 1', 'went on from 2', 'went on from 3', 'closed'])
})

it('goes on from an event only when the next is asked for, though `result` was read', async () => {
  const { stream, seen } = counting(3)
  const { result } = stream
  expect(await stream.next()).toEqual({ done: false, value: { type: 'note', n: 1 } })
  await settled()
  expect(seen).toEqual(['begun'])
  expect(await stream.next()).toEqual({ done: false, value: { type: 'note', n: 2 } })
  expect(seen).toContain('went on from 1')
  expect(seen).not.toContain('went on from 2')
  expect(await result).toBe('counted')
})

it('gives a reader that has begun every event, whoever waits for the result', async () => {
  for (let before = 0; before <= 4; before++) {
    const { stream } = counting(4)
    const read: number[] = []
    let result: Promise<string> | undefined
    const first = stream.next()
    if (before === 0) result = stream.result.then((value) => value)
    for (let item = await first; !item.done; item = await stream.next()) {
      read.push(item.value.n)
      if (read.length === before) result = stream.result.then((value) => value)
    }
    expect(read).toEqual([1, 2, 3, 4])
    expect(await result).toBe('counted')
  }
})

it('needs no reader once the result is waited for, and the end can still be read', async () => {
  const { stream } = counting(2)
  expect(await Promise.all([stream.result, stream.result])).toEqual(['counted', 'counted'])
  expect(await stream.next()).toEqual({ done: true, value: 'counted' })
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

it('fails in the reader and in the result, and is never unhandled', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  try {
    for (const use of ['reads', 'waits', 'both', 'leaves'] as const) {
      const { stream } = counting(1, { fails: true })
      const read = async (): Promise<void> => {
        for await (const _ of stream) if (use === 'leaves') break
      }
      if (use === 'reads') expect(await codeOf(read())).toBe('Error: broken')
      if (use === 'waits') expect(await codeOf(stream.result)).toBe('Error: broken')
      if (use === 'both') {
        expect(await Promise.all([codeOf(read()), codeOf(stream.result)])).toEqual(['Error: broken', 'Error: broken'])
      }
      if (use === 'leaves') await read()
    }
    await settled()
  } finally {
    process.off('unhandledRejection', note)
  }
  expect(unhandled).toEqual([])
})

it('rejects its result with `aborted` when the loop is left early', async () => {
  const { stream, seen } = counting(3)
  for await (const { n } of stream) if (n === 2) break
  expect(await codeOf(stream.result)).toBe('aborted')
  expect(seen).toEqual(['begun', 'went on from 1', 'closed'])
})

it('rejects its result with what the reader threw into it', async () => {
  const { stream } = counting(3)
  await stream.next()
  await expect(stream.throw(new Error('the reader fails'))).rejects.toThrow('the reader fails')
  expect(await codeOf(stream.result)).toBe('Error: the reader fails')
})

it('keeps its result when the loop is left after its end', async () => {
  const { stream } = counting(1)
  for await (const _ of stream);
  await stream.return('other')
  expect(await stream.result).toBe('counted')
})

it('is iterated once', async () => {
  const { stream } = counting(1)
  for await (const _ of stream);
  expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'invalid-state' }))
})

it('settles a `return()` before the first `next()` without starting', async () => {
  const { stream, seen } = counting(3)
  expect(await stream.return('left')).toEqual({ done: true, value: 'left' })
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(await codeOf(stream.result)).toBe('aborted')
  expect(seen).toEqual([])
})

it('is left by `await using`', async () => {
  const { stream, seen } = counting(3)
  {
    await using its = stream
    await its.next()
  }
  expect(seen).toEqual(['begun', 'closed'])
  expect(await codeOf(stream.result)).toBe('aborted')
})
