import { createHost, defineChat, type DefinedChat, sqlite } from '@x/host'
import { search } from '@x/reasoning'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { METHODS, randomParts, searchChats, searchTrees } from './thinking.ts'

it('random searches on SQLite, released by their worker at any moment, have the same trees as in one process', async () => {
  const searches = fc.record({ method: fc.constantFrom(...Object.keys(METHODS)), seed: fc.nat(10_000) })
  const runs = fc.tuple(
    fc.uniqueArray(searches, { minLength: 1, maxLength: 3 }),
    fc.array(fc.nat(30), { maxLength: 4 }),
  )
  await fc.assert(
    fc.asyncProperty(runs, async ([inputs, stopsAfter]) => {
      const stops = [...stopsAfter]
      let left = stops.shift() ?? Infinity
      let stop = new AbortController()
      let calls = 0
      const onCall = (): void => {
        calls++
        if (left-- === 0) stop.abort()
      }
      const [solve, think] = searchChats((seed) => randomParts({ seed, onCall }), 4)
      const host = createHost({ chats: [solve, think], at: sqlite(':memory:') })
      try {
        for (const [n, input] of inputs.entries()) await host.submit(solve, { ...input }, { id: `search-${n}` })
        const work = async (): Promise<void> => {
          for (;;) {
            await host.work({ signal: stop.signal, concurrency: 2 })
            if (left >= 0) return
            left = stops.shift() ?? Infinity
            stop = new AbortController()
          }
        }
        const working = work()
        for (const [n, input] of inputs.entries()) {
          expect(await host.result(`search-${n}`)).toBe(await searchTrees(input, {}))
        }
        left = Infinity
        stop.abort()
        await working
        // Only calls in flight at a release are repeated.
        let once = 0
        for (const { method, seed } of inputs) {
          await searchTrees({ method, seed }, { parts: randomParts({ seed, onCall: () => once++ }) })
        }
        expect(calls - once).toBeLessThanOrEqual(4 * stopsAfter.length)
        const ids: string[] = []
        for await (const { id } of host.list()) ids.push(id)
        expect(ids).toEqual(inputs.map((_, n) => `search-${n}`))
      } finally {
        await host.close()
      }
    }),
    {
      numRuns: 25,
      // A request that told how often its nodes had been visited was another one after a release, and was performed twice.
      examples: [
        [
          [
            [
              { method: 'mcts', seed: 6621 },
              { method: 'forest', seed: 0 },
            ],
            [10, 23],
          ],
        ],
      ],
    },
  )
}, 60_000)

it.each([0, 1, 4, 9])('a check of a search that was left after %i calls makes none', async (calls) => {
  let left = calls
  let asked = 0
  const stop = new AbortController()
  const onCall = (): void => {
    asked++
    if (left-- === 0) stop.abort()
  }
  const program = defineChat({
    name: 'searching',
    version: '1',
    async run({ run }) {
      const parts = randomParts({ seed: 7, onCall })
      const { answer } = await search('Why?', { ...parts, method: METHODS['beam']!(), run })
      return answer
    },
  }) as DefinedChat
  const host = createHost({ chats: [program], at: sqlite(':memory:') })
  await host.submit(program, {} as never, { id: 'a' })
  await host.work({ signal: stop.signal })
  const before = asked
  for await (const { goesOn, next, unused } of host.check(program)) {
    expect([goesOn, next?.kind, unused]).toEqual([true, 'job', 0])
  }
  expect(asked).toBe(before)
  await host.close()
})
