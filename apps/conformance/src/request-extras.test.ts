import type { ConfigEntry, ModelAnswer, ModelCallOptions, ModelParams, Provider } from '@x/interfaces'
import { ModelWrapper } from '@x/model'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'
import { startWireServer } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import { adapters } from './adapters.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const SECRET = 'sk-of-one-request'
const IN_BODY = 'word-of-the-body'
const EXTRAS = {
  extra_body: { novel: { a: 1 } },
  extra_headers: { 'X-Topic': 'weather', Authorization: `Bearer ${SECRET}` },
  includeRaw: true,
}

interface Target {
  readonly name: string
  readonly provider: Provider
  readonly entry: ConfigEntry
  /** Answer of the provider. */
  readonly whole: object
}

/** A received request, and the answer of an adapter after a response with some headers. */
async function ask(
  { provider, entry, whole }: Target,
  params: Partial<ModelParams>,
  { status = 200, ...options }: ModelCallOptions & { readonly status?: number } = {},
) {
  const sent: { headers: Headers; body: Record<string, unknown> }[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push({
      headers: new Headers(init?.headers),
      body: JSON.parse(init?.body as string) as Record<string, unknown>,
    })
    return Response.json(whole, {
      status,
      headers: {
        'x-request-id': `req_1 ${SECRET}`,
        'x-ratelimit-remaining-tokens': '7',
        'set-cookie': 'session=1',
        'x-api-key': SECRET,
      },
    })
  }
  const client = provider.createClient({
    apiKey: 'sk-of-the-entry',
    baseUrl: 'http://case.invalid',
    maxRetries: 0,
    ...entry,
    fetch,
  })
  const asked = client.create({ model: entry.model!, messages, ...params }, options)
  const result = await (asked as Promise<ModelAnswer>).then(
    (answer) => ({ answer, error: undefined }),
    (error: unknown) => ({ answer: undefined, error }),
  )
  return { ...result, sent: sent[0]! }
}

const OPENAI = {
  name: 'openai (chat)',
  provider: openai,
  entry: { apiType: 'openai', model: 'gpt-4o' },
  whole: { choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }] },
}
const targets = [
  OPENAI,
  ...adapters
    .filter(({ name }) => name !== 'google (generative-ai)')
    .map(({ format, ...adapter }) => ({ ...adapter, whole: format.whole({ text: 'ok' }) })),
]

describe.each(targets)('X23: $name', (target) => {
  test('`extra_body` and `extra_headers` are in the request and win', async () => {
    const { sent, answer } = await ask(target, EXTRAS)
    expect(sent.body['novel']).toEqual({ a: 1 })
    expect(sent.body).not.toHaveProperty('extra_body')
    expect(sent.body).not.toHaveProperty('includeRaw')
    expect(sent.headers.get('x-topic')).toBe('weather')
    expect(sent.headers.get('authorization')).toBe(`Bearer ${SECRET}`)
    expect(answer!.choices[0]!.message.content).toBe('ok')
    const system = [{ role: 'system' as const, content: 'Be brief.' }, ...messages]
    const key = target.provider.apiTypes.includes('google') ? 'systemInstruction' : 'model'
    expect((await ask(target, { messages: system })).sent.body[key]).toBeDefined()
    const { sent: replaced } = await ask(target, { messages: system, extra_body: { [key]: 'mine' } })
    expect(replaced.body[key]).toBe('mine')
  })

  test('the trace context of a call is in the headers, and no header of the request is lost', async () => {
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'acme=1' }
    const plain = await ask(target, {})
    const { sent } = await ask(target, {}, { trace })
    expect(Object.fromEntries(sent.headers)).toEqual({ ...Object.fromEntries(plain.sent.headers), ...trace })
    const own = await ask(target, { extra_headers: { Traceparent: 'mine' } }, { trace: { traceparent: 'other' } })
    expect(own.sent.headers.get('traceparent')).toBe('mine')
  })

  test('the answer has headers that name the request and tell limits, and no secret', async () => {
    const { answer } = await ask(target, EXTRAS)
    expect(answer!.headers).toEqual({
      'x-request-id': 'req_1 [redacted]',
      'x-ratelimit-remaining-tokens': '7',
    })
    expect(JSON.stringify(answer)).not.toContain(SECRET)
    expect((await ask(target, {})).answer).not.toHaveProperty('raw')
  })

  test('`raw` is the response of the provider', async () => {
    expect((await ask(target, EXTRAS)).answer!.raw).toEqual(JSON.parse(JSON.stringify(target.whole)))
  })

  test('errors do not show what stands in the body under the name of a secret', async () => {
    const { error } = await ask(
      { ...target, whole: { error: { message: `${IN_BODY} is no key for the weather` } } },
      { extra_body: { upstream: { api_key: IN_BODY, city: 'weather' } } },
      { status: 400 },
    )
    expect((error as Error).message).toContain('[redacted] is no key for the weather')
  })

  test('errors do not show a key in a header of one request', async () => {
    const { error } = await ask({ ...target, whole: { error: { message: `no such key ${SECRET}` } } }, EXTRAS, {
      status: 401,
    })
    expect(error).toMatchObject({ kind: 'auth' })
    expect((error as Error).message).not.toContain(SECRET)
  })

  test('refuses values of a wrong kind before sending', async () => {
    for (const wrong of [
      { extra_headers: { a: 1 } },
      { extra_headers: { 'a b': 'c' } },
      { extra_headers: { a: 'b\r\nc: d' } },
      { extra_body: [] },
      { providerOptions: { [target.provider.apiTypes[0]!]: 1 } },
    ]) {
      const { error, sent } = await ask(target, wrong as unknown as Partial<ModelParams>)
      expect(error).toMatchObject({ code: 'invalid-config' })
      expect(sent).toBeUndefined()
    }
  })
})

test.each(adapters)('X23: $name streams with them over a connection', async ({ provider, format, entry }) => {
  await using server = await startWireServer(format, { steps: [{ reply: { text: 'ok' } }] })
  const client = provider.createClient({ apiKey: 'key', maxRetries: 0, ...entry, baseUrl: server.url })
  const key = format.name === 'google' ? 'labels' : 'metadata'
  const stream = client.stream!(
    { model: entry.model!, messages, ...EXTRAS, extra_body: { [key]: { user_id: 'b' } } },
    {},
  )
  let answer: ModelAnswer
  for (;;) {
    const next = await stream.next()
    if (!next.done) continue
    answer = next.value
    break
  }
  const { body, headers } = server.requests[0]!
  expect(headers['x-topic']).toBe('weather')
  expect((body as Record<string, unknown>)[key]).toEqual({ user_id: 'b' })
  expect(Array.isArray(answer.raw) && answer.raw.length > 1).toBe(true)
  expect(JSON.parse(JSON.stringify(answer))).toEqual(answer)
})

test('X23: a log has the names of the headers and secrets of a request, and not their values', async () => {
  await using server = await startFakeOpenAI({ replies: ['ok'] })
  const records: unknown[] = []
  const model = new ModelWrapper({
    providers: [openai],
    configList: [{ model: 'gpt-4o', apiKey: 'key', baseUrl: server.url, cacheSeed: null }],
    io: { send: () => {}, input: () => '' },
    logger: { log: (record) => void records.push(record) },
  })
  const body = { novel: { token: IN_BODY, a: 1 } }
  await model.create({ messages, extra_headers: EXTRAS.extra_headers, extra_body: body })
  expect(JSON.stringify(records)).toContain('X-Topic')
  expect(JSON.stringify(records)).toContain('"novel":{"token":"[redacted]","a":1}')
  expect(JSON.stringify(records)).not.toContain(SECRET)
  expect(JSON.stringify(records)).not.toContain(IN_BODY)
})
