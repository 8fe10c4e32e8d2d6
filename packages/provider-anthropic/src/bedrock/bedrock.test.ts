import type { ConfigEntry, ModelClient, Provider } from '@x/interfaces'
import { anthropicFormat } from '@x/testing/anthropic'
import { createRecordings, providerContract } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import { anthropicBedrock, createAnthropicBedrock } from './bedrock.ts'
import { writeChunk, writeEvents, writeException, withEventStreams } from './event-stream.fake.ts'
import { signAws } from './sign-aws.ts'

const MODEL = 'us.anthropic.claude-haiku-4-5-20251001-v1:0'
const NOW = Date.parse('2026-11-27T12:00:00Z')
const KEYS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG',
  sessionToken: 'token-of-the-session',
}
const QUESTION = [{ role: 'user' as const, content: 'Why?' }]

/** A request that was sent. */
interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Makes a client whose requests are answered one after the other. */
function clientOf(
  answers: readonly (() => Response)[],
  more: ConfigEntry = {},
): { readonly client: ModelClient; readonly sent: Sent[] } {
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const text = init?.body as string
    const headers = init?.headers as Record<string, string>
    sent.push({ url: input as string, headers, text, body: JSON.parse(text) as Record<string, unknown> })
    return answers[sent.length - 1]!()
  }
  const config = { model: MODEL, region: 'us-east-1', credentials: KEYS, fetch, ...more }
  return { client: createAnthropicBedrock({ now: () => NOW }).createClient(config), sent }
}

const [TEXT] = createRecordings(anthropicFormat)
const whole = (): Response => new Response(TEXT!.whole, { headers: { 'content-type': 'application/json' } })
const streamOf = (bytes: Uint8Array): Response =>
  new Response(Uint8Array.from(bytes), { headers: { 'content-type': 'application/vnd.amazon.eventstream' } })
const refusalOf =
  (status: number, type: string, message: string, key: string = 'message') =>
  (): Response =>
    Response.json(
      { [key]: message },
      { status, headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/`, 'x-amzn-requestid': 'r-1' } },
    )

async function collect(client: ModelClient): Promise<unknown> {
  const events = client.stream!({ messages: QUESTION }, {})
  for (;;) {
    const next = await events.next()
    if (next.done) return next.value
  }
}

/** The adapter with a `fetch` under it that gives the event streams of Bedrock for the server-sent events of the suite. */
const framed: Provider = {
  apiTypes: anthropicBedrock.apiTypes,
  clientKeys: anthropicBedrock.clientKeys,
  specVersion: 1,
  createClient: (config) =>
    anthropicBedrock.createClient({ ...config, ...(config.fetch && { fetch: withEventStreams(config.fetch) }) }),
}

providerContract(
  { describe, test, expect },
  {
    provider: framed,
    config: { model: 'us.anthropic.claude-opus-4-6-v1', region: 'us-east-1' },
    recordings: createRecordings(anthropicFormat),
    failures: [
      {
        status: 400,
        body: '{"message":"prompt is too long: 210000 tokens > 200000 maximum"}',
        kind: 'context-overflow',
      },
      { status: 401, body: '{"message":"no key"}', kind: 'auth' },
      { status: 403, body: '{"Message":"User: arn:aws:iam::1:user/a is not authorized"}', kind: 'auth' },
      { status: 404, body: '{"message":"Could not resolve the foundation model"}', kind: 'not-found' },
      { status: 408, body: '{"message":"Model has timed out"}', kind: 'timeout' },
      { status: 429, body: '{"message":"Too many requests"}', kind: 'rate-limit' },
      { status: 500, body: '{"message":"internal"}', kind: 'server' },
      { status: 503, body: '{"message":"Bedrock is unable to process your request."}', kind: 'overloaded' },
    ],
    errorFrame: { text: writeFrame(anthropicFormat.overloaded), kind: 'overloaded' },
    unknownFrame: writeFrame(anthropicFormat.unknown),
    skip: createRecordings(anthropicFormat).map(({ name }) => ({
      test: `${name}: bytes may be cut anywhere`,
      reason: 'the stream of the suite is no stream of Bedrock; `event-stream.test.ts` cuts those at every byte',
    })),
  },
)

describe('a request of Bedrock', () => {
  test('has the model in its path, and version and betas in its body', async () => {
    const { client, sent } = clientOf([whole], { betas: 'files-api' })
    const { choices } = await client.create({ messages: QUESTION, max_tokens: 9 }, {})
    expect(choices[0]!.message.content).toBe('Sunny – 22 °C ☀️.')
    const [{ url, headers, body }] = sent as [Sent]
    expect(url).toBe(
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke',
    )
    expect(body).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['files-api'],
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }],
    })
    expect(headers['anthropic-beta']).toBeUndefined()
  })

  test('is signed with its URL and body by the keys of the config', async () => {
    const { client, sent } = clientOf([whole])
    await client.create({ messages: QUESTION }, {})
    const [{ url, headers, text }] = sent as [Sent]
    const signed = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body: text }
    const scope = { credentials: KEYS, region: 'us-east-1', service: 'bedrock', now: NOW }
    expect(headers).toMatchObject(await signAws(signed, scope))
    expect(headers['authorization']).toMatch(/SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,/u)
  })

  test('is signed anew each time, by keys that a function gives', async () => {
    let count = 0
    const credentials = async () => ({ accessKeyId: `AKID${++count}`, secretAccessKey: 'secret' })
    const { client, sent } = clientOf([refusalOf(503, 'ServiceUnavailableException', 'busy'), whole], { credentials })
    await expect(client.create({ messages: QUESTION }, {})).rejects.toMatchObject({ kind: 'overloaded' })
    await client.create({ messages: QUESTION }, {})
    expect(sent.map(({ headers }) => /AKID\d/u.exec(headers['authorization']!)?.[0])).toEqual(['AKID1', 'AKID2'])
  })

  test('has an API key of Bedrock in place of a signature', async () => {
    const { client, sent } = clientOf([whole], { apiKey: 'bedrock-api-key-1', credentials: undefined })
    await client.create({ messages: QUESTION }, {})
    expect(sent[0]!.headers).toMatchObject({ authorization: 'Bearer bedrock-api-key-1' })
    expect(sent[0]!.headers['x-amz-date']).toBeUndefined()
  })

  test('goes to the endpoint of an ARN as one segment of the path', async () => {
    const model = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0'
    const { client, sent } = clientOf([whole], { model })
    await client.create({ messages: QUESTION, model }, {})
    expect(new URL(sent[0]!.url).pathname.split('/')).toHaveLength(4)
  })

  test('for a number of tokens holds the request in base64', async () => {
    const { client, sent } = clientOf([() => Response.json({ inputTokens: 12 })])
    expect(await client.countTokens!({ messages: QUESTION }, {})).toBe(12)
    expect(sent[0]!.url).toMatch(/\/count-tokens$/u)
    const { input } = sent[0]!.body as { input: { invokeModel: { body: string } } }
    expect(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString())).toMatchObject({
      anthropic_version: 'bedrock-2023-05-31',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }],
    })
  })
})

describe('a stream of Bedrock', () => {
  test('is asked for by its path alone, and its answer is that of the whole one', async () => {
    const { client, sent } = clientOf([() => streamOf(writeEvents(TEXT!.stream)), whole])
    const streamed = await collect(client)
    expect(sent[0]!.url).toMatch(/\/invoke-with-response-stream$/u)
    expect(sent[0]!.headers).toMatchObject({ accept: 'application/vnd.amazon.eventstream' })
    expect(sent[0]!.body['stream']).toBeUndefined()
    const complete = await client.create({ messages: QUESTION }, {})
    expect({ ...(streamed as object), created: 0 }).toEqual({ ...complete, created: 0 })
  })

  test.each([
    ['throttlingException', { message: 'Too many requests' }, 'rate-limit'],
    ['modelStreamErrorException', { message: 'The model failed' }, 'server'],
    ['modelTimeoutException', { message: 'Too late' }, 'timeout'],
    ['internalServerException', { message: 'Oh' }, 'server'],
    ['serviceUnavailableException', { message: 'Busy' }, 'overloaded'],
    ['validationException', { message: 'Input is too long for requested model.' }, 'context-overflow'],
    ['validationException', { message: 'Malformed input request' }, 'invalid-request'],
  ])('that ends by `%s` fails with its kind', async (type, body, kind) => {
    const [start] = TEXT!.stream.split('\n\n')
    const bytes = Buffer.concat([writeEvents(start!), writeException(type, body)])
    const { client } = clientOf([() => streamOf(bytes), () => streamOf(writeException(type, body))])
    await expect(collect(client)).rejects.toMatchObject({ kind, message: expect.stringContaining(body.message) })
    await expect(collect(client)).rejects.toMatchObject({ kind })
  })

  test('with a damaged message fails, and gives what came before', async () => {
    const bytes = writeEvents(TEXT!.stream)
    bytes[bytes.length - 3]! ^= 1
    const cut = bytes.subarray(0, -writeChunk('{"type":"message_stop"}').length)
    const { client } = clientOf([() => streamOf(cut), () => streamOf(bytes)])
    // The reason to stop came before the last event: the answer is whole.
    await expect(collect(client)).resolves.toMatchObject({ choices: [{ finish_reason: 'stop' }] })
    const events = client.stream!({ messages: QUESTION }, {})
    const seen: unknown[] = []
    const read = async (): Promise<void> => {
      for (let next = await events.next(); !next.done; next = await events.next()) seen.push(next.value)
    }
    await expect(read()).rejects.toMatchObject({ kind: 'server', message: expect.stringContaining('damaged') })
    expect(seen).toContainEqual({ type: 'textDelta', index: 0, text: expect.any(String) })
  })

  test('in whose place a web page comes says so', async () => {
    const page = (): Response =>
      new Response('<html><body>Please log in</body></html>', { headers: { 'content-type': 'text/html' } })
    await expect(collect(clientOf([page]).client)).rejects.toThrow('a web page (HTML), which says: `Please log in`')
  })

  test('stops with its signal', async () => {
    const open = (): Response =>
      new Response(
        new ReadableStream({ start: (controller) => controller.enqueue(writeEvents(TEXT!.stream.slice(0, 700))) }),
        { headers: { 'content-type': 'application/vnd.amazon.eventstream' } },
      )
    const { client } = clientOf([open])
    const stop = new AbortController()
    const events = client.stream!({ messages: QUESTION }, { signal: stop.signal })
    await events.next()
    stop.abort()
    await expect(
      events
        .next()
        .then(() => events.next())
        .then(() => events.next()),
    ).rejects.toMatchObject({
      code: 'aborted',
    })
  })
})

describe('a failure of Bedrock', () => {
  test.each([
    [403, 'AccessDeniedException', "You don't have access to the model", 'auth'],
    [403, 'UnrecognizedClientException', 'The security token included in the request is invalid.', 'auth'],
    [400, 'ExpiredTokenException', 'The security token included in the request is expired', 'auth'],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'not-found'],
    [400, 'ServiceQuotaExceededException', 'You have exceeded a quota', 'quota'],
    [424, 'ModelErrorException', 'The model failed', 'server'],
    [429, 'ModelNotReadyException', 'Not ready', 'overloaded'],
    [429, 'ThrottlingException', 'Too many tokens per day, please wait before trying again.', 'quota'],
    [429, 'ThrottlingException', 'Too many requests, please wait before trying again.', 'rate-limit'],
  ])('with status %i and `%s` has its kind (%s)', async (status, type, message, kind) => {
    const { client } = clientOf([refusalOf(status, type, message, kind === 'auth' ? 'Message' : 'message')])
    await expect(client.create({ messages: QUESTION }, {})).rejects.toMatchObject({
      ...{ kind, status, message: expect.stringContaining(message) },
      details: { type, requestId: 'r-1' },
    })
  })

  test('of the keys is one of kind `auth`, before anything was sent', async () => {
    const failures: [unknown, string][] = [
      [() => Promise.reject(new Error('the profile has ended')), 'the profile has ended'],
      [() => ({ accessKeyId: 'AKID' }), 'does not return `{ accessKeyId, secretAccessKey }`'],
    ]
    for (const [credentials, message] of failures) {
      const { client, sent } = clientOf([], { credentials })
      const failed = client.create({ messages: QUESTION }, {})
      await expect(failed).rejects.toMatchObject({ kind: 'auth', message: expect.stringContaining(message) })
      expect(sent).toEqual([])
    }
  })

  test('of keys that no header takes is one of kind `auth`, and line breaks around them are left out', async () => {
    const { client, sent } = clientOf([whole], {
      credentials: { accessKeyId: 'AKID\n', secretAccessKey: ' secret\r\n', sessionToken: 'token\n' },
    })
    await client.create({ messages: QUESTION }, {})
    const [{ url, headers, text }] = sent as [Sent]
    const signed = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body: text }
    const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' }
    expect(headers).toMatchObject(
      await signAws(signed, { credentials, region: 'us-east-1', service: 'bedrock', now: NOW }),
    )
    for (const wrong of ['to\nken', 'toké']) {
      const { client: other, sent: none } = clientOf([], { credentials: { ...KEYS, sessionToken: wrong } })
      const failed = other.create({ messages: QUESTION }, {})
      await expect(failed).rejects.toMatchObject({ kind: 'auth', message: expect.not.stringContaining(wrong) })
      expect(none).toEqual([])
    }
  })

  test('never shows a key, whatever is quoted', async () => {
    const { secretAccessKey, sessionToken, accessKeyId } = KEYS
    const quoted = `${secretAccessKey} ${sessionToken} ${accessKeyId}`
    const { client } = clientOf([refusalOf(403, 'InvalidSignatureException', quoted)])
    const error: unknown = await Promise.resolve(client.create({ messages: QUESTION }, {})).catch(
      (reason: unknown) => reason,
    )
    const shown = JSON.stringify(error, Object.getOwnPropertyNames(error)) + String((error as Error).stack)
    for (const secret of Object.values(KEYS)) expect(shown).not.toContain(secret)
  })
})

describe('a config for Bedrock', () => {
  const bare = { model: MODEL, fetch: async () => Response.json({}) }

  test('without a region or with wrong keys is refused', () => {
    const messageOf = (config: ConfigEntry): unknown => expect.objectContaining({ code: 'invalid-config', ...config })
    expect(() => anthropicBedrock.createClient({ ...bare, region: 7 })).toThrow(messageOf({}))
    expect(() => anthropicBedrock.createClient({ ...bare, region: 'x@evil.example/' })).toThrow('`region`')
    for (const credentials of ['AKID', {}, { accessKeyId: 'a', secretAccessKey: 7 }]) {
      expect(() => anthropicBedrock.createClient({ ...bare, region: 'us-east-1', credentials })).toThrow(messageOf({}))
    }
  })

  test('with an endpoint of AWS needs no region, since its host names one', async () => {
    const baseUrl = 'https://bedrock-runtime-fips.eu-central-1.amazonaws.com/'
    const { client, sent } = clientOf([whole], { baseUrl, region: undefined })
    await client.create({ messages: QUESTION }, {})
    expect(sent[0]!.headers['authorization']).toContain('/eu-central-1/bedrock/aws4_request')
  })

  test('with an endpoint of others and no keys sends no signature, and nothing of the environment', async () => {
    const { client, sent } = clientOf([whole], { baseUrl: 'http://gateway.invalid', credentials: undefined })
    await client.create({ messages: QUESTION }, {})
    expect(sent[0]!.headers['authorization']).toBeUndefined()
    expect(anthropicBedrock(MODEL).environment).toContain('AWS_ACCESS_KEY_ID')
    expect(anthropicBedrock(MODEL, { baseUrl: 'http://gateway.invalid' }).environment).toEqual([])
  })
})
