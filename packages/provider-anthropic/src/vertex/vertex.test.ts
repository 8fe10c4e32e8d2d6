import { anthropicFormat } from '@x/testing/anthropic'
import { createRecordings, providerContract } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import { anthropicVertex } from './vertex.ts'

const MODEL = 'claude-haiku-4-5@20251001'
const QUESTION = [{ role: 'user' as const, content: 'Why?' }]
const [TEXT] = createRecordings(anthropicFormat)
const google = (code: number, status: string, message: string): string =>
  JSON.stringify([{ error: { code, message, status } }])

providerContract(
  { describe, test, expect },
  {
    provider: anthropicVertex,
    config: { model: MODEL, project: 'p-1' },
    recordings: createRecordings(anthropicFormat),
    failures: [
      {
        status: 400,
        body: JSON.stringify(anthropicFormat.errorBody(400, 'prompt is too long: 210000 tokens > 200000 maximum')),
        kind: 'context-overflow',
      },
      { status: 401, body: google(401, 'UNAUTHENTICATED', 'Request had invalid authentication'), kind: 'auth' },
      { status: 403, body: google(403, 'PERMISSION_DENIED', 'Permission denied on resource'), kind: 'auth' },
      { status: 404, body: google(404, 'NOT_FOUND', 'Publisher Model was not found'), kind: 'not-found' },
      { status: 429, body: google(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for base_model'), kind: 'rate-limit' },
      { status: 500, body: google(500, 'INTERNAL', 'internal'), kind: 'server' },
      { status: 503, body: google(503, 'UNAVAILABLE', 'try again'), kind: 'overloaded' },
      { status: 529, body: JSON.stringify(anthropicFormat.errorBody(529, 'Overloaded')), kind: 'overloaded' },
    ],
    errorFrame: { text: writeFrame(anthropicFormat.overloaded), kind: 'overloaded' },
    unknownFrame: writeFrame(anthropicFormat.unknown),
    skip: createRecordings(anthropicFormat).map(({ name }) => ({
      test: `${name}: bytes may be cut anywhere`,
      reason: 'the reader of bytes is that of `contract.test.ts`',
    })),
  },
)

/** Sends a question, whole or as a stream, and returns the request. */
async function ask(config: object, how: 'create' | 'stream' | 'countTokens'): Promise<Record<string, unknown>> {
  const sent: Record<string, unknown>[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push({ url: input, headers: init?.headers, body: JSON.parse(init?.body as string) })
    if (how === 'countTokens') return Response.json({ input_tokens: 12 })
    if (how === 'create') return new Response(TEXT!.whole, { headers: { 'content-type': 'application/json' } })
    return new Response(TEXT!.stream, { headers: { 'content-type': 'text/event-stream' } })
  }
  const client = anthropicVertex.createClient({ model: MODEL, project: 'p-1', apiKey: 'token-1', fetch, ...config })
  const params = { messages: QUESTION, max_tokens: 9 }
  if (how === 'create') await client.create(params, {})
  else if (how === 'stream') for await (const _ of client.stream!(params, {}));
  else expect(await client.countTokens!(params, {})).toBe(12)
  return sent[0]!
}

const MODELS = 'https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/publishers/anthropic/models'
const FRAME = { anthropic_version: 'vertex-2023-10-16' }
const MESSAGES = [{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }]

describe('a request of Vertex', () => {
  test('has the model in its path and the version in its body; betas stay a header', async () => {
    const { url, headers, body } = await ask({ betas: 'files-api' }, 'create')
    expect(url).toBe(`${MODELS}/claude-haiku-4-5@20251001:rawPredict`)
    expect(body).toEqual({ ...FRAME, max_tokens: 9, messages: MESSAGES })
    expect(headers).toMatchObject({ authorization: 'Bearer token-1', 'anthropic-beta': 'files-api' })
  })

  test('for a stream says so in path and body', async () => {
    const { url, body } = await ask({}, 'stream')
    expect(url).toBe(`${MODELS}/claude-haiku-4-5@20251001:streamRawPredict`)
    expect(body).toEqual({ ...FRAME, max_tokens: 9, messages: MESSAGES, stream: true })
  })

  test('for a number of tokens has the model in its body', async () => {
    const { url, body } = await ask({}, 'countTokens')
    expect(url).toBe(`${MODELS}/count-tokens:rawPredict`)
    expect(body).toEqual({ ...FRAME, model: MODEL, messages: MESSAGES })
  })

  test.each([
    [{ location: 'us-east5' }, 'https://us-east5-aiplatform.googleapis.com/v1/projects/p-1/locations/us-east5/'],
    [{ location: 'eu' }, 'https://aiplatform.eu.rep.googleapis.com/v1/projects/p-1/locations/eu/'],
    [{ baseUrl: 'http://gateway.invalid/' }, 'http://gateway.invalid/v1/projects/p-1/locations/global/'],
  ])('goes to the endpoint of its location: %j', async (config, root) => {
    expect((await ask(config, 'create'))['url']).toContain(root)
  })

  test('asks a function for a token each time', async () => {
    let count = 0
    const apiKey = async () => `token-${++count}`
    const { headers } = await ask({ apiKey }, 'create')
    expect(headers).toMatchObject({ authorization: 'Bearer token-1' })
  })
})

test('a config for Vertex without a project is refused', () => {
  expect(() => anthropicVertex.createClient({ model: MODEL, project: 7 })).toThrow(
    expect.objectContaining({ code: 'invalid-config' }),
  )
})

test('a location that would lead the token to another host is refused', () => {
  expect(() => anthropicVertex.createClient({ model: MODEL, project: 'p-1', location: 'evil.example/' })).toThrow(
    expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining('`location`') as string }),
  )
})
