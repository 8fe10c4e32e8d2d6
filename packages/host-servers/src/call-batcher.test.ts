import { expect, it } from 'vitest'
import { CallBatcher, MAX_BATCH_LENGTH } from './call-batcher.ts'

/** Calls that end when the test ends them. */
function heldCalls(): { call: (items: readonly string[]) => Promise<readonly string[]>; calls: string[]; end(): void } {
  const ends: (() => void)[] = []
  const calls: string[] = []
  return {
    calls,
    end: () => ends.shift()!(),
    async call(items) {
      calls.push(items.join(' '))
      await new Promise<void>((resolve) => ends.push(resolve))
      return items.map((item) => item.toUpperCase())
    },
  }
}

const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

it('batches calls that come at once, and calls that come while others are in flight', async () => {
  const { call, calls, end } = heldCalls()
  const batcher = new CallBatcher(call, { maxInFlight: 1, maxItems: 3 })
  const first = Promise.all(['a', 'b'].map((item) => batcher.add(item)))
  await turn()
  const others = Promise.all(['c', 'd', 'e', 'f'].map((item) => batcher.add(item)))
  await turn()
  expect(calls).toEqual(['a b'])
  end()
  expect(await first).toEqual(['A', 'B'])
  await turn()
  expect(calls).toEqual(['a b', 'c d e'])
  end()
  await turn()
  await turn()
  end()
  expect(await others).toEqual(['C', 'D', 'E', 'F'])
  expect(calls).toEqual(['a b', 'c d e', 'f'])
})

it('never has two calls of one key in flight, and keeps their order', async () => {
  const { call, calls, end } = heldCalls()
  const batcher = new CallBatcher(call, { maxInFlight: 2, maxItems: 9, keyOf: (item) => item[0]! })
  const all = Promise.all(['a1', 'a2', 'b1', 'a3'].map((item) => batcher.add(item)))
  await turn()
  expect(calls).toEqual(['a1 b1'])
  for (const expected of ['a2', 'a3']) {
    end()
    await turn()
    await turn()
    expect(calls.at(-1)).toBe(expected)
  }
  end()
  expect(await all).toEqual(['A1', 'A2', 'B1', 'A3'])
})

it('takes no further item into a batch that is long, and passes none over', async () => {
  const { call, calls, end } = heldCalls()
  const lengths: Readonly<Record<string, number>> = {
    a: 10,
    long: MAX_BATCH_LENGTH,
    b: 10,
    longer: MAX_BATCH_LENGTH * 2,
  }
  const batcher = new CallBatcher(call, { maxInFlight: 1, maxItems: 9, lengthOf: (item) => lengths[item]! })
  const all = Promise.all(['a', 'long', 'b', 'longer', 'a'].map((item) => batcher.add(item)))
  for (const expected of ['a long', 'b longer', 'a']) {
    await turn()
    await turn()
    expect(calls.at(-1)).toBe(expected)
    end()
  }
  expect(await all).toEqual(['A', 'LONG', 'B', 'LONGER', 'A'])
})

it('tries the items of a batch one by one after an error of one item, and fails all of them after any other error', async () => {
  const batcher = new CallBatcher(
    async (items: readonly string[]) => {
      if (items.includes('wrong')) throw new Error('a value is wrong')
      if (items.includes('lost')) throw new Error('the connection is lost')
      return items
    },
    { maxInFlight: 1, maxItems: 9, isItemError: (error) => String(error).includes('value') },
  )
  const settled = async (...items: readonly string[]): Promise<readonly string[]> =>
    (await Promise.allSettled(items.map((item) => batcher.add(item)))).map(({ status }) => status)
  expect(await settled('a', 'wrong', 'b')).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await settled('a', 'lost', 'b')).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await settled('a')).toEqual(['fulfilled'])
})
