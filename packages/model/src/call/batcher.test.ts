import type { ClientBatches, ModelAnswer, ModelParams } from '@x/interfaces'
import { XError } from '@x/kernel'
import { expect, it } from 'vitest'
import { Batcher, sleepFor } from './batcher.ts'

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

it('requests that cannot be in one batch are handed in apart, and a wrong one fails alone', async () => {
  const submitted: unknown[] = []
  const answersOf = (requests: readonly ModelParams[]): ModelAnswer[] =>
    requests.map(({ messages }) => ({ id: messages[0]!.content as string, model: 'm', created: 0, choices: [] }))
  const batches: ClientBatches = {
    ...{ maxRequests: 9, priceFactor: 1, find: async () => null, hasEnded: async () => true, cancel: async () => {} },
    async submit(requests) {
      if (requests.some(({ messages }) => messages[0]!.content === 'wrong')) throw new TypeError('it is wrong')
      if (new Set(requests.map(({ model }) => model)).size > 1) {
        throw new XError('model-failed', 'two models', { kind: 'invalid-request' })
      }
      submitted.push(answersOf(requests).map(({ id }) => id))
      return `batch ${submitted.length}`
    },
    results: async ({ requests }) => answersOf(requests),
  }
  const clock = { sleep: async () => {}, random: () => 0 }
  let keys = 0
  const batcher = new Batcher({ batches, clock, runtime: { now: () => 0, newId: () => `id ${++keys}` } })
  const ask = async (model: string, content: string): Promise<string> => {
    const params: ModelParams = { model, messages: [{ role: 'user', content }] }
    return (await batcher.answer({ params, options: {}, next: () => undefined })).id
  }
  expect(await Promise.all([ask('a', '1'), ask('b', '2'), ask('a', '3'), ask('b', '4')])).toEqual(['1', '2', '3', '4'])
  expect(submitted.splice(0)).toEqual([
    ['1', '3'],
    ['2', '4'],
  ])
  const settled = await Promise.allSettled([ask('a', '5'), ask('a', 'wrong'), ask('a', '6'), ask('b', '7')])
  expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual([
    ...['5', 'TypeError: it is wrong', '6', '7'],
  ])
  expect(submitted).toEqual(expect.arrayContaining([['5'], ['6'], ['7']]))
})

it('a wait for a batch that is stopped leaves no timer, which would keep the program', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const stop = new AbortController()
  const waiting = sleepFor(900_000, undefined, stop.signal)
  expect(timers()).toBe(before + 1)
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  expect(timers()).toBe(before)
})
