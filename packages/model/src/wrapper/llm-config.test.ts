import type { ConfigEntry } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { llmConfig } from './llm-config.ts'
import { answerOf, fakeProvider, hello, recordingIo } from '../fakes/provider.fake.ts'

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
