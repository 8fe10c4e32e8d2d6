import type { ConfigEntry, EmbedAnswer, EmbedParams, EmbedRequest, Limiter, ModelClient, Provider } from '@x/interfaces'
import { currentRun, isXError, runAsync, wait, type Steps } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { failureOf, fakeProvider, hello, recordingIo } from '../fakes/provider.fake.ts'
import { createBudget } from '../usage/budget.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'

/** The vector of a text in these tests: its length, and numbers that no float32 is equal to. */
const vectorOf = (text: string): number[] => [text.length, 0.1, -1 / 3]

const roundedVectorOf = (text: string): number[] => vectorOf(text).map(Math.fround)

/** A provider whose models embed, ten tokens for each text, at a dollar for a token. */
function embedding(
  apiType: string,
  embed: ModelClient['embed'] = ({ model = '', input }) => ({
    model,
    embeddings: input.map(vectorOf),
    usage: { prompt_tokens: input.length * 10, completion_tokens: 0, total_tokens: input.length * 10 },
  }),
  embedLimits?: ModelClient['embedLimits'],
) {
  const sent: EmbedParams[] = []
  const { provider: chat } = fakeProvider(['an answer'], { apiType })
  const cost: ModelClient['cost'] = ({ usage }) => usage!.prompt_tokens
  const noting: ModelClient['embed'] = (params, options) => {
    sent.push(params)
    return embed(params, options)
  }
  const createClient = (config: ConfigEntry): ModelClient => ({
    ...chat.createClient(config),
    cost,
    embed: noting,
    embedLimits,
  })
  const provider: Provider = { ...chat, name: `provider-${apiType}`, createClient }
  return { provider, sent, texts: () => sent.map(({ input }) => input) }
}

function wrapper(providers: readonly Provider[], options: ConfigEntry = {}, models: readonly string[] = ['v']) {
  const io = recordingIo()
  const model = new ModelWrapper({
    providers,
    configList: providers.map(({ apiTypes }, index) => ({ apiType: apiTypes[0]!, model: models[index] ?? models[0]! })),
    cacheSeed: null,
    io: io.io,
    runtime: { now: () => 1000, random: () => 0 },
    ...options,
  })
  return { model, warnings: () => io.warnings() }
}

describe('vectors', () => {
  test('of one text and of several come in their order, in every form of the call', async () => {
    const { provider } = embedding('a')
    const { model } = wrapper([provider])
    const response = {
      embeddings: ['to', 'three'].map(roundedVectorOf),
      model: 'v',
      provider: 'provider-a',
      configId: 0,
      usage: { promptTokens: 20, totalTokens: 20 },
      cost: 20,
      cachedCount: 0,
      attempts: [],
    }
    const request: EmbedRequest = { input: ['to', 'three'] }
    expect(await model.embed(request)).toEqual(response)
    expect(model.embedSync(request)).toEqual(response)
    expect(await model.embedStream(request).result).toEqual(response)
    expect((await model.embed({ input: 'to' })).embeddings).toEqual([roundedVectorOf('to')])
  })

  test('of more texts than a provider takes come by several requests, and of an equal text once', async () => {
    const { provider, texts } = embedding('a', undefined, { texts: 2 })
    const { model } = wrapper([provider])
    const { embeddings, usage } = await model.embed({ input: ['a', 'bb', 'a', 'ccc', 'dddd', 'eeeee'] })
    expect(texts()).toEqual([['a', 'bb'], ['ccc', 'dddd'], ['eeeee']])
    expect(embeddings.map(([length]) => length)).toEqual([1, 2, 1, 3, 4, 5])
    expect(usage.promptTokens).toBe(50)
    expect(model.ledger).toHaveLength(3)
    const byTokens = embedding('a', undefined, { tokens: 30 })
    await wrapper([byTokens.provider]).model.embed({
      input: ['x'.repeat(50), 'y'.repeat(50), 'z'.repeat(50), 'x'.repeat(999)],
    })
    expect(byTokens.texts().map((batch) => batch.length)).toEqual([2, 1, 1])
  })

  test('are asked for by the parameters of the request, and none for answers', async () => {
    const { provider, sent } = embedding('a', ({ model = '', input }) => ({
      model,
      embeddings: input.map(() => [1, 2]),
    }))
    const { model } = wrapper([provider], { temperature: 0.5, max_tokens: 9, user: 'u', extra_headers: { 'x-a': 'b' } })
    await model.embed({ input: 'a', dimensions: 2, encoding: 'x', agent: 'me', tags: ['t'] })
    const own = { model: 'v', input: ['a'], dimensions: 2, encoding: 'x' }
    expect(sent).toEqual([{ ...own, user: 'u', extra_headers: { 'x-a': 'b' } }])
    expect(model.ledger[0]).toMatchObject({ operation: 'embed', agent: 'me', tags: ['t'], estimated: true })
  })

  test.each<[object, string]>([
    [{}, '`input`'],
    [{ input: [] }, '`input`'],
    [{ input: ['a', ''] }, 'text 1 of `input` is empty'],
    [{ input: ['a', 1] }, 'text 1 of `input` is not a text'],
    [{ input: 'a', dimensions: 0 }, '`dimensions`'],
    [{ input: 'a', messages: hello }, '`messages`'],
    [{ input: 'a', apiKey: 'k' }, '`apiKey`'],
  ])('of a request that is wrong (%j) are refused before anything is sent', async (request, text) => {
    const { provider, sent } = embedding('a')
    await expect(wrapper([provider]).model.embed(request as never)).rejects.toThrow(text)
    expect(sent).toEqual([])
  })

  test('of a list with a config that has no embeddings are refused by its name before anything is sent', async () => {
    const { provider, sent } = embedding('a')
    const { provider: chat } = fakeProvider(['x'], { apiType: 'chat' })
    const { model } = wrapper([provider, { ...chat, name: '@x/chat' }], {}, ['v', 'talks'])
    const error: unknown = await model.embed({ input: 'a' }).catch((thrown: unknown) => thrown)
    expect(isXError(error, 'invalid-config') && error.message).toContain('config 1 (`talks`) is of `@x/chat`')
    expect(sent).toEqual([])
  })

  test.each<[string, EmbedAnswer['embeddings'], number | undefined]>([
    ['2 vectors for 1 texts', [[1], [2]], undefined],
    ['several lengths', [[1, Number.NaN]], undefined],
    ['several lengths', [[]], undefined],
    ['does not take `dimensions`', [[1, 2, 3]], 2],
  ])('that are not those of the texts are a failure, and were paid for: %s', async (text, embeddings, dimensions) => {
    const usage = { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 }
    const { provider } = embedding('a', () => ({ model: 'v', embeddings, usage }))
    const { model } = wrapper([provider], { maxRetries: 0 })
    await expect(model.embed({ input: 'a', dimensions })).rejects.toThrow(text)
    expect(model.actualUsageSummary).toMatchObject({ totalCost: 7 })
  })
})

describe('the cache', () => {
  const cached = () => {
    const fake = embedding('a')
    return { ...fake, ...wrapper([fake.provider], { cache: createMemoryCache() }) }
  }

  test('holds each text by itself, and only the others are sent', async () => {
    const { model, texts } = cached()
    await model.embed({ input: ['a', 'bb'] })
    const { embeddings, cachedCount, cost } = await model.embed({ input: ['ccc', 'bb', 'a', 'bb'] })
    expect(texts()).toEqual([['a', 'bb'], ['ccc']])
    expect(embeddings).toEqual(['ccc', 'bb', 'a', 'bb'].map(roundedVectorOf))
    expect([cachedCount, cost]).toEqual([3, 10])
    expect(await model.embed({ input: 'a' })).toMatchObject({ model: 'v', cost: 0, usage: { totalTokens: 0 } })
    expect(model.ledger.map(({ cached: hit, usage }) => [hit, usage.totalTokens])).toEqual([
      [false, 20],
      [false, 10],
      [true, 20],
      [true, 10],
    ])
    expect([model.actualUsageSummary!.totalCost, model.totalUsageSummary!.totalCost]).toEqual([30, 60])
  })

  test('tells models, lengths and samples apart, and may be passed by or renewed', async () => {
    const { model, texts } = cached()
    await model.embed({ input: 'a' })
    await model.embed({ input: 'a', dimensions: 3 })
    await model.embed({ input: 'a', sample: 1 })
    await model.embed({ input: 'a', cacheMode: 'bypass' })
    await model.embed({ input: 'a', cacheMode: 'refresh' })
    expect(texts()).toHaveLength(5)
    expect(model.embedSync({ input: 'a' }).cachedCount).toBe(1)
  })

  test('keeps plain data, of which a damaged one is a miss', async () => {
    const texts = new Map<string, string>()
    const cache = {
      name: 'of texts',
      get: async (key: string) => (texts.has(key) ? JSON.parse(texts.get(key)!) : undefined) as never,
      set: async (key: string, value: unknown) => void texts.set(key, JSON.stringify(value)),
    }
    const { provider, sent } = embedding('a')
    const { model } = wrapper([provider], { cache })
    await model.embed({ input: 'a' })
    expect(await model.embed({ input: 'a' })).toMatchObject({ embeddings: [roundedVectorOf('a')], cachedCount: 1 })
    for (const [key, text] of texts) texts.set(key, text.replace(/"embedding":"[^"]*"/u, '"embedding":"%"'))
    expect((await model.embed({ input: 'a' })).cachedCount).toBe(0)
    expect(sent).toHaveLength(2)
  })

  test('never gives the vectors of two models together', async () => {
    let name = 'v-1'
    const fake = embedding('a', ({ input }) => ({ model: name, embeddings: input.map(vectorOf) }))
    const { model } = wrapper([fake.provider], { cache: createMemoryCache() })
    await model.embed({ input: 'a' })
    name = 'v-2'
    await model.embed({ input: 'bb' })
    expect(await model.embed({ input: ['a', 'bb'] })).toMatchObject({ model: 'v-2', cachedCount: 0 })
    await model.embed({ input: ['a', 'bb'] })
    name = 'v-3'
    expect(await model.embed({ input: ['a', 'bb', 'ccc'] })).toMatchObject({ model: 'v-3', cachedCount: 0 })
  })
})

describe('failover', () => {
  test('is that of answers: the next config, or another request of the last', async () => {
    const limited = embedding('limited', () => {
      throw failureOf('rate-limit')
    })
    const { provider } = embedding('a')
    const { model, warnings } = wrapper([limited.provider, provider])
    expect(await model.embed({ input: 'a' })).toMatchObject({
      configId: 1,
      attempts: [{ configId: 0, kind: 'rate-limit' }],
    })
    expect(warnings()).toEqual([])
    let requests = 0
    const flaky = embedding('flaky', ({ input }, { onSend }) => {
      onSend?.()
      if (++requests < 3) throw failureOf('connection')
      return { model: 'v', embeddings: input.map(vectorOf) }
    })
    const clock = { random: () => 0, sleep: async () => {} }
    const slow: Provider = {
      ...flaky.provider,
      createClient: (config) => ({ ...flaky.provider.createClient(config), clock }),
    }
    expect((await wrapper([slow]).model.embed({ input: 'a' })).embeddings).toEqual([roundedVectorOf('a')])
    expect(requests).toBe(3)
  })

  test('to another model is told, since its vectors cannot be compared with those before', async () => {
    const broken = embedding('broken', () => {
      throw failureOf('server')
    })
    const { model, warnings } = wrapper([broken.provider, embedding('a').provider], {}, ['v', 'w'])
    expect(await model.embed({ input: 'a' })).toMatchObject({ model: 'w', configId: 1 })
    expect(warnings()).toEqual(['embedding'])
  })

  test('without a config that answers is one error with every attempt', async () => {
    const broken = (name: string): Provider =>
      embedding(name, () => {
        throw failureOf('auth')
      }).provider
    const failed = wrapper([broken('a'), broken('b')]).model.embed({ input: 'a' })
    await expect(failed).rejects.toMatchObject({ kind: 'auth', attempts: [{ configId: 0 }, { configId: 1 }] })
  })
})

describe('limits', () => {
  test('a budget admits each request, and refuses one that does not fit before it is sent', async () => {
    const { provider, sent } = embedding('a', undefined, { texts: 1 })
    const budget = createBudget({ calls: 2, cost: 100 })
    const { model } = wrapper([provider], { budget })
    const failed = model.embed({ input: ['a', 'bb', 'ccc'] })
    await expect(failed).rejects.toSatisfy((error) => isXError(error, 'budget-exceeded'))
    expect(budget.spent).toEqual({ cost: 20, tokens: 20, calls: 2 })
    expect(sent).toHaveLength(2)
    const small = createBudget({ cost: 5 })
    await expect(wrapper([provider], { budget: small }).model.embed({ input: 'x'.repeat(40) })).rejects.toThrow(
      'budget',
    )
    expect([sent.length, small.spent]).toEqual([2, { cost: 0, tokens: 0, calls: 0 }])
  })

  test('a strict budget counts no output', async () => {
    const budget = createBudget({ tokens: 30, strict: true })
    await wrapper([embedding('a').provider], { budget }).model.embed({ input: 'a' })
    expect(budget.spent).toEqual({ cost: 10, tokens: 10, calls: 1 })
  })

  test('a limiter is asked for the tokens of the texts', async () => {
    const asked: unknown[] = []
    const limiter: Limiter = {
      acquire: ({ model, tokens }) => {
        asked.push([model, tokens])
        return { end: (used) => void asked.push(used) }
      },
    }
    await wrapper([embedding('a').provider], { limiter }).model.embed({ input: 'x'.repeat(37) })
    expect(asked).toEqual([['v', 11], { tokens: 10, requests: 1 }])
  })

  test('the length of vectors tells nothing of the length of answers', async () => {
    const { model } = wrapper([embedding('a').provider])
    await model.create({ messages: hello })
    await model.embed({ input: 'a' })
    expect(model.ledger.map(({ operation }) => operation)).toEqual([undefined, 'embed'])
    expect(model.actualUsageSummary!.models['v']).toMatchObject({ promptTokens: 20, completionTokens: 5 })
  })
})

test('a call in a run is part of it, and stops with it', async () => {
  const { model } = wrapper([embedding('a').provider])
  function* outer(): Steps<unknown> {
    return yield* wait(model.embed({ input: 'a' }, { run: yield* currentRun() }), 'vectors')
  }
  expect(await runAsync(outer())).toMatchObject({ model: 'v' })
  const signal = AbortSignal.abort()
  await expect(model.embed({ input: 'a' }, { signal })).rejects.toMatchObject({ code: 'aborted' })
})

test.each([1e300, -1e39, '1', null])('a vector with %o has no numbers of a vector', async (number) => {
  const vectors = [[number, 1]] as unknown as number[][]
  const { provider } = embedding('a', () => ({ model: 'v', embeddings: vectors }))
  await expect(wrapper([provider]).model.embed({ input: 'a' })).rejects.toThrow('without numbers')
})

test('a config whose answers come in batches pays the whole price of vectors, which do not', async () => {
  const { provider } = embedding('a')
  const none = async (): Promise<never> => await Promise.reject(new Error('nothing is handed in'))
  const batches = { maxRequests: 1, priceFactor: 0.5, submit: none, find: none, hasEnded: none, results: none }
  const cheap: Provider = {
    ...provider,
    createClient: (config) => ({ ...provider.createClient(config), batches: { ...batches, cancel: none } }),
  }
  const { model } = wrapper([cheap], { batch: true })
  expect(await model.embed({ input: ['a', 'b'] })).toMatchObject({ cost: 20 })
})

test('a model without a price says so once', async () => {
  const { provider } = embedding('a')
  const free: Provider = {
    ...provider,
    createClient: (config) => ({ ...provider.createClient(config), cost: () => null }),
  }
  const { model, warnings } = wrapper([free])
  expect(await model.embed({ input: ['a', 'b'] })).toMatchObject({ cost: 0, unpriced: true })
  await model.embed({ input: 'c' })
  expect(warnings()).toEqual(['unpriced'])
})
