import type { ClientBatches } from '@x/interfaces'
import { XError } from '@x/kernel'
import { expect, it } from 'vitest'
import { Batcher } from './batched.ts'

it('a batch has ended once its vendor has said so, although a question beside it fails later', async () => {
  let questions = 0
  const asked = Promise.withResolvers<void>()
  const told = Promise.withResolvers<void>()
  const answer = { id: 'a', model: 'm', created: 0, choices: [] }
  const batches: ClientBatches = {
    ...{ maxRequests: 9, priceFactor: 1, submit: async () => 'b', find: async () => null, cancel: async () => {} },
    async hasEnded() {
      questions++
      if (questions === 1) {
        await asked.promise
        setImmediate(told.resolve)
        return true
      }
      asked.resolve()
      await told.promise
      throw new XError('model-failed', 'no answer', { kind: 'server' })
    },
    results: async () => [answer, answer],
  }
  let now = 0
  const clock = { sleep: async () => {}, random: () => 0 }
  // Each look at the clock is later than the time for which a question holds.
  const batcher = new Batcher({ batches, clock, runtime: { now: () => (now += 6000), newId: () => 'id' } })
  const ask = async (): Promise<unknown> =>
    await batcher.answer({ params: { messages: [] }, options: {}, next: () => undefined })
  expect(await Promise.all([ask(), ask()])).toEqual([answer, answer])
  expect(questions).toBe(2)
})
