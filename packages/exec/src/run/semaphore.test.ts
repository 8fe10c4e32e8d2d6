import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

it('lets no more in than it may, in order, whatever fails', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.nat(5), fails: fc.boolean() }), { maxLength: 20 }),
      async (most, jobs) => {
        const gate = new Semaphore(most)
        const started: number[] = []
        let inside = 0
        let top = 0
        const work = jobs.map(({ turns, fails }, index) =>
          gate.pass(async () => {
            started.push(index)
            top = Math.max(top, ++inside)
            for (let turn = 0; turn < turns; turn++) await Promise.resolve()
            inside--
            if (fails) throw new Error('no')
            return index
          }),
        )
        const ends = await Promise.allSettled(work)
        expect(ends.map(({ status }) => status === 'rejected')).toEqual(jobs.map(({ fails }) => fails))
        expect(started).toEqual(jobs.map((_, index) => index))
        expect(top).toBeLessThanOrEqual(most)
      },
    ),
  )
})

it('lets what is stopped while it waits go on at once, and keeps its place for others', async () => {
  const gate = new Semaphore(1)
  const first = Promise.withResolvers<string>()
  const stop = new AbortController()
  const a = gate.pass(() => first.promise)
  const b = gate.pass(async () => 'b', stop.signal)
  const c = gate.pass(async () => 'c')
  stop.abort()
  expect(await b).toBe('b')
  expect(await Promise.race([c, Promise.resolve('waits')])).toBe('waits')
  first.resolve('a')
  expect([await a, await c]).toEqual(['a', 'c'])
})
