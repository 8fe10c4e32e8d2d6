import type { ModelCallOptions, ModelClient } from '@x/interfaces'
import { XError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { answerOf, hello, recordingIo } from '../fakes/provider.fake.ts'
import { createBudget } from '../usage/budget.ts'
import { createLimiter } from '../usage/limiter.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'

const UNUSED: Omit<ModelClient, 'create'> = {
  messageRetrieval: () => [],
  getUsage: ({ model }) => ({ model, promptTokens: 10, completionTokens: 5, totalTokens: 15, cost: 0 }),
  cost: () => 0,
}

/** A wrapper with a budget and a limiter for a client that answers after these failures. */
function failingFirst(failures: XError[], client: Partial<ModelClient> = {}, entry: object = {}) {
  const budget = createBudget({ cost: 100, calls: 10 })
  const limiter = createLimiter({ m: { inFlight: 1 } })
  const waits: number[] = []
  const create = (_: unknown, { onSend }: ModelCallOptions) => {
    if (entry !== SILENT) onSend?.()
    const failure = failures.shift()
    if (failure) throw failure
    return answerOf('m', 'an answer')
  }
  const clock = { random: () => 0, sleep: async (ms: number) => void waits.push(ms) }
  const made: ModelClient = { ...UNUSED, create, clock, ...client }
  const model = new ModelWrapper({
    providers: [{ apiTypes: ['fake'], specVersion: 1, createClient: () => made }],
    configList: [{ model: 'm', apiType: 'fake', ...entry }],
    cacheSeed: null,
    io: recordingIo().io,
    budget,
    limiter,
  })
  return { model, budget, limiter, waits }
}

/** The entry of a client that does not report its requests. */
const SILENT = {}

describe('a further request', () => {
  test('waits no longer than a timer of the platform can run', async () => {
    const retryAfterMs = 2 ** 31 + 5
    const refused = new XError('model-failed', 'no', { kind: 'rate-limit', status: 429, retryAfterMs })
    const { model, waits } = failingFirst([refused], {}, { maxRetryAfter: 1e9, limiter: null })
    await model.create({ messages: hello })
    expect(waits).toEqual([2 ** 31 - 1])
  })

  test('follows if a client that reports nothing asks for it', async () => {
    const repaired = (): XError =>
      new XError('model-failed', 'no', { kind: 'invalid-request', details: { askAgain: true } })
    const asked = failingFirst([repaired()], {}, SILENT)
    expect(await asked.model.create({ messages: hello })).toMatchObject({ id: 'answer' })
    expect(asked.budget.spent.calls).toBe(2)
    const never = failingFirst([repaired(), repaired(), repaired()], {}, SILENT)
    await expect(never.model.create({ messages: hello })).rejects.toMatchObject({ kind: 'invalid-request' })
    expect(never.budget.spent.calls).toBe(3)
  })
})

test('a blocking call that would have to wait for the limiter fails as the request before', async () => {
  const overloaded = new XError('model-failed', 'no', { kind: 'overloaded', status: 503 })
  const limiter = createLimiter({ m: { requests: 1 } })
  const { model, budget } = failingFirst([overloaded], { clock: undefined }, { limiter, maxRetries: 1 })
  expect(() => model.createSync({ messages: hello })).toThrow(expect.objectContaining({ kind: 'overloaded' }))
  expect(budget.spent.calls).toBe(1)
  expect(await limiter.state!()).toMatchObject([{ inFlight: 0, requests: 1 }])
})

test('a request that its call has left does not leave', async () => {
  const stop = new AbortController()
  const left = Promise.withResolvers<unknown>()
  const create: ModelClient['create'] = async (_, { onSend, signal }) => {
    onSend?.(false)
    await new Promise((resolve) => signal!.addEventListener('abort', () => setImmediate(resolve)))
    left.resolve(onSend?.())
    return answerOf('m', 'too late')
  }
  const { model, budget } = failingFirst([], { create })
  const asked = model.create({ messages: hello }, stop)
  setImmediate(() => stop.abort())
  await expect(asked).rejects.toMatchObject({ code: 'aborted' })
  expect(await left.promise).toBe(false)
  expect(budget.spent.calls).toBe(0)
})

test.each([
  ['of its own', {}],
  ['that equal calls share', { cache: createMemoryCache() }],
])('a client hears by a listener that a call %s stops, and no longer once it has taken it off', async (_, entry) => {
  const stop = new AbortController()
  const heard: string[] = []
  const create: ModelClient['create'] = async (__, options) => {
    const stopped = Promise.withResolvers<never>()
    options.onStop!(() => heard.push('taken off'))()
    options.onStop!(() => stopped.reject(new Error(`heard ${heard.push('listening')}`)))
    setImmediate(() => stop.abort())
    return await stopped.promise
  }
  const { model } = failingFirst([], { create }, entry)
  await expect(model.create({ messages: hello }, stop)).rejects.toMatchObject({ code: 'aborted' })
  expect(heard).toEqual(['listening'])
})

test.each(['create', 'createSync', 'createStream'] as const)(
  'an answer whose price cannot be computed holds neither budget nor permit after `%s`',
  async (face) => {
    const cost: ModelClient['cost'] = ({ id }) => {
      if (id === '') return 1
      throw new TypeError('no price')
    }
    const { model, budget, limiter } = failingFirst([], { cost })
    const ask = async (): Promise<unknown> =>
      face === 'createStream'
        ? await model.createStream({ messages: hello }).result
        : await model[face]({ messages: hello })
    await expect(ask()).rejects.toThrow('no price')
    expect(model.ledger).toMatchObject([{ estimated: true, usage: { cost: 1 } }])
    expect(budget.spent).toMatchObject({ cost: 1, calls: 1 })
    expect(await limiter.state!()).toMatchObject([{ inFlight: 0 }])
  },
)
