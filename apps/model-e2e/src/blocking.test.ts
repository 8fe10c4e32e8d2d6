import type { ModelResponse, XEvent } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { createMemoryCache, ModelWrapper } from '@x/model'
import { createOpenAI, openai } from '@x/provider-openai'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const KEY = 'sk-canary-0123456789abcdef'
const messages = [{ role: 'user' as const, content: 'hi' }]
let server: Worker
let baseUrl: string

beforeAll(async () => {
  server = new Worker(new URL('fault-thread.ts', import.meta.url))
  ;[baseUrl] = (await once(server, 'message')) as [string]
})
afterAll(async () => void (await server.terminate()))

function wrapper(
  models: string[],
  options: ConstructorParameters<typeof ModelWrapper>[0] = {},
): { model: ModelWrapper; events: XEvent[] } {
  const events: XEvent[] = []
  const io = { send: (event: XEvent) => void events.push(event), input: () => '' }
  const configList = models.map((model) => ({ model, baseUrl, apiKey: KEY }))
  return { events, model: new ModelWrapper({ providers: [openai], configList, cacheSeed: null, io, ...options }) }
}

const failure = (call: () => unknown): XError => {
  try {
    call()
  } catch (error) {
    if (isXError(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const facts = ({ messageRetrievalFunction: _fn, attempts: _tried, ...rest }: ModelResponse): object => rest

test('a blocking call gives what the other forms give, and its usage', async () => {
  const { model } = wrapper(['gpt-4o-mini'])
  const blocked = model.createSync({ messages })
  expect(facts(blocked)).toEqual(facts(await model.create({ messages })))
  expect(blocked.messageRetrievalFunction(blocked)).toEqual(['hello from gpt-4o-mini'])
  expect(blocked.cost).toBeGreaterThan(0)
  expect(model.totalUsageSummary!.models['gpt-4o-mini']!.totalTokens).toBe(30)
})

test('failures keep their kind, the next config answers, the caches are shared with the other forms', async () => {
  const { model } = wrapper(['broken', 'locked', 'good'], { cache: createMemoryCache() })
  const response = model.createSync({ messages })
  expect(response.attempts).toMatchObject([
    { kind: 'overloaded', status: 503 },
    { kind: 'auth', status: 401 },
  ])
  expect(response.configId).toBe(2)
  expect(model.createSync({ messages })).toMatchObject({ cached: true, configId: 2 })
})

test('a timeout ends it', () => {
  const error = failure(() => wrapper(['hanging'], { timeout: 0.05, maxRetries: 0 }).model.createSync({ messages }))
  expect(error).toMatchObject({ code: 'timeout', attempts: [{ kind: 'timeout' }] })
  const perCall = failure(() => wrapper(['hanging'], { maxRetries: 0 }).model.createSync({ messages, timeout: 0.05 }))
  expect(perCall.code).toBe('timeout')
})

test('a blocking call of a server in its own process says why no answer can come', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { model } = wrapper([], { configList: [{ model: 'm', apiKey: KEY, baseUrl }], timeouts: { firstByte: 0.05 } })
  const error = failure(() => model.createSync({ messages }))
  expect(error).toMatchObject({ code: 'timeout', details: { clock: 'firstByte', received: false } })
  expect(error.message).toContain('its thread waits')
  expect(model.ledger).toMatchObject([{ estimated: true }])
})

test('no key crosses the threads into an error', () => {
  const error = failure(() => wrapper(['locked']).model.createSync({ messages }))
  expect(error).toMatchObject({ code: 'model-failed', kind: 'auth' })
  expect(inspect(error, { depth: 9, showHidden: true }) + String(error.stack)).not.toContain(KEY)
})

test('warnings of the adapter come back', () => {
  const { model, events } = wrapper(['gpt-5-mini'])
  model.createSync({ messages, temperature: 0 })
  expect(events).toMatchObject([{ type: 'warning', topic: 'parameter' }])
})

describe('what cannot travel is refused by name', () => {
  test.each([
    ['apiKey', { configList: undefined, model: 'm', apiKey: () => KEY }],
    ['fetch', { configList: undefined, model: 'm', apiKey: KEY, fetch: globalThis.fetch }],
    ['metadata.sign', { metadata: { sign: Symbol('s') } }],
    ['metadata.later', { metadata: { later: Promise.resolve() } }],
    ['tools.0.function.run', { tools: [{ type: 'function' as const, function: { name: 'f', run: () => 1 } }] }],
  ])('%s', (key, options) => {
    const error = failure(() => wrapper(['m'], options).model.createSync({ messages }))
    expect(error).toMatchObject({ code: 'async-in-sync', details: { key } })
    expect(error.message).toContain(`\`${key}\``)
  })
})

test('an adapter that lives in this thread alone is asked here, and refused when it waits', () => {
  const { module: _module, ...here } = createOpenAI()
  const error = failure(() => wrapper(['m'], { providers: [here] }).model.createSync({ messages }))
  expect(error.code).toBe('async-in-sync')
})

test('an adapter that cannot be imported says so', () => {
  const { apiTypes, specVersion, createClient } = createOpenAI()
  const module = { specifier: '@x/not-there', export: 'lost' }
  const lost = { apiTypes, specVersion, createClient, module }
  const error = failure(() => wrapper(['m'], { providers: [lost] }).model.createSync({ messages }))
  expect(error).toMatchObject({ code: 'unknown-provider' })
  expect(error.message).toContain('`@x/not-there`')
})

test.each([
  ['its own', ['--input-type=module', '-']],
  ['V8', ['--max-old-space-size=500', '-']],
])('the thread starts in a program with flags of %s, and does not keep it alive', { timeout: 120_000 }, (_, flags) => {
  const input = `
    import { llmConfig } from '@x/model'
    import { openai } from '@x/provider-openai'
    const model = llmConfig({ providers: [openai], cacheSeed: null, model: 'm', baseUrl: '${baseUrl}' }).createModel()
    console.log(model.createSync({ messages: [{ role: 'user', content: 'hi' }] }).choices[0].message.content)`
  const out = execFileSync(process.execPath, ['--conditions=@x/source', ...flags], {
    cwd: import.meta.dirname,
    timeout: 100_000,
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  expect(out.toString()).toBe('hello from m\n')
})
