import { ModelWrapper } from '@x/model'
import { createAnthropic } from '@x/provider-anthropic'
import { createGoogle } from '@x/provider-google'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adapters } from './adapters.ts'

let thread: Worker
let urls: Record<string, string>

beforeAll(async () => {
  thread = new Worker(new URL('server-thread.ts', import.meta.url))
  ;[urls] = (await once(thread, 'message')) as [Record<string, string>]
})
afterAll(async () => void (await thread.terminate()))

test.each(adapters)(
  '$name: a blocking call gets an answer, and then a failure with its kind',
  ({ name, provider, entry }) => {
    const model = new ModelWrapper({
      providers: [provider],
      configList: [{ ...entry, apiKey: 'key', baseUrl: urls[name]!, maxRetries: 0 }],
      cacheSeed: null,
      io: { send: () => {}, input: () => '' },
    })
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    expect(model.createSync({ messages }).choices[0]!.message.content).toBe('Hello')
    expect(() => model.createSync({ messages })).toThrow(expect.objectContaining({ kind: 'rate-limit', status: 429 }))
  },
)

test.each(adapters)('$name: tokens are counted in all faces', async ({ provider, entry }) => {
  const azure = entry.apiType === 'openai' && { apiType: 'azure', baseUrl: `${urls['counting']}/openai/v1` }
  const model = new ModelWrapper({
    providers: [provider],
    configList: [{ ...entry, apiKey: 'key', baseUrl: urls['counting']!, maxRetries: 0, ...azure }],
    cacheSeed: null,
    io: { send: () => {}, input: () => '' },
  })
  const said = { role: 'assistant' as const, content: 'Hello' }
  const messages = [{ role: 'user' as const, content: 'Hi' }, said, { role: 'user' as const, content: 'And?' }]
  const count = { promptTokens: 300, model: entry.model, configId: 0 }
  expect(model.countTokensSync({ messages })).toEqual(count)
  expect(await model.countTokens({ messages })).toEqual(count)
  expect(await model.countTokensStream({ messages }).result).toEqual(count)
})

test.each(adapters)('$name: texts are embedded in all faces, or refused', async ({ provider, entry }) => {
  const model = new ModelWrapper({
    providers: [provider],
    configList: [{ ...entry, apiKey: 'key', baseUrl: urls['counting']!, maxRetries: 0, price: 1 }],
    cacheSeed: null,
    io: { send: () => {}, input: () => '' },
  })
  const request = { input: ['to', 'three'] }
  if (entry.apiType === 'anthropic') {
    await expect(model.embed(request)).rejects.toThrow('`@x/provider-anthropic`, which has no embeddings')
    return
  }
  const embeddings = [
    [2, 0.5],
    [5, 0.5],
  ]
  expect(model.embedSync(request)).toMatchObject({ embeddings, provider: provider.name })
  expect(await model.embed(request)).toMatchObject({ embeddings })
  expect(await model.embedStream(request).result).toMatchObject({ embeddings })
  expect(model.ledger).toHaveLength(3)
})

test('runs in another thread with own prices, but not with options that cannot be sent there', () => {
  const catalogue = { date: '2026-01-01', models: {} }
  const now = (): number => 0
  expect(createAnthropic({ catalogue }).module).toMatchObject({ export: 'anthropic' })
  expect(createGoogle({ catalogue }).module).toMatchObject({ export: 'google' })
  for (const made of [createAnthropic({ catalogue, now }), createGoogle({ now }), createGoogle({ sdk: 'fetch' })]) {
    expect(made.module).toBeUndefined()
  }
})
