import { expect, it } from 'vitest'
import { GroupedCalls } from './grouped-calls.ts'

/** Calls that end when they are told to. */
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

it('makes one call of what comes at once, and of what comes while others are under way', async () => {
  const { call, calls, end } = heldCalls()
  const grouped = new GroupedCalls(call, { lanes: 1, most: 3 })
  const first = Promise.all(['a', 'b'].map((item) => grouped.add(item)))
  await turn()
  const others = Promise.all(['c', 'd', 'e', 'f'].map((item) => grouped.add(item)))
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

it('never has two of one key under way, and keeps their order', async () => {
  const { call, calls, end } = heldCalls()
  const grouped = new GroupedCalls(call, { lanes: 2, most: 9, keyOf: (item) => item[0]! })
  const all = Promise.all(['a1', 'a2', 'b1', 'a3'].map((item) => grouped.add(item)))
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

it('calls one by one for those of a group of which one is wrong, and fails for all where the error is of none', async () => {
  const grouped = new GroupedCalls(
    async (items: readonly string[]) => {
      if (items.includes('wrong')) throw new Error('a value is wrong')
      if (items.includes('lost')) throw new Error('the connection is lost')
      return items
    },
    { lanes: 1, most: 9, isOfOne: (error) => String(error).includes('value') },
  )
  const settled = async (...items: readonly string[]): Promise<readonly string[]> =>
    (await Promise.allSettled(items.map((item) => grouped.add(item)))).map(({ status }) => status)
  expect(await settled('a', 'wrong', 'b')).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await settled('a', 'lost', 'b')).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await settled('a')).toEqual(['fulfilled'])
})
