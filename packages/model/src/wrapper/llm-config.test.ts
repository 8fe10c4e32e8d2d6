import type { CacheStore, ConfigEntry, ModelRef, Provider } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { llmConfig } from './llm-config.ts'
import { ModelWrapper } from './model-wrapper.ts'
import { answerOf, failureOf, fakeProvider, hello, recordingIo } from '../fakes/provider.fake.ts'

const KEY = 'sk-canary-0123456789abcdef'
const list = [
  { model: 'a', apiType: 'fake', tags: ['fast', 'cheap'], apiKey: KEY },
  { model: 'b', apiType: 'fake', tags: ['good'] },
]

function made() {
  const fake = fakeProvider(['x'], { cost: 1 })
  return { ...fake, llm: llmConfig({ providers: [fake.provider], configList: list, cacheSeed: null }) }
}

describe('where', () => {
  test.each([
    [{ model: 'a' }, ['a']],
    [{ model: ['a', 'b', 'c'] }, ['a', 'b']],
    [{ tags: 'cheap' }, ['a']],
    [{ tags: ['good', 'fast'] }, ['a', 'b']],
    [{ model: 'b', tags: ['good'] }, ['b']],
  ])('%j', (filter, models) => {
    expect(
      made()
        .llm.where(filter)
        .config.configList!.map(({ model }) => model),
    ).toEqual(models)
  })

  test('an empty result names the filter and what there is', () => {
    const call = () => made().llm.where({ tags: ['none'] })
    expect(call).toThrow(expect.toSatisfy((error) => isXError(error, 'invalid-config')))
    expect(call).toThrow('{"tags":["none"]}: there are `a` [fast, cheap], `b` [good]')
  })
})

test('changes make another value; undefined removes a key', () => {
  const { llm } = made()
  const warm = llm.with({ temperature: 1, tools: [] })
  expect([llm.config.temperature, warm.config.temperature]).toEqual([undefined, 1])
  expect(warm.with({ temperature: undefined }).config.temperature).toBeUndefined()
  expect(() => llm.with({ temperatur: 1 })).toThrow('did you mean `temperature`')
  expect(() => Object.assign(llm.config, { model: 'x' })).toThrow(TypeError)
})

test('a key is never shown, and is there for the client', async () => {
  const { llm, made: clients } = made()
  const shown = [
    inspect(llm, { depth: 9, showHidden: true }),
    JSON.stringify(llm),
    inspect(llm.config, { depth: 9 }),
    JSON.stringify(llm.config),
  ]
  expect(shown.join('')).not.toContain(KEY)
  expect(llm.config.configList![0]!.apiKey).toBe(KEY)
  await llm.createModel().create({ messages: hello })
  expect(clients[0]).toMatchObject({ apiKey: KEY })
})

test('snake_case is read too', async () => {
  const { provider, made: clients } = fakeProvider(['x'])
  const llm = llmConfig({
    providers: [provider],
    cache_seed: null,
    config_list: [{ model: 'a', api_type: 'fake', base_url: 'http://x', max_tokens: 3 }],
  })
  await llm.createModel({ io: recordingIo().io }).create({ messages: hello })
  expect(clients[0]).toEqual({ model: 'a', apiType: 'fake', baseUrl: 'http://x' })
})

test.each([
  [{ model: 'a', base_url: 'x', baseUrl: 'y' }, 'both'],
  [{ model: 'a', apiKye: 'k' }, '`apiKey`'],
  [{ model: 'a', 'api-key': 'k' }, '`apiKey`'],
  [{ model: 'a', topP: 1 }, '`top_p`'],
  [{ model: 'a', someThing: 1 }, "the wire's names"],
  [JSON.parse('{"model": "a", "__proto__": {}}') as object, '__proto__'],
])('%j is refused', (entry, text) => {
  const { provider } = fakeProvider(['x'])
  expect(() => llmConfig({ providers: [provider], apiType: 'fake', configList: [entry as ConfigEntry] })).toThrow(text)
})

test('wire names of other makers pass', () => {
  const { provider } = fakeProvider(['x'])
  const entry = { model: 'a', apiType: 'fake', top_k: 4, min_p: 0.1, top_a: 1, enable_thinking: true, seed: 1, n: 2 }
  expect(llmConfig({ providers: [provider], configList: [entry] }).config.configList![0]).toEqual(entry)
})

test('an io, a logger and a clock of the description are those of its models', async () => {
  const { provider } = fakeProvider(['x'], { cost: null })
  const recording = recordingIo()
  const log: unknown[] = []
  const logger = { log: (record: unknown) => void log.push(record) }
  const llm = llmConfig({
    providers: [provider],
    io: recording.io,
    logger,
    runtime: { now: () => 9 },
    cacheSeed: null,
    model: 'a',
    apiType: 'fake',
  })
  await llm.with({ temperature: 1 }).createModel().create({ messages: hello })
  expect(recording.warnings()).toEqual(['unpriced'])
  expect(log.at(-1)).toMatchObject({ record: 'chatCompletion', startTime: 9 })
})

describe('a model of a provider', () => {
  const refTo = (provider: Provider, model: string, more: ConfigEntry = {}): ModelRef => ({
    ...{ apiType: provider.apiTypes[0], ...more },
    ...{ provider, model, environment: ['FAKE_API_KEY'] },
  })
  const ask = async (llm: ReturnType<typeof llmConfig>) =>
    await llm.with({ cacheSeed: null }).createModel({ io: recordingIo().io }).create({ messages: hello })

  test('is a config by itself, and its provider stands nowhere else', async () => {
    const { provider, made: clients, calls } = fakeProvider(['hi'])
    const llm = llmConfig(refTo(provider, 'a', { apiKey: KEY, baseUrl: 'http://x', temperature: 0 }))
    expect(await ask(llm)).toMatchObject({ model: 'a', choices: [{ message: { content: 'hi' } }] })
    expect(clients).toEqual([{ model: 'a', apiType: 'fake', apiKey: KEY, baseUrl: 'http://x' }])
    expect(calls).toMatchObject([{ model: 'a', temperature: 0 }])
    expect(calls[0]).not.toHaveProperty('environment')
    expect(calls[0]).not.toHaveProperty('provider')
    expect(llm.config.model).toBe('a')
    expect(inspect(llm, { depth: 9 }) + JSON.stringify(llm)).not.toContain(KEY)
  })

  test('has no cache, unless it names one', async () => {
    const { provider, calls } = fakeProvider(['hi'])
    const seeds: (number | undefined)[] = []
    const answers = new Map<string, never>()
    const defaultCache = (seed: number): CacheStore => {
      seeds.push(seed)
      return {
        name: String(seed),
        get: (key) => answers.get(key),
        set: (key, value) => void answers.set(key, value as never),
      }
    }
    const asked = async (...models: Parameters<typeof llmConfig>): Promise<void> => {
      const model = llmConfig(...models).createModel({ io: recordingIo().io })
      for (let times = 0; times < 2; times++) await model.create({ messages: hello })
    }
    const ref = refTo(provider, 'a')
    await asked(ref)
    await asked([ref, ref])
    expect([calls.length, seeds]).toEqual([4, []])
    expect(llmConfig(refTo(provider, 'a', { cacheSeed: 7 })).config.cacheSeed).toBe(7)
    expect(llmConfig(refTo(provider, 'a', { cache_seed: 7 })).config.cacheSeed).toBe(7)
    await asked({ configList: [ref], defaultCache })
    expect([calls.length, seeds]).toEqual([5, [41]])
  })

  test('takes no tool with a function, which nobody would call', () => {
    const tools = [{ name: 'find', description: 'd', parameters: {}, execute: () => 1 }]
    const ref = refTo(fakeProvider([]).provider, 'a', { tools: tools as never })
    expect(() => llmConfig(ref)).toThrow('`tools[0]` of the config has an `execute`, which nobody would call')
    expect(() => llmConfig([ref])).toThrow('`tools[0]` of entry 0 of `configList`')
  })

  test('in a list is one of several, each asked of its own provider', async () => {
    const first = fakeProvider([failureOf('server')], { apiType: 'same' })
    const second = fakeProvider(['second'], { apiType: 'same' })
    const refs = [refTo(first.provider, 'a'), refTo(second.provider, 'b')] as const
    for (const llm of [llmConfig(refs), llmConfig({ configList: refs })]) {
      expect(await ask(llm)).toMatchObject({ model: 'b', configId: 1 })
      expect(await ask(llm.where({ model: 'b' }))).toMatchObject({ model: 'b', configId: 0 })
    }
    expect([first.calls.length, second.calls.length]).toEqual([2, 4])
  })

  test('stands beside plain entries, and common options hold for both', async () => {
    const plain = fakeProvider([failureOf('server')])
    const named = fakeProvider(['named'], { apiType: 'own' })
    const own = { ...named.provider, clientKeys: ['depth'] }
    const configList = [{ model: 'a', apiType: 'fake' }, refTo(own, 'b', { depth: 3 })]
    const llm = llmConfig({ providers: [plain.provider], configList, temperature: 1, apiType: 'fake' })
    expect(await ask(llm)).toMatchObject({ model: 'b' })
    expect(plain.calls).toMatchObject([{ model: 'a', temperature: 1 }])
    expect(named.calls).toMatchObject([{ model: 'b', temperature: 1 }])
    expect(named.made).toEqual([{ model: 'b', apiType: 'own', depth: 3 }])
    expect(new ModelWrapper({ providers: [plain.provider], configList }).modelNames).toEqual(['a', 'b'])
  })

  test('is changed as any other config is', async () => {
    const { provider, calls } = fakeProvider(['x'])
    const llm = llmConfig(refTo(provider, 'a')).with({ model: 'b', temperature: 1 })
    await ask(llm.with({ tools: [] }))
    expect(calls).toMatchObject([{ model: 'b', temperature: 1 }])
    expect(() => llmConfig(refTo(provider, 'a', { temperatur: 1 }))).toThrow('did you mean `temperature`')
  })
})

describe('models of one config', () => {
  test('share their clients, also with other tools', async () => {
    const { llm, made: clients } = made()
    await llm.createModel().create({ messages: hello })
    await llm.with({ tools: [] }).createModel().create({ messages: hello })
    expect(clients).toHaveLength(1)
  })

  test('a replaced model keeps ledger, warnings said and registered clients', async () => {
    class Own {
      create = () => answerOf('own', 'mine')
      messageRetrieval = (): string[] => []
      getUsage = () => ({ model: 'own', promptTokens: 1, completionTokens: 1, totalTokens: 2, cost: 0 })
      cost = (): null => null
    }
    const recording = recordingIo()
    const llm = llmConfig({ cacheSeed: null, configList: [{ model: 'm', modelClientCls: 'Own', baseUrl: 'http://a' }] })
    const first = llm.createModel({ io: recording.io })
    first.registerModelClient(Own)
    await first.create({ messages: hello })
    const second = llm.with({ tools: [] }).createModel({ replaces: first })
    await second.create({ messages: hello })
    expect(second.totalUsageSummary!.models['own']!.totalTokens).toBe(4)
    expect(recording.warnings()).toEqual(['unpriced'])
    const moved = llm
      .with({ configList: [{ model: 'm', modelClientCls: 'Own', baseUrl: 'http://b' }] })
      .createModel({ replaces: second })
    await expect(moved.create({ messages: hello })).rejects.toMatchObject({ code: 'client-not-registered' })
  })
})
