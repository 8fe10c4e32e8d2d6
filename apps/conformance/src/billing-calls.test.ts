import type { CacheStore, ConfigEntry, Provider } from '@x/interfaces'
import { createBudget, ModelWrapper } from '@x/model'
import { scriptedProvider } from '@x/testing'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBillingServer, type BillingServer } from './billing-server.fake.ts'
import { LONG_TEXT_WORDS } from './billing-table.fake.ts'
import { BILLED_WIRES, type BilledWire } from './billing-wires.fake.ts'

let server: BillingServer

beforeAll(async () => {
  server = await startBillingServer()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const messages = [{ role: 'user' as const, content: 'What is the weather?' }]
const clock = { sleep: async () => {}, random: () => 0 }
const [openai] = BILLED_WIRES as readonly [BilledWire]

/** Makes a model whose configs are ports of the billing server; 1,000 tokens cost a dollar. */
function modelAt(
  { create, entry }: BilledWire,
  ports: readonly number[],
  more: ConfigEntry,
  isBlocking: boolean = false,
): ModelWrapper {
  return new ModelWrapper({
    providers: [create(isBlocking ? {} : { clock })],
    configList: ports.map((port) => ({
      ...{ ...entry, apiKey: 'key-of-a-test', price: [1, 1], max_tokens: 1000, ...more },
      baseUrl: `http://127.0.0.1:${port}${entry.apiType === undefined ? '/v1' : ''}`,
    })),
    cacheSeed: null,
    io: { send: () => {}, input: () => '' },
  })
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code)

describe.each(BILLED_WIRES.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  const FAULTS = [
    'silence before the first byte',
    'broken JSON',
    'a reset before the head',
    '500 with a body',
    '401',
    '429',
  ]

  test.concurrent.for(FAULTS.flatMap((fault) => [false, true].map((strict) => [fault, strict] as const)))(
    'the next config answers after %s (strict: %s), and both are counted',
    async ([fault, strict], { expect }) => {
      const ports = await Promise.all(
        [fault, 'healthy'].map(async (each) => await server.open({ wire: wire.name, fault: each, healthyCount: 0 })),
      )
      const budget = createBudget({ cost: 5, strict, minTokens: 100 })
      const model = modelAt(wire, ports, { budget, timeout: fault.startsWith('silence') ? 0.25 : 20, maxRetries: 2 })
      expect(await model.create({ messages })).toMatchObject({ configId: 1 })
      const [bad, good] = await Promise.all(ports.map(async (port) => await server.close(port, 1)))
      expect([bad!.requests, good!.requests]).toEqual([1, 1])
      const billed = (bad!.tokens + good!.tokens) / 1000
      // The input of a request is at most a dollar: a strict budget reserves a token for each byte.
      expect(budget.spent.cost - billed).toBeLessThanOrEqual(strict ? 1 : 0.25)
      expect(billed - budget.spent.cost).toBeLessThanOrEqual(strict ? 0 : 0.25)
      expect(budget.spent.calls).toBe(2)
      expect(model.ledger.map(({ configId, estimated = false }) => [configId, estimated])).toEqual([
        ...(bad!.unknown === 1 ? [[0, true]] : []),
        [1, false],
      ])
      expect(model.actualUsageSummary?.totalCost).toBeCloseTo(budget.spent.cost, 9)
    },
  )

  test('a text that is longer than expected is counted, though its stream breaks off', async () => {
    const port = await server.open({ wire: wire.name, fault: 'a close behind a long text', healthyCount: 0 })
    const budget = createBudget({ cost: 50 })
    const model = modelAt(wire, [port], { budget, maxRetries: 0, max_tokens: undefined })
    await expect(model.createStream({ messages }).result).rejects.toMatchObject({ code: 'model-failed' })
    await server.close(port, 1)
    // Half of it has arrived; a word and its space are more than a token.
    expect(budget.spent.tokens).toBeGreaterThan(LONG_TEXT_WORDS / 2)
    expect(model.actualUsageSummary?.totalCost).toBeCloseTo(budget.spent.cost, 9)
  })

  test('a stream whose filter has not seen it is not paid twice', async () => {
    const fault = 'a reset after 9 tenths of the body'
    const port = await server.open({ wire: wire.name, fault, healthyCount: 0 })
    const model = modelAt(wire, [port], { maxRetries: 2, filterFunc: () => true })
    await expect(model.createStream({ messages }).result).rejects.toMatchObject({ code: 'model-failed' })
    expect((await server.close(port, 1)).requests).toBe(1)
    expect(model.ledger).toMatchObject([{ estimated: true }])
  })

  test.each([
    ['an abort', 'silence before the first byte', 'aborted'],
    ['content that was seen', 'a reset after 9 tenths of the body', 'model-failed'],
  ])('after %s, no other config is paid', async (what, fault, code) => {
    const plans = [fault, 'healthy'].map((each) => ({ wire: wire.name, fault: each, healthyCount: 0 }))
    const ports = await Promise.all(plans.map(async (plan) => await server.open(plan)))
    const model = modelAt(wire, ports, { failover: { aborted: 'next' } })
    const controller = new AbortController()
    const answer = model.createStream({ messages }, { signal: controller.signal }).result
    const refused = expect(answer).rejects.toMatchObject({ code })
    if (what === 'an abort') void server.read(ports[0]!, 1).then(() => controller.abort())
    await refused
    const bills = await Promise.all(ports.map(async (port, at) => await server.close(port, at === 0 ? 1 : 0)))
    expect(bills.map(({ requests }) => requests)).toEqual([1, 0])
  })

  test('a refused connection is no request', async () => {
    const idle = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => idle.once('listening', resolve))
    const { port } = idle.address() as { port: number }
    await new Promise((resolve) => idle.close(resolve))
    const budget = createBudget({ cost: 3, strict: true })
    const model = modelAt(wire, [port], { budget, maxRetries: 2 })
    const blocking = modelAt(wire, [port], { budget, maxRetries: 0 }, true)
    await expect(model.create({ messages })).rejects.toMatchObject({ kind: 'connection' })
    await expect(model.createStream({ messages }).result).rejects.toMatchObject({ kind: 'connection' })
    expect(() => blocking.createSync({ messages })).toThrow(expect.objectContaining({ kind: 'connection' }))
    expect(budget.spent).toEqual({ cost: 0, tokens: 0, calls: 0 })
    expect([...model.ledger, ...blocking.ledger]).toEqual([])
  })
})

test.each(['an answer after the timeout', 'a close after 9 tenths of the body', 'broken JSON', '504 with a page'])(
  'forty calls at once: %s',
  async (fault) => {
    for (const strict of [false, true]) {
      const port = await server.open({ wire: openai.name, fault, healthyCount: 0 })
      const isLate = fault.includes('timeout')
      // A call would wait for room no longer than for its answer.
      const whenFull = isLate ? ('refuse' as const) : undefined
      const budget = createBudget({ cost: 10, strict, minTokens: 100, whenFull })
      const model = modelAt(openai, [port], { budget, maxRetries: 1, timeout: isLate ? 0.25 : 20 })
      const codes = await Promise.all(
        Array.from({ length: 40 }, async () => await model.create({ messages }).then(() => '', codeOf)),
      )
      const { spent } = budget
      const bill = await server.close(port, spent.calls)
      expect(codes).toContain('budget-exceeded')
      expect(codes).not.toContain('')
      expect(bill.requests).toBe(spent.calls)
      // Without `strict`, the input of each request may be larger than its estimate.
      expect(bill.tokens / 1000).toBeLessThanOrEqual(strict ? 10 : 10 + bill.requests * 0.25)
      expect(spent.cost).toBeLessThanOrEqual(10)
    }
  },
)

test.each(['a reset before the head', 'a close before the head'])(
  'a strict budget of two calls sends one request behind a healthy one: %s on a kept connection',
  async (fault) => {
    for (let round = 0; round < 10; round++) {
      const port = await server.open({ wire: openai.name, fault, healthyCount: 1 })
      const budget = createBudget({ calls: 2, strict: true })
      const model = modelAt(openai, [port], { budget, maxRetries: 2 })
      await model.create({ messages })
      await expect(model.create({ messages })).rejects.toMatchObject({ kind: 'connection' })
      expect(budget.spent.calls).toBe(2)
      expect((await server.close(port, 2)).requests).toBe(2)
    }
  },
)

test('by default, a call that timed out is paid once, and told in the ledger and the summary', async () => {
  const port = await server.open({ wire: openai.name, fault: 'silence before the first byte', healthyCount: 0 })
  const model = modelAt(openai, [port], { timeout: 0.25 })
  await expect(model.create({ messages })).rejects.toMatchObject({ code: 'timeout' })
  expect((await server.close(port, 1)).requests).toBe(1)
  expect(model.ledger).toMatchObject([{ estimated: true }])
  expect(model.actualUsageSummary?.totalCost).toBeGreaterThan(1)
})

test('`retryTimeouts` pays for each request, and tells each', async () => {
  const port = await server.open({ wire: openai.name, fault: 'silence before the first byte', healthyCount: 0 })
  const budget = createBudget({ calls: 9 })
  const model = modelAt(openai, [port], { timeout: 0.25, maxRetries: 2, retryTimeouts: true, budget })
  await expect(model.create({ messages })).rejects.toMatchObject({ code: 'timeout' })
  expect((await server.close(port, 3)).requests).toBe(3)
  expect([budget.spent.calls, model.ledger.length]).toEqual([3, 3])
})

const BROKEN_CACHES: readonly (readonly [string, CacheStore['set']])[] = [
  [
    'fails',
    () => {
      throw new Error('the disk is full')
    },
  ],
  ['is rejected', async () => await Promise.reject(new Error('the disk is full'))],
  ['hangs', async () => await new Promise(() => {})],
]

test.each(BROKEN_CACHES)('an answer whose write to the cache %s is paid once', async (_, set) => {
  const port = await server.open({ wire: openai.name, fault: 'healthy', healthyCount: 0 })
  const budget = createBudget({ cost: 5, strict: true })
  const cache: CacheStore = { name: 'broken', get: () => undefined, set }
  const model = modelAt(openai, [port], { budget, cache })
  await model.create({ messages })
  await model.createStream({ messages }).result
  const bill = await server.close(port, 2)
  expect(bill.requests).toBe(2)
  expect(budget.spent).toMatchObject({ calls: 2, tokens: bill.tokens })
})

test('a client that reports nothing has sent its request, and may send one', async () => {
  const reports: (boolean | undefined)[] = []
  const provider: Provider = {
    ...{ apiTypes: ['own'], specVersion: 1 },
    createClient: ({ model }) => ({
      create: (_, { onSend }) => {
        if (model === 'reports') reports.push(onSend?.(), onSend?.())
        throw new Error('the answer makes no sense')
      },
      messageRetrieval: () => [],
      getUsage: () => ({ model: 'm', promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 }),
      cost: () => null,
    }),
  }
  for (const model of ['silent', 'reports']) {
    const budget = createBudget({ cost: 10, strict: true })
    const wrapper = new ModelWrapper({
      providers: [provider],
      configList: [{ apiType: 'own', model, price: [1, 1], max_tokens: 1000 }],
      ...{ cacheSeed: null, budget, io: { send: () => {}, input: () => '' } },
    })
    await expect(wrapper.create({ messages })).rejects.toThrow('makes no sense')
    expect(budget.spent.calls).toBe(1)
    expect(budget.spent.cost).toBeGreaterThan(1)
  }
  expect(reports).toEqual([true, false])
})

test.each([
  ['connection', 'paid'],
  ['truncated', 'paid'],
  ['timeout', 'paid'],
  ['server', 'paid'],
  ['aborted', 'paid'],
  ['auth', 'free'],
  ['rate-limit', 'free'],
  ['not-found', 'free'],
] as const)('a failure of kind %s of a client that reports nothing is %s', async (kind, bill) => {
  const scripted = scriptedProvider([{ error: kind }])
  const provider: Provider = {
    ...{ apiTypes: ['own'], specVersion: 1 },
    createClient: (config) => {
      const client = scripted.createClient(config)
      return {
        create: async (params) => await client.create(params, {}),
        messageRetrieval: (answer) => client.messageRetrieval(answer),
        getUsage: (answer) => client.getUsage(answer),
        cost: () => null,
      }
    },
  }
  const budget = createBudget({ cost: 10, strict: true })
  const model = new ModelWrapper({
    providers: [provider],
    configList: [{ apiType: 'own', model: 'm', price: [1, 1], max_tokens: 1000, maxRetries: 0 }],
    ...{ cacheSeed: null, budget, io: { send: () => {}, input: () => '' } },
  })
  await expect(model.create({ messages })).rejects.toMatchObject({ kind })
  expect(budget.spent.calls).toBe(1)
  expect(budget.spent.cost > 1 ? 'paid' : 'free').toBe(bill)
})

test('counts that arrived in a stream before it broke off are counted', async () => {
  const provider: Provider = {
    ...{ apiTypes: ['own'], specVersion: 1 },
    createClient: () => ({
      create: async () => await Promise.reject(new Error('is asked for streams')),
      async *stream(_, { onUsage }) {
        onUsage?.({ prompt_tokens: 5000, completion_tokens: 7, total_tokens: 5007 })
        yield { type: 'textDelta', index: 0, text: 'word' }
        throw new Error('the stream makes no sense')
      },
      messageRetrieval: () => [],
      getUsage: ({ model, usage }) => ({
        ...{ model, cost: 0, totalTokens: usage?.total_tokens ?? 0 },
        ...{ promptTokens: usage?.prompt_tokens ?? 0, completionTokens: usage?.completion_tokens ?? 0 },
      }),
      cost: () => null,
    }),
  }
  const budget = createBudget({ cost: 10 })
  const model = new ModelWrapper({
    providers: [provider],
    configList: [{ apiType: 'own', model: 'm', price: [1, 1], max_tokens: 100 }],
    ...{ cacheSeed: null, budget, io: { send: () => {}, input: () => '' } },
  })
  await expect(model.createStream({ messages }).result).rejects.toThrow('makes no sense')
  expect(budget.spent.tokens).toBeGreaterThanOrEqual(5007)
  expect(model.actualUsageSummary?.totalCost).toBeCloseTo(budget.spent.cost, 9)
})
