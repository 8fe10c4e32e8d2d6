import type { ConfigEntry, LogRecord, ModelClient, ModelResponse } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { ModelWrapper, type ModelWrapperOptions } from './model-wrapper.ts'
import { answerOf, failureOf, fakeProvider, hello, recordingIo, type FakeReply } from '../fakes/provider.fake.ts'

const KEY = 'sk-canary-0123456789abcdef'

function wrapped(replies: FakeReply[], options: ModelWrapperOptions = {}, cost: number | null = 0) {
  const fake = fakeProvider(replies, { cost })
  const recording = recordingIo()
  const model = new ModelWrapper({
    providers: [fake.provider],
    configList: [{ model: 'm', apiType: 'fake' }],
    cacheSeed: null,
    io: recording.io,
    ...options,
  })
  return { model, ...fake, ...recording }
}

const thrown = (call: () => unknown): XError => {
  try {
    call()
  } catch (error) {
    if (isXError(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

class CustomClient implements ModelClient {
  readonly config: ConfigEntry
  readonly options: Record<string, unknown> | undefined
  constructor(config: ConfigEntry, options?: Record<string, unknown>) {
    this.config = config
    this.options = options
  }
  create = (): ReturnType<ModelClient['create']> => answerOf('custom', JSON.stringify(this.config['flavour'] ?? null))
  messageRetrieval = (): string[] => []
  getUsage = () => ({ model: 'custom', promptTokens: 1, completionTokens: 1, totalTokens: 2, cost: 0 })
  cost = (): number => 0
}

describe('construction', () => {
  test('an entry wins over the base; a base alone is one config', async () => {
    const { model, calls } = wrapped(['x'], {
      configList: [
        { model: 'm', apiType: 'fake', temperature: 0.1 },
        { apiType: 'fake', model: 'n' },
      ],
      temperature: 0.9,
      max_tokens: 5,
      filterFunc: ({ response }) => response.model === 'n',
    })
    await model.create({ messages: hello })
    expect(calls.map(({ temperature, max_tokens: max }) => [temperature, max])).toEqual([
      [0.1, 5],
      [0.9, 5],
    ])
    const alone = wrapped(['x'], { configList: undefined, model: 'base', apiType: 'fake' })
    expect(await alone.model.create({ messages: hello })).toMatchObject({ configId: 0, model: 'base' })
  })

  test('wrapper ids are unique; keys that make a client are known', () => {
    const { model } = wrapped(['x'])
    expect(model.wrapperId).not.toBe(wrapped(['x']).model.wrapperId)
    expect([...model.clientKwargs]).toEqual(expect.arrayContaining(['apiKey', 'baseUrl', 'timeout']))
    expect([...ModelWrapper.extraKwargs]).toEqual(
      expect.arrayContaining([
        'agent',
        'cache',
        'cacheSeed',
        'filterFunc',
        'allowFormatStrTemplate',
        'context',
        'apiVersion',
        'apiType',
        'tags',
        'price',
      ]),
    )
  })

  test.each<[string, ModelWrapperOptions]>([
    ['no entry and no model', { configList: [] }],
    ['an entry without a model', { configList: [{ model: 'm', apiType: 'fake' }, { apiType: 'fake' }] }],
    ['an empty model', { configList: [{ model: '', apiType: 'fake' }] }],
    ['an Azure entry without a model', { configList: [{ apiType: 'azure', baseUrl: 'https://x' }] }],
    ['an unknown key', { configList: [{ model: 'm', apiType: 'fake', apiKye: 'k' }] }],
    ['a price that is not a number', { configList: [{ model: 'm', apiType: 'fake', price: [Number.NaN, 1] }] }],
    ['an object in place of the list', { configList: { model: 'm' } as never }],
  ])('%s is refused', (_, options) => {
    const azure = fakeProvider(['x'], { apiType: 'azure' }).provider
    const { provider } = fakeProvider(['x'])
    const error = thrown(() => new ModelWrapper({ providers: [provider, azure], apiType: 'fake', ...options }))
    expect(error.code).toBe('invalid-config')
  })

  test('a compatible endpoint may be asked for a model that comes with the call, and must be', async () => {
    const entry = { apiType: 'fake', baseUrl: 'http://localhost' }
    const { model } = wrapped(['x'], { configList: [entry] })
    expect(await model.create({ messages: hello, model: 'later' })).toMatchObject({ model: 'later' })
    await expect(model.create({ messages: hello })).rejects.toMatchObject({ code: 'invalid-config' })
  })

  test('an apiType that nobody provides names the package to install', () => {
    const error = thrown(() => wrapped(['x'], { configList: [{ model: 'm', apiType: 'anthropic', apiKey: KEY }] }))
    expect(error).toMatchObject({ code: 'unknown-provider', details: { apiType: 'anthropic', known: ['fake'] } })
    expect(error.message).toContain('install `@x/provider-anthropic`')
    expect(inspect(error)).not.toContain(KEY)
  })

  test('clients are made when they are first asked, once for equal keys', async () => {
    const entry = { model: 'm', apiType: 'fake', apiKey: KEY }
    const { model, made } = wrapped([failureOf('server'), failureOf('server'), 'x'], {
      configList: [entry, { ...entry, temperature: 1 }, { ...entry, baseUrl: 'http://other' }],
    })
    expect(made).toHaveLength(0)
    await model.create({ messages: hello })
    expect(made).toEqual([entry, { ...entry, baseUrl: 'http://other' }])
  })
})

describe('what is asked', () => {
  test('stored values win over those of the call', async () => {
    const { model, calls } = wrapped(['x'], { configList: [{ model: 'm', apiType: 'fake', temperature: 0 }] })
    await model.create({ messages: hello, temperature: 1, top_p: 0.5, model: 'other' })
    expect(calls).toEqual([{ messages: hello, temperature: 0, top_p: 0.5, model: 'm' }])
  })

  test('dots go from the model names of the hosted variant, and from no other', async () => {
    const { provider, calls } = fakeProvider(['x'], { apiType: 'azure' })
    const azure = new ModelWrapper({
      providers: [provider],
      configList: [{ model: 'gpt-3.5-turbo', apiType: 'azure' }],
      cacheSeed: null,
      io: recordingIo().io,
    })
    await azure.create({ messages: hello })
    expect(calls[0]!.model).toBe('gpt-35-turbo')
    const { model, calls: plain } = wrapped(['x'], { configList: [{ model: 'gpt-4.1', apiType: 'fake' }] })
    await model.create({ messages: hello })
    expect(plain[0]!.model).toBe('gpt-4.1')
  })

  test.each([
    ['2023-08-01', false],
    ['2023-12-01-preview', true],
    ['2024-10-21', true],
    ['v1', true],
  ])('tools on version %s of the hosted variant', async (apiVersion, known) => {
    const { provider } = fakeProvider(['x'], { apiType: 'azure' })
    const configList = [{ model: 'm', apiType: 'azure', apiVersion }]
    const model = new ModelWrapper({ providers: [provider], configList, cacheSeed: null, io: recordingIo().io })
    const tools = [{ type: 'function' as const, function: { name: 'f' } }]
    const call = model.create({ messages: hello, tools })
    if (known) expect(await call).toMatchObject({ configId: 0 })
    else
      await expect(call).rejects.toMatchObject({
        code: 'invalid-config',
        message: expect.stringContaining("apiStyle 'function'"),
      })
  })

  test('a prompt stands alone', async () => {
    const { model, calls } = wrapped(['x'])
    await model.create({ prompt: 'Say {what}', context: { what: 'hi' }, allowFormatStrTemplate: true })
    expect(calls[0]).toMatchObject({ prompt: 'Say hi', messages: [] })
  })

  test.each([
    ['neither messages nor prompt', {}],
    ['both', { messages: hello, prompt: 'p' }],
    ['an option that makes a client', { messages: hello, apiKey: KEY }],
  ])('%s is refused', async (_, request) => {
    const error: unknown = await wrapped(['x'])
      .model.create(request)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid-argument' })
    expect(inspect(error)).not.toContain(KEY)
  })

  test.each([
    ['cacheSed', 'cacheSeed'],
    ['filter_fnc', 'filterFunc'],
    ['maxTokens', 'max_tokens'],
    ['temprature', 'temperature'],
  ])('an option `%s` is refused with its neighbour `%s`', async (key, near) => {
    await expect(wrapped(['x']).model.create({ messages: hello, [key]: 1 })).rejects.toMatchObject({
      code: 'invalid-config',
      details: { key, nearest: near },
    })
  })

  test('a client that cannot do it is not asked', async () => {
    const fake = fakeProvider(['x'])
    const blind: ModelClient = { ...fake.provider.createClient({}), capabilities: { images: false, tools: false } }
    const provider = {
      ...fake.provider,
      createClient: (config: ConfigEntry) => (config.model === 'blind' ? blind : fake.provider.createClient(config)),
    }
    const model = new ModelWrapper({
      providers: [provider],
      configList: [
        { model: 'blind', apiType: 'fake' },
        { model: 'm', apiType: 'fake' },
      ],
      cacheSeed: null,
      io: recordingIo().io,
    })
    const content = [{ type: 'image_url' as const, image_url: { url: 'https://x/y.png' } }]
    const response = await model.create({ messages: [{ role: 'user', content }] })
    expect(response).toMatchObject({
      configId: 1,
      attempts: [{ kind: 'invalid-request', message: 'it cannot take images' }],
    })
    expect(fake.calls).toHaveLength(1)
  })
})

describe('what comes back', () => {
  test('the last refused answer is returned, and every one is paid', async () => {
    const { model } = wrapped(
      ['a', 'b'],
      {
        configList: [
          { model: 'm', apiType: 'fake' },
          { model: 'n', apiType: 'fake' },
        ],
      },
      1,
    )
    const response = await model.create({ messages: hello, filterFunc: () => false })
    expect(response).toMatchObject({ configId: 1, passFilter: false, attempts: [{ kind: 'rejected', configId: 0 }] })
    expect(model.actualUsageSummary!.totalCost).toBe(2)
  })

  test('a failure of no kind is raised as it is', async () => {
    const bug = new TypeError('bug in the client')
    const { model, calls } = wrapped([bug, 'x'], {
      configList: [
        { model: 'm', apiType: 'fake' },
        { model: 'n', apiType: 'fake' },
      ],
    })
    await expect(model.create({ messages: hello })).rejects.toBe(bug)
    expect(calls).toHaveLength(1)
  })

  test('no secret of a config is in any failure, cause or log', async () => {
    const log: LogRecord[] = []
    const deep = Object.assign(failureOf('auth', `no ${KEY}`), { cause: new Error(`header Bearer ${KEY}`) })
    const { model, events } = wrapped([deep], {
      configList: [{ model: 'm', apiType: 'fake', apiKey: KEY, defaultHeaders: { 'X-Api-Token': `${KEY}-2` } }],
      logger: { log: (record) => void log.push(record) },
    })
    const error: unknown = await model.create({ messages: hello }).catch((reason: unknown) => reason)
    const all = [error, (error as Error).stack, log, events, model].map((each) =>
      inspect(each, { depth: 9, showHidden: true }),
    )
    expect(all.join('') + JSON.stringify([error, log, events])).not.toContain(KEY)
    expect((error as XError).message).toContain('[redacted]')
  })

  test('an unknown price costs 0, is said once and listed', async () => {
    const { model, warnings } = wrapped(['x'], {}, null)
    await model.create({ messages: hello })
    expect((await model.create({ messages: hello })).cost).toBe(0)
    expect(warnings()).toEqual(['unpriced'])
    expect(model.totalUsageSummary).toMatchObject({ totalCost: 0, unpriced: ['m'] })
  })

  test('a price of the config wins, a single number is warned of once', async () => {
    const pair = wrapped(['x'], { configList: [{ model: 'm', apiType: 'fake', price: [1, 2] }] }, 9)
    expect((await pair.model.create({ messages: hello })).cost).toBeCloseTo(0.02)
    expect(pair.warnings()).toEqual([])
    const single = wrapped(['x'], { configList: [{ model: 'm', apiType: 'fake', price: 2 }] }, 9)
    await single.model.create({ messages: hello })
    expect((await single.model.create({ messages: hello })).cost).toBeCloseTo(0.03)
    expect(single.warnings()).toEqual(['price'])
  })

  test('a price may come with the call, where no config has one', async () => {
    const { model } = wrapped(['x'], {}, 9)
    expect((await model.create({ messages: hello, price: [1, 2] })).cost).toBeCloseTo(0.02)
    await expect(model.create({ messages: hello, price: [Number.NaN, 1] })).rejects.toMatchObject({
      code: 'invalid-config',
    })
  })

  test('rows of the ledger carry tags and the agent', async () => {
    const { model } = wrapped(
      ['x'],
      {
        configList: [{ model: 'm', apiType: 'fake', tags: ['cheap'] }],
        cache: createMemoryCache(),
        runtime: { now: () => 7 },
      },
      1,
    )
    await model.create({ messages: hello, agent: 'ann' })
    await model.create({ messages: hello })
    expect(model.ledger).toMatchObject([
      { configId: 0, tags: ['cheap'], agent: 'ann', cached: false, at: 7, usage: { totalTokens: 15, cost: 1 } },
      { agent: null, cached: true },
    ])
    model.clearUsageSummary()
    expect([model.actualUsageSummary, model.totalUsageSummary, model.ledger]).toEqual([null, null, []])
  })

  test('deprecated functions are said once', async () => {
    const { model, warnings } = wrapped(['x'])
    for (let i = 0; i < 2; i++) await model.create({ messages: hello, functions: [{ name: 'f' }] })
    expect(warnings()).toEqual(['deprecated'])
  })
})

describe('operations', () => {
  test('a promise in the blocking face is refused by name', () => {
    const { model } = wrapped([async () => 'later'])
    expect(thrown(() => model.createSync({ messages: hello }))).toMatchObject({
      code: 'async-in-sync',
      message: expect.stringContaining('the client of m'),
    })
  })

  test('all give the same response; the stream gives its events first', async () => {
    const { model } = wrapped(['hi'])
    const plain = (response: ModelResponse) => ({ ...response, messageRetrievalFunction: undefined })
    const events = model.createStream({ messages: hello })
    const seen: string[] = []
    let item = await events.next()
    for (; !item.done; item = await events.next()) seen.push(item.value.type)
    expect(seen).toEqual(['start', 'textDelta', 'finish', 'usage'])
    expect(plain(item.value)).toEqual(plain(await model.create({ messages: hello })))
    expect(plain(item.value)).toEqual(plain(model.createSync({ messages: hello })))
  })

  test('warnings go to the run that they belong to', async () => {
    const { model, events } = wrapped(['x'], {}, null)
    const heard: string[] = []
    await model.create({ messages: hello }, { emit: ({ type }) => void (type === 'warning' && heard.push(type)) })
    expect([heard, events]).toEqual([['warning'], []])
  })
})

describe('clients of one’s own', () => {
  const entry: ConfigEntry = { model: 'm', modelClientCls: 'CustomClient', flavour: 'sour', apiKey: KEY }
  const custom = (configList: ConfigEntry[]) => wrapped(['x'], { configList })

  test('one is made of the entry and the options, for the first entry that waits', async () => {
    const { model } = custom([entry, { ...entry, flavour: 'sweet' }])
    await expect(model.create({ messages: hello })).rejects.toMatchObject({
      code: 'client-not-registered',
      details: { modelClientCls: ['CustomClient', 'CustomClient'] },
    })
    model.registerModelClient(CustomClient, { cups: 2 })
    await expect(model.create({ messages: hello })).rejects.toMatchObject({
      details: { modelClientCls: ['CustomClient'] },
    })
    model.registerModelClient(CustomClient)
    expect((await model.create({ messages: hello })).choices[0]!.message.content).toBe('"sour"')
  })

  test('one too many is a warning, one that no entry names an error', () => {
    const { model, warnings } = custom([entry])
    model.registerModelClient(CustomClient)
    model.registerModelClient(CustomClient)
    expect(warnings()).toEqual(['client'])
    class OtherClient extends CustomClient {}
    const error = thrown(() => custom([entry]).model.registerModelClient(OtherClient))
    expect(error.code).toBe('unknown-client')
    expect(error.message).toContain("modelClientCls: 'OtherClient'")
  })
})

describe('what JSON and JavaScript may hand in', () => {
  test('null is a client-level key that is not there', async () => {
    const nulls = { apiType: null, apiKey: null, baseUrl: null, apiVersion: null, timeout: null, organization: null }
    const { provider, made, calls } = fakeProvider(['x'], { apiType: 'openai' })
    const configList = [{ ...nulls, model: 'm' } as unknown as ConfigEntry]
    const model = new ModelWrapper({ providers: [provider], configList, cacheSeed: null, timeout: 5 })
    await model.create({ messages: hello, model: null, temperature: null })
    expect(made).toEqual([{ model: 'm' }])
    expect(calls).toEqual([{ model: 'm', messages: hello, temperature: null }])
    const missing = thrown(() => new ModelWrapper({ providers: [provider], configList: [nulls as never] }))
    expect(missing).toMatchObject({ code: 'invalid-config', message: expect.stringContaining('`model`') as unknown })
  })

  test.each([
    [2, 'implements version 2 of the provider interface, and `@x/model` supports version 1: upgrade `@x/model`'],
    [0, 'implements version 0 of the provider interface, and `@x/model` supports version 1: upgrade the provider'],
    [undefined, 'does not say its version of the provider interface: give it `specVersion: 1`'],
  ])('a provider of version %s is told both versions', (specVersion, advice) => {
    const provider = { ...fakeProvider(['x']).provider, specVersion } as never
    const error = thrown(() => wrapped(['x'], { providers: [provider] }))
    expect(error.code).toBe('invalid-config')
    expect(error.message).toContain(advice)
  })

  test.each([null, {}, { choices: 'hi' }, { choices: [{}] }])(
    'a client that answers with %j is named',
    async (given) => {
      const { model } = wrapped([() => given as never])
      await expect(model.create({ messages: hello })).rejects.toMatchObject({
        code: 'invalid-result',
        message: expect.stringContaining(
          '`the client of m` gave no answer: return `{ id, model, choices }`',
        ) as unknown,
      })
    },
  )

  test.each([undefined, Promise.resolve({})])(
    'a provider that makes %j in the place of a client is named',
    (client) => {
      const provider = { ...fakeProvider(['x']).provider, createClient: () => client } as never
      const { model } = wrapped(['x'], { providers: [provider] })
      const message = '`createClient` of the provider `fake` gave no client: return one, and no promise'
      return expect(model.create({ messages: hello })).rejects.toMatchObject({ code: 'invalid-config', message })
    },
  )

  test('limits of null are the usual ones', async () => {
    const limits: unknown[] = []
    const { model } = wrapped([(_, { timeout, timeouts }) => (limits.push(timeout, timeouts), 'x')])
    await model.create({ messages: hello, timeout: null, timeouts: null, maxRetryAfter: null })
    expect(limits).toEqual([undefined, undefined])
  })

  test.each(['hi', { role: 'user', content: 'hi' }, 1])('%j is not a list of messages', async (messages) => {
    await expect(wrapped(['x']).model.create({ messages } as never)).rejects.toMatchObject({ code: 'invalid-argument' })
  })
})

test('the summary modes', () => {
  const { model, events } = wrapped(['x'])
  for (const mode of [undefined, 'actual', 'total', 'both', ['actual'], ['actual', 'total']] as const)
    model.printUsageSummary(mode)
  expect(events.map((event) => event.type === 'usageSummary' && event.mode)).toEqual([
    'both',
    'actual',
    'total',
    'both',
    'actual',
    'both',
  ])
  for (const mode of [[], ['actual', 'total', 'actual'], 'none'] as never[]) {
    expect(thrown(() => model.printUsageSummary(mode)).code).toBe('invalid-argument')
  }
})

test('the log: a record for the wrapper, and per config the cache and the outcome', async () => {
  const log: LogRecord[] = []
  const { model } = wrapped(
    [failureOf('server'), 'x'],
    {
      configList: [
        { model: 'm', apiType: 'fake', apiKey: KEY },
        { model: 'n', apiType: 'fake', cache: createMemoryCache({ name: 'kept' }) },
      ],
      logger: { log: (record) => void log.push(record) },
      runtime: { now: () => 5, newId: () => 'call' },
    },
    2,
  )
  await model.create({ messages: hello, agent: 'ann' })
  await model.create({ messages: hello })
  const { wrapperId } = model
  const call = { record: 'chatCompletion', invocationId: 'call', wrapperId, startTime: 5 }
  expect(log.slice(0, 5)).toMatchObject([
    { record: 'newWrapper', wrapperId, args: { configList: [{ apiKey: '[redacted]' }, { cache: { name: 'kept' } }] } },
    { record: 'cacheSeedValue', clientId: 0, cache: null },
    { ...call, clientId: 0, agent: 'ann', response: 'error_code:server, config 0 failed', isCached: 0, cost: 0 },
    { record: 'cacheSeedValue', clientId: 1, cache: 'kept' },
    { ...call, clientId: 1, request: { model: 'n', messages: hello }, response: { model: 'n' }, isCached: 0, cost: 2 },
  ])
  expect(log.at(-1)).toMatchObject({ clientId: 0, isCached: 0 })
})
