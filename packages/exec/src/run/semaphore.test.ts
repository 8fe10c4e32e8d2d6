import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

it('runs no more jobs at once than its limit, in order, also when jobs fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.nat(5), fails: fc.boolean() }), { maxLength: 20 }),
      async (most, jobs) => {
        const semaphore = new Semaphore(most)
        const started: number[] = []
        let inside = 0
        let top = 0
        const work = jobs.map(({ turns, fails }, index) =>
          semaphore.run(async () => {
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

it('starts an aborted job at once, without taking the slot of another', async () => {
  const semaphore = new Semaphore(1)
  const first = Promise.withResolvers<string>()
  const stop = new AbortController()
  const a = semaphore.run(() => first.promise)
  const b = semaphore.run(async () => 'b', stop.signal)
  const c = semaphore.run(async () => 'c')
  stop.abort()
  expect(await b).toBe('b')
  expect(await Promise.race([c, Promise.resolve('waits')])).toBe('waits')
  first.resolve('a')
  expect([await a, await c]).toEqual(['a', 'c'])
})
