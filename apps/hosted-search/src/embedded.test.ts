import { createHost, sqlite } from '@x/host'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { METHODS, randomParts, searchChats, searchTrees } from './thinking.ts'

it('random searches on SQLite, whose worker lets go of them at any moment, have the trees of one process', async () => {
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
      const asked = (): void => {
        calls++
        if (left-- === 0) stop.abort()
      }
      const [solve, think] = searchChats((seed) => randomParts({ seed, asked }), 4)
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
        const worked = work()
        for (const [n, input] of inputs.entries()) {
          expect(await host.result(`search-${n}`)).toBe(await searchTrees(input, {}))
        }
        left = Infinity
        stop.abort()
        await worked
        // What was in flight when a worker let go runs again, and nothing else.
        let once = 0
        for (const { method, seed } of inputs) {
          await searchTrees({ method, seed }, { parts: randomParts({ seed, asked: () => once++ }) })
        }
        expect(calls - once).toBeLessThanOrEqual(4 * stopsAfter.length)
        const ids: string[] = []
        for await (const { id } of host.list()) ids.push(id)
        expect(ids).toEqual(inputs.map((_, n) => `search-${n}`))
      } finally {
        await host.close()
      }
    }),
    { numRuns: 25 },
  )
}, 60_000)
