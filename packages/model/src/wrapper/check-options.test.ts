import { describe, expect, onTestFinished, test } from 'vitest'
import { createDiskCache } from '../cache/disk-cache.ts'
import { createKeyvCache } from '../cache/keyv-cache.ts'
import { fakeProvider, hello, recordingIo } from '../fakes/provider.fake.ts'
import { llmConfig } from './llm-config.ts'
import { ModelWrapper } from './model-wrapper.ts'

const { provider } = fakeProvider(['x'])
const entry = { model: 'a', apiType: 'fake' }
const make = (options: unknown) => llmConfig(options as never)

describe('an `llmConfig`', () => {
  test.each([
    [
      'gpt-5',
      "its options are not an object; write `llmConfig(openai('gpt-5-mini'))`, with `openai` of `@x/provider-openai`",
    ],
    [Object.assign(() => {}, provider), "it is a provider; name a model, as in `llmConfig(openai('gpt-5-mini'))`"],
    [provider, "it is a provider; name a model, as in `llmConfig(openai('gpt-5-mini'))`"],
    [undefined, 'cannot make an `llmConfig`: its options are not an object'],
    [{ providers: provider, configList: [entry] }, '`providers` is an object; give a list, such as [openai]'],
    [{ providers: [() => provider], configList: [entry] }, '`providers[0]` is not a provider; call it'],
    [{ providers: [{}], configList: [entry] }, '`providers[0]` is not a provider; give one'],
    [
      { providers: [{ provider, model: 'a', environment: [] }], configList: [entry] },
      '`providers[0]` is a model of a provider; put it into `configList`',
    ],
    [{ providers: [provider], configList: [entry], io: 'console' }, "`io` is 'console'; give an `io`"],
    [
      { providers: [provider], configList: [entry], runtime: { clock: 1 } },
      'the option `clock` is unknown; it takes `now`',
    ],
  ])('is refused: %o', (options, text) => {
    expect(() => make(options)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
    )
  })

  test.each([
    [{ provider: [provider] }, 'the config has an unknown key `provider`: did you mean `providers`?'],
    [{ confg_list: [entry] }, 'the config has an unknown key `confg_list`: did you mean `configList`?'],
    [{ timeout: '3' }, '`timeout` of the config is of a wrong kind; give a number of seconds above 0'],
    [{ timeout: -1 }, '`timeout` of the config'],
    [{ maxRetries: 1.5 }, '`maxRetries` of the config is of a wrong kind; give a whole number of at least 0'],
    [{ cacheSeed: 'x' }, '`cacheSeed` of the config'],
    [{ cache: { dir: 'x' } }, '`cache` of the config is of a wrong kind; give a cache, such as `createMemoryCache()`'],
    [{ budget: { calls: 1 } }, '`budget` of the config is of a wrong kind; give a budget'],
    [{ cacheMode: 'fresh' }, "`cacheMode` of the config is of a wrong kind; give 'use' or 'bypass' or 'refresh'"],
    [{ apiKey: { key: 'sk-secret' } }, '`apiKey` of the config is of a wrong kind; give a text, or a function'],
    [{ configList: [{ ...entry, timeout: 'sk-secret' }] }, '`timeout` of entry 0 of `configList`'],
  ])('has no such key or value: %o', (options, text) => {
    const call = () => make({ providers: [provider], ...entry, ...options })
    expect(call).toThrow(expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(text) }))
    expect(call).not.toThrow('sk-secret')
  })

  test('takes null for a key that is absent, as JSON has it', () => {
    expect(() => make({ providers: [provider], ...entry, timeout: null, apiKey: null, cacheSeed: null })).not.toThrow()
  })
})

test('an older Node is named with its version and the one to install', () => {
  const descriptor = Object.getOwnPropertyDescriptor(Promise, 'withResolvers')!
  Reflect.deleteProperty(Promise, 'withResolvers')
  onTestFinished(() => void Object.defineProperty(Promise, 'withResolvers', descriptor))
  const text = `this is Node ${process.versions.node}; install Node 22.19 or newer`
  expect(() => make({ providers: [provider], ...entry })).toThrow(`cannot make an \`llmConfig\`: ${text}`)
  expect(() => new ModelWrapper({ providers: [provider], ...entry })).toThrow(`cannot make a \`ModelWrapper\`: ${text}`)
})

describe('a request', () => {
  const model = new ModelWrapper({ providers: [provider], ...entry, cacheSeed: null, io: recordingIo().io })
  test.each([
    ['hi', 'a request is not an object'],
    [{ messages: hello, cacheSeed: 'x' }, '`cacheSeed` of the request is of a wrong kind'],
    [
      { messages: hello, timeout: '3' },
      '`timeout` of the request is of a wrong kind; give a number of seconds above 0',
    ],
  ])('is refused: %o', async (request, text) => {
    await expect(model.create(request as never)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(text),
    })
  })

  test('has no signal if the client cannot use one', () => {
    const { signal } = new AbortController()
    expect(() => model.createSync({ messages: hello }, { signal } as never)).toThrow(
      'cannot run `createSync`: no `signal` can stop a blocking call',
    )
    expect(() => model.embedSync({ input: 'a' }, { signal } as never)).toThrow('run `embedSync`: no `signal`')
    expect(() => model.countTokensSync({ messages: hello }, { signal } as never)).toThrow('or call `countTokens`')
  })
})

test('a timeout of a request above an hour is a warning, and the request continues', async () => {
  const { io, events } = recordingIo()
  const model = llmConfig({ providers: [provider], configList: [entry], cacheSeed: null, io }).createModel()
  for (const timeout of [3600, 30_000, 30_000]) await model.create({ messages: hello, timeout })
  expect(events).toMatchObject([
    {
      topic: 'timeout',
      text: expect.stringContaining('`timeout` of the request is 30000 seconds, which is 8.3 hours'),
    },
  ])
})

test('so is a limit for a part of a request, of an entry or of a request; an unknown part is refused', async () => {
  const { io, events } = recordingIo()
  const configList = [{ ...entry, timeouts: { connect: 5, silence: 20_000 } }]
  const model = llmConfig({ providers: [provider], configList, cacheSeed: null, io }).createModel()
  await model.create({ messages: hello, timeouts: { firstByte: 30_000 } })
  expect(events.map((event) => event.type === 'warning' && event.text)).toEqual([
    expect.stringContaining('`timeouts.silence` of entry 0 of `configList` is 20000 seconds'),
    expect.stringContaining('`timeouts.firstByte` of the request is 30000 seconds'),
  ])
  for (const timeouts of [{ total: 5 }, { call: 0 }, 5] as never[]) {
    await expect(model.create({ messages: hello, timeouts })).rejects.toThrow(
      '`timeouts` of the request is of a wrong kind; give seconds above 0 by their names, as in { connect: 5',
    )
  }
})

test('a timeout above an hour is one warning, even if the tools change', async () => {
  const { io, events } = recordingIo()
  const slow = fakeProvider(['x'], { cost: 1 })
  const llm = llmConfig({ providers: [slow.provider], configList: [{ ...entry, timeout: 60_000 }], cacheSeed: null })
  const first = llm.createModel({ io })
  const second = llm.with({ tools: [] }).createModel({ io, replaces: first })
  await second.create({ messages: hello })
  const warnings = events.filter(({ type }) => type === 'warning')
  expect(warnings).toMatchObject([
    { topic: 'timeout', text: expect.stringContaining('is 60000 seconds, which is 16.7 hours: it is in seconds') },
  ])
})

test('a cache without a place for its answers is refused', () => {
  expect(() => createDiskCache({ directory: '.cache' } as never)).toThrow('the option `directory` is unknown')
  expect(() => createDiskCache({} as never)).toThrow('`dir` is missing; name a folder')
  expect(() => createKeyvCache({} as never, {} as never)).toThrow('`namespace` is missing')
})
