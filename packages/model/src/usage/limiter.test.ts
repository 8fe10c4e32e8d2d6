import type { Limiter, Permit, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { gated } from '../fakes/gated-model.fake.ts'
import { answerOf, hello } from '../fakes/provider.fake.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'
import { createBudget } from './budget.ts'
import { createLimiter } from './limiter.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A limiter that gives its permits when a test says so, and tells what it was asked and told. */
function watched(): {
  limiter: Limiter
  asked: Parameters<Limiter['acquire']>[0][]
  ended: (Parameters<Permit['end']>[0] | undefined)[]
  grant: (() => void)[]
} {
  const asked: Parameters<Limiter['acquire']>[0][] = []
  const ended: (Parameters<Permit['end']>[0] | undefined)[] = []
  const grant: (() => void)[] = []
  const permit: Permit = { end: (used) => void ended.push(used) }
  const limiter: Limiter = {
    acquire(call) {
      asked.push(call)
      return new Promise((resolve) => grant.push(() => resolve(permit)))
    },
  }
  return { limiter, asked, ended, grant }
}

describe('a call with a limiter', () => {
  test('waits for its permit, and reports its usage', async () => {
    const { limiter, asked, ended, grant } = watched()
    const { ask, open, calls } = gated(null, { limiter })
    const answer = ask({ max_tokens: 100 })
    await turn()
    expect([calls.length, asked.length]).toEqual([0, 1])
    expect(asked[0]).toMatchObject({ model: 'm', account: expect.any(String) as string })
    expect(asked[0]!.tokens).toBeGreaterThan(100)
    grant[0]!()
    await turn()
    open[0]!(7)
    await answer
    expect(ended).toEqual([{ tokens: 17, requests: 1 }])
  })

  test('needs no permit for a cache hit', async () => {
    const { limiter, asked, grant } = watched()
    const { ask, open } = gated(null, { limiter, cache: createMemoryCache() })
    const first = ask()
    await turn()
    grant[0]!()
    await turn()
    open[0]!(1)
    await first
    await ask()
    expect(asked.length).toBe(1)
  })

  test.each([
    ['rate-limit', { tokens: 0, requests: 1, retryAfterMs: 1500 }],
    ['auth', { tokens: 0, requests: 1, retryAfterMs: undefined }],
    ['server', { tokens: undefined, requests: 1, retryAfterMs: undefined }],
    ['timeout', { tokens: undefined, requests: 1, retryAfterMs: undefined }],
  ] as const)('gives its permit back after a failure: %s', async (kind, told) => {
    const { limiter, ended, grant } = watched()
    const client = {
      create: () => Promise.reject(new XError('model-failed', 'no', { kind, retryAfterMs: 1500 })),
      messageRetrieval: () => [],
      getUsage: () => ({ model: '', promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 }),
      cost: () => 0,
    }
    const model = new ModelWrapper({
      providers: [{ apiTypes: ['fake'], specVersion: 1, createClient: () => client }],
      configList: [{ model: 'm', apiType: 'fake' }],
      cacheSeed: null,
      limiter,
    })
    const asked = model.create({ messages: hello })
    await turn()
    grant[0]!()
    await expect(asked).rejects.toMatchObject({ kind })
    expect(ended).toEqual([told])
  })

  test('that waits too long is not a failure of its config, and returns a late permit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { limiter, ended, grant } = watched()
    const budget = createBudget({ calls: 1 })
    const { model, calls } = gated(budget, {
      limiter,
      configList: [
        { model: 'm', apiType: 'fake' },
        { model: 'n', apiType: 'fake' },
      ],
    })
    const late = expect(model.create({ messages: hello, timeout: 3 })).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('gave no permit within 3 s') as string,
    })
    await vi.advanceTimersByTimeAsync(3001)
    await late
    expect([calls.length, budget.spent.calls]).toEqual([0, 0])
    grant[0]!()
    await turn()
    expect(ended).toEqual([{ tokens: 0, requests: 0 }])
  })

  test('stops waiting at an abort, and when its stream is left', async () => {
    const limiter = createLimiter({ m: { inFlight: 1 } })
    const { model, ask, open, calls } = gated(null, { limiter })
    const first = ask()
    const stop = new AbortController()
    const aborted = model.create({ messages: hello }, stop)
    const stream = model.createStream({ messages: hello })
    const next = stream.next()
    const last = ask()
    await turn()
    stop.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    await stream.return(undefined as never)
    await next
    open[0]!(1)
    await first
    await turn()
    expect(calls.length).toBe(2)
    open[1]!(1)
    await last
    expect(await limiter.state!()).toMatchObject([{ model: 'm', requests: 2, inFlight: 0, waiting: 0 }])
  })

  test('reports its waiting time at the end of its attempt', async () => {
    const { limiter, grant } = watched()
    let now = 1000
    const { model, open } = gated(null, { limiter, runtime: { now: () => now } })
    const events: XEvent[] = []
    const asked = model.create({ messages: hello }, { emit: (event) => void events.push(event) })
    await turn()
    now += 250
    grant[0]!()
    await turn()
    now += 50
    open[0]!(1)
    await asked
    const ends = events.filter(({ type }) => type === 'modelAttemptEnd')
    expect(ends).toMatchObject([{ waitedMs: 250, ms: 300 }])
  })

  test('is made at once in a blocking call where there is room, and refused where it had to wait', async () => {
    const limiter = createLimiter({ m: { inFlight: 1 } })
    const client = {
      create: () => answerOf('m', 'yes'),
      messageRetrieval: () => [],
      getUsage: () => ({ model: 'm', promptTokens: 1, completionTokens: 1, totalTokens: 2, cost: 0 }),
      cost: () => 0,
    }
    const model = new ModelWrapper({
      providers: [{ apiTypes: ['fake'], specVersion: 1, createClient: () => client }],
      configList: [{ model: 'm', apiType: 'fake' }],
      cacheSeed: null,
      limiter,
    })
    expect(model.createSync({ messages: hello }).choices).toHaveLength(1)
    const account = (await limiter.state!())[0]!.account
    const held = await limiter.acquire({ model: 'm', account, tokens: 1 })
    expect(() => model.createSync({ messages: hello })).toThrow(
      expect.objectContaining({ code: 'async-in-sync' }) as Error,
    )
    held.end()
    expect(model.createSync({ messages: hello }).choices).toHaveLength(1)
  })

  test('has an account of its own for every key, which cannot be read from it', async () => {
    const { limiter, asked, grant } = watched()
    const ask = async (apiKey: string): Promise<void> => {
      const { model, open } = gated(null, { limiter, configList: [{ model: 'm', apiType: 'fake', apiKey }] })
      const answer = model.create({ messages: hello })
      await turn()
      grant.at(-1)!()
      await turn()
      open[0]!(1)
      await answer
    }
    for (const key of ['sk-canary-1', 'sk-canary-2', 'sk-canary-1']) await ask(key)
    const accounts = asked.map(({ account }) => account)
    expect(accounts[0]).toBe(accounts[2])
    expect(accounts[0]).not.toBe(accounts[1])
    expect(JSON.stringify(asked)).not.toContain('canary')
  })
})

test.each([
  [{}],
  [null],
  [[]],
  [{ m: {} }],
  [{ m: null }],
  [{ m: { requests: 0 } }],
  [{ m: { tokens: 1.5 } }],
  [{ m: { inFlight: '3' } }],
  [{ m: { requests: 1, per: 0 } }],
  [{ m: { request: 1 } }],
  [{ rpm: 500 }],
])('createLimiter refuses %j', (limits) => {
  expect(() => createLimiter(limits as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }) as Error)
})

test.each<[object, string]>([
  [{ rpm: 500 }, "`rpm` is a number and not limits of a model; write { '*': { requests: 500"],
  [{ m: { rpm: 500 } }, 'the option `rpm` is unknown; write `requests`'],
  [{ m: { tokensPerMinute: 500 } }, 'write `tokens`'],
  [{ m: { requests_per_second: 5 } }, 'write `requests` and `per: 1`'],
  [{ m: { maxConcurrency: 5 } }, 'write `inFlight`'],
])('createLimiter says of %j what to write', (limits, text) => {
  expect(() => createLimiter(limits as never)).toThrow(text)
})
