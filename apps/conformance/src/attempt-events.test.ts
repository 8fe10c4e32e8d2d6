import type { ConfigEntry, Model, Provider, XEvent } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { anthropic, createAnthropic } from '@x/provider-anthropic'
import { createGoogle, google } from '@x/provider-google'
import { createOpenAI, openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import { startWireServer, type WireFormat } from '@x/testing/wire'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

type StartOf<T extends XEvent['type']> = Extract<XEvent, { type: T }>

const messages = [{ role: 'user' as const, content: 'Add two and two.' }]
const TOKENS = { prompt: 100, completion: 40, cached: 30, reasoning: 10 }
const ANSWER = { text: 'It is four', reasoning: { text: 'two and two', signature: 'c2lnbmVk' }, usage: TOKENS }

/** A running server of a wire, and the id of its answer. */
interface Served extends AsyncDisposable {
  readonly url: string
  readonly responseId: string
}

/** A wire with its adapter, its entry, and the facts that it tells of its answer. */
interface Row {
  readonly name: string
  readonly provider: Provider
  readonly entry: ConfigEntry
  readonly package: string
  serve(): Promise<Served>
}

const servedBy = async (format: WireFormat, id: string, model: string): Promise<Served> => {
  const server = await startWireServer(format, { steps: [{ reply: { ...ANSWER, id, model } }] })
  return { url: server.url, responseId: id, [Symbol.asyncDispose]: () => server.close() }
}

const ROWS: readonly Row[] = [
  {
    name: 'openai (chat completions)',
    provider: openai,
    package: '@x/provider-openai',
    entry: { model: 'gpt-4o-mini' },
    async serve() {
      const reply = { content: ANSWER.text, reasoning_content: ANSWER.reasoning.text, usage: TOKENS }
      const server = await startFakeOpenAI({ replies: reply })
      return { url: server.url, responseId: 'chatcmpl-1', [Symbol.asyncDispose]: () => server.close() }
    },
  },
  {
    name: 'openai (responses)',
    provider: openai,
    package: '@x/provider-openai',
    entry: { model: 'gpt-5-mini', api: 'responses' },
    serve: async () => await servedBy(responsesFormat, 'resp_abc', 'gpt-5-mini'),
  },
  {
    name: 'anthropic',
    provider: anthropic,
    package: '@x/provider-anthropic',
    entry: { apiType: 'anthropic', model: 'claude-haiku-4-5' },
    serve: async () => await servedBy(anthropicFormat, 'msg_abc', 'claude-haiku-4-5'),
  },
  {
    name: 'google',
    provider: google,
    package: '@x/provider-google',
    entry: { apiType: 'google', model: 'gemini-2.5-flash' },
    serve: async () => await servedBy(googleFormat, 'google_abc', 'gemini-2.5-flash'),
  },
]

const modelOf = ({ provider, entry }: Pick<Row, 'provider' | 'entry'>, more: ConfigEntry): Model =>
  llmConfig({
    providers: [provider],
    configList: [{ ...entry, apiKey: 'a-key-of-no-one', ...more }],
    cacheSeed: null,
  }).createModel({ io: { send: () => {}, input: () => '' } })

/** The events of one question in a face. */
async function eventsOf(model: Model, streamed: boolean, request: ConfigEntry = {}): Promise<XEvent[]> {
  const events: XEvent[] = []
  const emit = (event: XEvent): void => void events.push(event)
  const question = { messages, ...request } as { messages: typeof messages }
  if (!streamed) await model.create(question, { emit })
  else for await (const _ of model.createStream(question, { emit }));
  return events
}

const one = <T extends XEvent['type']>(events: readonly XEvent[], type: T): StartOf<T> => {
  const found = events.filter((event) => event.type === type)
  expect(found).toHaveLength(1)
  return found[0] as StartOf<T>
}

describe.each(ROWS)('an attempt of $name', (row) => {
  test.each([false, true])('tells what it asked and what came (streamed: %s)', async (streamed) => {
    await using served = await row.serve()
    const baseUrl = served.url
    const events = await eventsOf(modelOf(row, { baseUrl, max_tokens: 500 }), streamed, { seed: 7 })
    const start = one(events, 'modelAttemptStart')
    const end = one(events, 'modelAttemptEnd')
    const call = one(events, 'modelCallStart')
    const origin = { provider: row.package, endpoint: new URL(served.url).host, model: row.entry.model, configId: 0 }
    expect(start).toMatchObject({
      ...origin,
      parentId: call.id,
      messages: 1,
      digest: expect.stringMatching(/^x3:.{40,}/u) as string,
      streamed,
      parameters: { max_tokens: 500, seed: 7 },
    })
    expect(end).toMatchObject({
      ...origin,
      ...{ id: start.id, parentId: call.id, outcome: 'ok', error: null, kind: null, cached: false, sendings: 1 },
      ...{ responseId: served.responseId, responseModel: row.entry.model, finishReason: 'stop' },
      cost: expect.any(Number) as number,
    })
    expect(end.usage).toMatchObject({
      ...{ promptTokens: 100, completionTokens: 40, totalTokens: 140, cachedTokens: 30, reasoningTokens: 10 },
    })
    if (streamed) {
      expect(end.firstTokenAt).toBeGreaterThanOrEqual(start.time)
      expect(end.firstTokenAt).toBeLessThanOrEqual(end.time)
    } else expect(end.firstTokenAt).toBeNull()
    expect(one(events, 'modelCallEnd')).toMatchObject({
      ...{ message: ANSWER.text, model: row.entry.model, configId: 0, finishReason: 'stop', cached: false },
      ...{ usage: end.usage, cost: end.cost },
      details: { reasoning: ANSWER.reasoning.text },
    })
  })

  test('tells a failure without an answer', async () => {
    const host = '127.0.0.1:2'
    const model = modelOf(row, { baseUrl: `http://${host}`, maxRetries: 0 })
    const events: XEvent[] = []
    const failed = model.create({ messages }, { emit: (event) => void events.push(event) })
    await expect(failed).rejects.toMatchObject({ kind: 'connection' })
    const facts = { endpoint: host, outcome: 'error', kind: 'connection', sendings: 0, usage: null, cost: null }
    const nothing = { responseId: null, responseModel: null, finishReason: null, firstTokenAt: null }
    expect(one(events, 'modelAttemptEnd')).toMatchObject({ ...facts, ...nothing })
    expect(one(events, 'modelCallEnd')).toMatchObject({ outcome: 'error', message: null, usage: null, cost: null })
  })

  test('has no secret, header or unknown parameter in any event', async () => {
    await using served = await row.serve()
    const canary = (place: string): string => `CanaryOf2026${place}`
    const baseUrl = `${served.url.replace('//', `//ann:${canary('Password')}@`)}?api_key=${canary('Query')}`
    const model = modelOf(row, {
      ...{ apiKey: canary('Key'), defaultHeaders: { 'x-gateway-token': canary('Header') }, baseUrl, maxRetries: 0 },
      stop: [`end of ${canary('Key')}`],
    })
    const request = {
      ...{ extra_headers: { 'x-own-token': canary('ExtraHeader') }, extra_body: { token: canary('ExtraBody') } },
      ...{ user: canary('User'), metadata: { token: canary('Metadata') } },
    }
    const events: XEvent[] = []
    // A server may refuse such a request: its failure is no place for a secret either.
    await model.create({ messages, ...request }, { emit: (event) => void events.push(event) }).catch(() => {})
    expect(one(events, 'modelAttemptStart').parameters['stop']).toEqual(['end of [redacted]'])
    expect(JSON.stringify(events)).not.toContain('CanaryOf2026')
  })
})

test.each<[Provider, ConfigEntry, string | null]>([
  [createOpenAI({ env: {} }), { model: 'gpt-5-mini' }, 'api.openai.com'],
  [createOpenAI({ env: { OPENAI_BASE_URL: 'https://proxy.example/v1' } }), { model: 'gpt-5-mini' }, 'proxy.example'],
  [createAnthropic({ now: () => 0 }), { apiType: 'anthropic', model: 'claude-haiku-4-5' }, 'api.anthropic.com'],
  [createGoogle({ now: () => 0 }), { apiType: 'google', model: 'gemini' }, 'generativelanguage.googleapis.com'],
])('the endpoint of %o %j is %s', async (provider, entry, endpoint) => {
  vi.stubEnv('ANTHROPIC_BASE_URL', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const refuse = async (): Promise<Response> => await Promise.resolve(new Response('{}', { status: 400 }))
  const events: XEvent[] = []
  const model = modelOf({ provider, entry }, { fetch: refuse })
  await model.create({ messages }, { emit: (event) => void events.push(event) }).catch(() => {})
  const name = `@x/provider-${entry.apiType ?? 'openai'}`
  expect(one(events, 'modelAttemptStart')).toMatchObject({ endpoint, provider: name })
})
