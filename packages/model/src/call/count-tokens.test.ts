import type { Limiter, ModelClient, Provider, Run } from '@x/interfaces'
import { currentRun, isXError, runAsync, wait, XError, type Steps } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { failureOf, fakeProvider, hello, recordingIo } from '../fakes/provider.fake.ts'
import { createBudget } from '../usage/budget.ts'
import { createLimiter } from '../usage/limiter.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'

/** A provider whose clients count like this, or not at all. */
function counting(apiType: string, countTokens: ModelClient['countTokens']): Provider {
  const { provider } = fakeProvider(['an answer'], { apiType })
  return { ...provider, createClient: (config) => ({ ...provider.createClient(config), countTokens }) }
}

const seven = counting('seven', (_, { warn }) => {
  warn?.('parameter', '`seed` was left out')
  return 7
})
const none = counting('none', undefined)
const failing = counting('failing', () => {
  throw failureOf('rate-limit')
})

const AT = 1000

function wrapper(...entries: object[]): ModelWrapper & { warnings(): string[] } {
  const io = recordingIo()
  const model = new ModelWrapper({
    providers: [seven, none, failing],
    configList: entries as never,
    cacheSeed: null,
    io: io.io,
    runtime: { now: () => AT },
  })
  return Object.assign(model, { warnings: io.warnings })
}

const SEVEN = { apiType: 'seven', model: 'a', tags: ['cheap'] }
const NONE = { apiType: 'none', model: 'b' }
const FAILING = { apiType: 'failing', model: 'c' }

describe('a count', () => {
  test('comes from the first config that can', async () => {
    const count = { promptTokens: 7, model: 'a', configId: 1 }
    expect(await wrapper(NONE, SEVEN).countTokens({ messages: hello })).toEqual(count)
    expect(wrapper(NONE, SEVEN).countTokensSync({ messages: hello })).toEqual(count)
    expect(await wrapper(NONE, SEVEN).countTokensStream({ messages: hello }).result).toEqual(count)
  })

  test('fails over, and the error has every attempt', async () => {
    expect(await wrapper(FAILING, SEVEN).countTokens({ messages: hello })).toMatchObject({ configId: 1 })
    const failed = wrapper(FAILING, NONE, FAILING).countTokens({ messages: hello })
    await expect(failed).rejects.toMatchObject({
      kind: 'rate-limit',
      attempts: [{ configId: 0 }, { configId: 2 }],
    })
  })

  test('that no provider supports is an error', async () => {
    const failed = wrapper(NONE, NONE).countTokens({ messages: hello })
    await expect(failed).rejects.toSatisfy(
      (error) => isXError(error, 'model-failed') && error.kind === 'invalid-request',
    )
    await expect(failed).rejects.toThrow('no provider of `b`, `b` can count them')
  })

  test('checks the request as an answer does, and reports warnings', async () => {
    const model = wrapper(SEVEN)
    await expect(model.countTokens({ messages: hello, temperatur: 1 })).rejects.toThrow('`temperature`')
    await expect(model.countTokens({})).rejects.toThrow('`messages`')
    await model.countTokens({ messages: hello })
    expect(model.warnings()).toEqual(['parameter'])
  })
})

describe('ledger and budget', () => {
  test('a count is a row without tokens and cost, and in no sum', async () => {
    const model = wrapper(SEVEN)
    await model.countTokens({ messages: hello, agent: 'x' })
    expect(model.ledger).toEqual([
      {
        configId: 0,
        usage: { model: 'a', promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 },
        cached: false,
        tags: ['cheap'],
        agent: 'x',
        at: AT,
        operation: 'countTokens',
      },
    ])
    expect(model.actualUsageSummary).toBe(null)
    await model.create({ messages: hello })
    expect(model.ledger.map(({ operation }) => operation)).toEqual([undefined, 'countTokens'])
    expect(model.actualUsageSummary!.models['a']!.totalTokens).toBe(15)
    model.clearUsageSummary()
    expect(model.ledger).toEqual([])
  })

  test('a count is a call of a budget, and costs nothing', async () => {
    const budget = createBudget({ calls: 2, cost: 0, tokens: 0 })
    const model = wrapper({ ...SEVEN, budget })
    await model.countTokens({ messages: hello })
    await model.countTokens({ messages: hello })
    expect(budget.spent).toEqual({ cost: 0, tokens: 0, calls: 2 })
    await expect(model.countTokens({ messages: hello })).rejects.toSatisfy((error) =>
      isXError(error, 'budget-exceeded'),
    )
  })

  test('a failed count is a call, since its request was sent', async () => {
    const budget = createBudget({ calls: 5 })
    await expect(wrapper({ ...FAILING, budget }).countTokens({ messages: hello })).rejects.toThrow()
    expect(budget.spent).toEqual({ cost: 0, tokens: 0, calls: 1 })
  })
})

describe('a count with a limiter', () => {
  const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

  test('waits for its permit under the name `countTokens`, apart from answers', async () => {
    const limiter = createLimiter({ countTokens: { inFlight: 1 }, a: { inFlight: 1 } })
    const counts: ((tokens: number) => void)[] = []
    const slow = counting('seven', async () => await new Promise<number>((resolve) => counts.push(resolve)))
    const model = new ModelWrapper({ providers: [slow], configList: [{ ...SEVEN }], cacheSeed: null, limiter })
    const asked = [model.countTokens({ messages: hello }), model.countTokens({ messages: hello })]
    await settled()
    expect(counts.length).toBe(1)
    await model.create({ messages: hello })
    expect(await limiter.state!()).toMatchObject([
      { model: 'countTokens', inFlight: 1, waiting: 1, tokens: 0 },
      { model: 'a', inFlight: 0, requests: 1 },
    ])
    counts[0]!(7)
    await asked[0]
    await settled()
    counts[1]!(8)
    expect(await asked[1]).toMatchObject({ promptTokens: 8 })
    expect(await limiter.state!()).toMatchObject([{ model: 'countTokens', inFlight: 0, requests: 2 }, {}])
  })

  test('gives its permit back after a failure, with what its provider asked for', async () => {
    const ended: unknown[] = []
    const limiter: Limiter = { acquire: () => ({ end: (used) => void ended.push(used) }) }
    const refusing = counting('refusing', () => {
      throw new XError('model-failed', 'no', { kind: 'rate-limit', retryAfterMs: 1500 })
    })
    const model = new ModelWrapper({
      providers: [refusing],
      configList: [{ model: 'a', apiType: 'refusing' }],
      cacheSeed: null,
      limiter,
    })
    await expect(model.countTokens({ messages: hello })).rejects.toMatchObject({ kind: 'rate-limit' })
    expect(ended).toEqual([{ tokens: 0, requests: 1, retryAfterMs: 1500 }])
  })

  test('spends nothing of a budget when it is stopped while it waits, and stops with its run', async () => {
    const budget = createBudget({ calls: 1 })
    const limiter: Limiter = { acquire: () => new Promise(() => {}) }
    const model = new ModelWrapper({ providers: [seven], configList: [{ ...SEVEN }], cacheSeed: null, limiter, budget })
    const stop = new AbortController()
    const asked = model.countTokens({ messages: hello }, { signal: stop.signal })
    await settled()
    stop.abort()
    await expect(asked).rejects.toMatchObject({ code: 'aborted' })
    expect(budget.spent.calls).toBe(0)
    expect(() => model.countTokensSync({ messages: hello })).toThrow(expect.objectContaining({ code: 'async-in-sync' }))
    expect(budget.spent.calls).toBe(0)
  })
})

test('a count in a run is part of it, and stops with it', async () => {
  function* outer(): Steps<unknown> {
    const run: Run = yield* currentRun()
    return yield* wait(wrapper(SEVEN).countTokens({ messages: hello }, { run }), 'a count')
  }
  expect(await runAsync(outer())).toMatchObject({ promptTokens: 7 })
  const signal = AbortSignal.abort()
  await expect(wrapper(SEVEN).countTokens({ messages: hello }, { signal })).rejects.toMatchObject({ code: 'aborted' })
})
