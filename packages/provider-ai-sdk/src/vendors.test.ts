import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createCohere } from '@ai-sdk/cohere'
import { createGoogleVertexAnthropic } from '@ai-sdk/google-vertex/anthropic'
import { createMistral } from '@ai-sdk/mistral'
import type { ChatMessage, ModelAnswer, ModelClient, ModelEvent } from '@x/interfaces'
import { anthropicFormat } from '@x/testing/anthropic'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import { aiSdk } from './index.ts'
import type { AiSdkModel } from './model-types.ts'
import { writeMessage } from './event-stream.fake.ts'

type Fetch = typeof globalThis.fetch

/** A request that was sent. */
interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/** A vendor with the answers that its documentation shows, complete and streamed. */
interface Vendor {
  readonly name: string
  readonly create: (fetch: Fetch) => AiSdkModel
  readonly whole: object
  readonly stream: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly sends: { readonly url: RegExp; readonly authorization: RegExp; readonly body: object }
  readonly says: object
  /** The assistant's message of the next request, with what only the model can read. */
  readonly returned: object
  readonly failures: readonly (readonly [status: number, body: object, kind: string])[]
}

const sse = (frames: readonly object[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(frames.map((data) => writeFrame({ data: JSON.stringify(data) })).join('')))

const ARGS = '{"city":"Rome"}'
const CALL = { id: expect.any(String), type: 'function', function: { name: 'weather', arguments: ARGS } }
const message = (reasoning: string, text: string | null, usage: object): object => ({
  choices: [{ finish_reason: 'tool_calls', reasoning, message: { content: text, tool_calls: [CALL] } }],
  usage,
})

const bedrock: Vendor = {
  name: 'Amazon Bedrock',
  create: (fetch) =>
    createAmazonBedrock({
      ...{ region: 'us-east-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-of-aws', fetch },
    })('us.amazon.nova-premier-v1:0'),
  whole: {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Look.', signature: 'c2ln' } } },
          { text: 'I look.' },
          { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Rome' } } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens: 20, outputTokens: 9, totalTokens: 34, cacheReadInputTokens: 5 },
    metrics: { latencyMs: 7 },
  },
  type: 'application/vnd.amazon.eventstream',
  stream: Uint8Array.from(
    Buffer.concat([
      writeMessage('messageStart', { role: 'assistant' }),
      writeMessage('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Look.' } } }),
      writeMessage('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'c2ln' } } }),
      writeMessage('contentBlockStop', { contentBlockIndex: 0 }),
      writeMessage('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'I ' } }),
      writeMessage('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'look.' } }),
      writeMessage('contentBlockStop', { contentBlockIndex: 1 }),
      writeMessage('contentBlockStart', {
        ...{ contentBlockIndex: 2, start: { toolUse: { toolUseId: 'tooluse_1', name: 'weather' } } },
      }),
      writeMessage('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"city":' } } }),
      writeMessage('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '"Rome"}' } } }),
      writeMessage('contentBlockStop', { contentBlockIndex: 2 }),
      writeMessage('messageStop', { stopReason: 'tool_use' }),
      writeMessage('metadata', {
        usage: { inputTokens: 20, outputTokens: 9, totalTokens: 34, cacheReadInputTokens: 5 },
        metrics: { latencyMs: 7 },
      }),
    ]),
  ),
  sends: {
    url: /^https:\/\/bedrock-runtime\.us-east-1\.amazonaws\.com\/model\/us\.amazon\.nova-premier-v1%3A0\/converse(?:-stream)?$/u,
    authorization: /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=/u,
    body: { messages: [{ role: 'user', content: [{ text: 'Weather in Rome?' }] }], inferenceConfig: { maxTokens: 99 } },
  },
  says: message('Look.', 'I look.', { prompt_tokens: 25, completion_tokens: 9, cached_tokens: 5 }),
  returned: {
    role: 'assistant',
    content: [
      { reasoningContent: { reasoningText: { text: 'Look.', signature: 'c2ln' } } },
      { text: 'I look.' },
      { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Rome' } } },
    ],
  },
  failures: [
    [403, { message: 'The security token included in the request is expired' }, 'auth'],
    [404, { message: 'This model version has reached the end of its life.' }, 'not-found'],
    [424, { message: 'The model failed' }, 'server'],
    [429, { message: 'Too many requests' }, 'rate-limit'],
    [400, { message: 'Input is too long for requested model.' }, 'context-overflow'],
  ],
}

const COHERE_CALL = { id: 'weather_1', type: 'function', function: { name: 'weather', arguments: ARGS } }
const COHERE_USAGE = {
  billed_units: { input_tokens: 9, output_tokens: 7 },
  tokens: { input_tokens: 20, output_tokens: 9 },
}
const cohere: Vendor = {
  name: 'Cohere',
  create: (fetch) => createCohere({ apiKey: 'key-of-cohere', fetch })('command-a-reasoning-08-2025'),
  whole: {
    generation_id: 'g-1',
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Look.' },
        { type: 'text', text: 'I look.' },
      ],
      tool_calls: [COHERE_CALL],
    },
    finish_reason: 'TOOL_CALL',
    usage: COHERE_USAGE,
  },
  type: 'text/event-stream',
  stream: sse([
    { type: 'message-start', id: 'g-1' },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'thinking', thinking: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'Look.' } } } },
    { type: 'content-end', index: 0 },
    { type: 'content-start', index: 1, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 1, delta: { message: { content: { text: 'I ' } } } },
    { type: 'content-delta', index: 1, delta: { message: { content: { text: 'look.' } } } },
    { type: 'content-end', index: 1 },
    {
      type: 'tool-call-start',
      index: 0,
      delta: {
        message: { tool_calls: { ...COHERE_CALL, function: { name: 'weather', arguments: '' } } },
      },
    },
    { type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: ARGS } } } } },
    { type: 'tool-call-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: COHERE_USAGE } },
  ]),
  sends: {
    url: /^https:\/\/api\.cohere\.com\/v2\/chat$/u,
    authorization: /^Bearer key-of-cohere$/u,
    body: {
      model: 'command-a-reasoning-08-2025',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'Weather in Rome?' }],
    },
  },
  says: message('Look.', 'I look.', { prompt_tokens: 20, completion_tokens: 9 }),
  returned: { role: 'assistant', tool_calls: [COHERE_CALL] },
  failures: [
    [401, { message: 'invalid api token' }, 'auth'],
    [404, { message: "model 'x' not found" }, 'not-found'],
    [429, { message: 'Please wait and try again later' }, 'rate-limit'],
    [500, { message: 'internal server error' }, 'server'],
    [400, { message: 'too many tokens: size limit exceeded by 9 tokens' }, 'context-overflow'],
  ],
}

const MISTRAL_CALL = { id: 'abcdefgh1', function: { name: 'weather', arguments: ARGS } }
const MISTRAL_USAGE = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 }
const mistralFrame = (delta: object, end: object = { finish_reason: null }): object => {
  const { usage, ...choice } = end as { usage?: object }
  return {
    id: 'm-1',
    created: 1,
    model: 'magistral-medium-2509',
    choices: [{ index: 0, delta, ...choice }],
    ...(usage && { usage }),
  }
}
const mistralThought = [{ type: 'thinking', thinking: [{ type: 'text', text: 'Look.' }] }]
const mistral: Vendor = {
  name: 'Mistral',
  create: (fetch) => createMistral({ apiKey: 'key-of-mistral', fetch })('magistral-medium-2509'),
  whole: {
    ...{ id: 'm-1', object: 'chat.completion', created: 1, model: 'magistral-medium-2509', usage: MISTRAL_USAGE },
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: [...mistralThought, { type: 'text', text: 'I look.' }],
          tool_calls: [MISTRAL_CALL],
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
  type: 'text/event-stream',
  stream: sse([
    mistralFrame({ role: 'assistant', content: mistralThought }),
    mistralFrame({ content: 'I ' }),
    mistralFrame({ content: 'look.' }),
    mistralFrame({ content: '', tool_calls: [{ index: 0, ...MISTRAL_CALL }] }),
    mistralFrame({ content: '' }, { finish_reason: 'tool_calls', usage: MISTRAL_USAGE }),
  ]),
  sends: {
    url: /^https:\/\/api\.mistral\.ai\/v1\/chat\/completions$/u,
    authorization: /^Bearer key-of-mistral$/u,
    body: {
      model: 'magistral-medium-2509',
      max_tokens: 99,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Weather in Rome?' }] }],
    },
  },
  says: message('Look.', 'I look.', { prompt_tokens: 20, completion_tokens: 9 }),
  returned: { role: 'assistant', tool_calls: [{ id: 'abcdefgh1', type: 'function' }] },
  failures: [
    [401, { message: 'Unauthorized' }, 'auth'],
    [
      429,
      { object: 'error', message: 'Requests rate limit exceeded', type: 'rate_limited', param: null, code: '1300' },
      'rate-limit',
    ],
    [503, { object: 'error', message: 'Service unavailable', type: 'x', param: null, code: null }, 'overloaded'],
  ],
}

const CLAUDE_REPLY = {
  reasoning: { text: 'Look.', signature: 'c2ln' },
  text: 'I look.',
  calls: [{ id: 'toolu_1', name: 'weather', args: { city: 'Rome' } }],
  usage: { prompt: 20, cached: 5, completion: 9 },
}
const vertex: Vendor = {
  name: 'Anthropic on Vertex',
  create: (fetch) =>
    createGoogleVertexAnthropic({
      ...{ project: 'p-1', location: 'us-east5', fetch, generateAuthToken: async () => 'token-1' },
    })('claude-sonnet-4-5@20250929'),
  whole: anthropicFormat.whole(CLAUDE_REPLY),
  type: 'text/event-stream',
  stream: Uint8Array.from(Buffer.from(anthropicFormat.frames(CLAUDE_REPLY).map(writeFrame).join(''))),
  sends: {
    url: /^https:\/\/us-east5-aiplatform\.googleapis\.com\/v1\/projects\/p-1\/locations\/us-east5\/publishers\/anthropic\/models\/claude-sonnet-4-5@20250929:(?:rawPredict|streamRawPredict)$/u,
    authorization: /^Bearer token-1$/u,
    body: {
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 99,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Weather in Rome?' }] }],
    },
  },
  says: message('Look.', 'I look.', { prompt_tokens: 20, completion_tokens: 9, cached_tokens: 5 }),
  returned: {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Look.', signature: 'c2ln' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } },
    ],
  },
  failures: [
    [400, anthropicFormat.errorBody(400, 'prompt is too long: 210000 tokens > 200000 maximum'), 'context-overflow'],
    [401, anthropicFormat.errorBody(401, 'invalid token'), 'auth'],
    [429, anthropicFormat.errorBody(429, 'Quota exceeded'), 'rate-limit'],
    [529, anthropicFormat.errorBody(529, 'Overloaded'), 'overloaded'],
  ],
}

const QUESTION: ChatMessage = { role: 'user', content: 'Weather in Rome?' }
const TOOLS = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      description: 'Tells the weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]

/** Makes a client whose requests are answered one after the other. */
function clientOf({ create }: Vendor, answers: readonly (() => Response)[]): { client: ModelClient; sent: Sent[] } {
  const sent: Sent[] = []
  const model = create(async (input, init) => {
    const body = JSON.parse(init?.body as string) as Sent['body']
    sent.push({ url: input as string, headers: new Headers(init?.headers), body })
    return answers[sent.length - 1]!()
  })
  return { client: aiSdk.createClient(aiSdk(model)), sent }
}

async function collect(client: ModelClient, messages: ChatMessage[]): Promise<[ModelEvent[], ModelAnswer]> {
  const events: ModelEvent[] = []
  const stream = client.stream!({ messages, tools: TOOLS, max_tokens: 99 }, {})
  for (;;) {
    const next = await stream.next()
    if (next.done) return [events, next.value]
    events.push(next.value)
  }
}

describe.each([bedrock, cohere, mistral, vertex])('$name', (vendor) => {
  const whole = (): Response => Response.json(vendor.whole)
  const stream = (): Response => new Response(vendor.stream, { headers: { 'content-type': vendor.type } })

  test('a request and its complete answer', async () => {
    const { client, sent } = clientOf(vendor, [whole])
    const answer = await client.create({ messages: [QUESTION], tools: TOOLS, max_tokens: 99 }, {})
    const { url, headers, body } = sent[0]!
    expect(url).toMatch(vendor.sends.url)
    expect(headers.get('authorization')).toMatch(vendor.sends.authorization)
    expect(body).toMatchObject(vendor.sends.body)
    expect(JSON.stringify(body)).toContain('Tells the weather.')
    expect(answer).toMatchObject(vendor.says)
  })

  test('the stream says the same, piece by piece', async () => {
    const { client, sent } = clientOf(vendor, [stream])
    const [events, answer] = await collect(client, [QUESTION])
    expect(sent[0]!.url).toMatch(vendor.sends.url)
    expect(answer).toMatchObject(vendor.says)
    const texts = events.flatMap((event) => (event.type === 'textDelta' ? [event.text] : []))
    expect(texts.length).toBe(2)
    expect(texts.join('')).toBe('I look.')
    const pieces = events.flatMap((event) => (event.type === 'toolCallDelta' ? [event.arguments] : []))
    expect(pieces.join('')).toBe(ARGS)
  })

  test.each([whole, stream])('what only the model can read goes back to it, and to no other (%#)', async (first) => {
    const { client, sent } = clientOf(vendor, [first, whole])
    const isWhole = first === whole
    const answer = isWhole
      ? await client.create({ messages: [QUESTION], tools: TOOLS, max_tokens: 99 }, {})
      : (await collect(client, [QUESTION]))[1]
    const made = answer.choices[0]!.message
    const result: ChatMessage = { role: 'tool', tool_call_id: made.tool_calls![0]!.id, content: 'Sunny.' }
    const history = [QUESTION, JSON.parse(JSON.stringify(made)) as ChatMessage, result]
    await client.create({ messages: history, tools: TOOLS, max_tokens: 99 }, {})
    const [, assistant] = sent[1]!.body['messages'] as object[]
    expect(assistant).toMatchObject(vendor.returned)
    expect(JSON.stringify(sent[1]!.body)).toContain('Sunny.')

    const other = vendor === cohere ? mistral : cohere
    const { client: second, sent: elsewhere } = clientOf(other, [() => Response.json(other.whole)])
    const warnings: string[] = []
    await second.create({ messages: history, tools: TOOLS }, { warn: (topic) => warnings.push(topic) })
    expect(JSON.stringify(elsewhere[0]!.body)).not.toContain('Look.')
    expect(warnings).toContain('reasoning')
  })

  test.each(vendor.failures)('status %i with %j has its kind (%s)', async (status, body, kind) => {
    const refusal = (): Response => Response.json(body, { status, headers: { 'retry-after': '3' } })
    const { client } = clientOf(vendor, [refusal, refusal])
    const expected = { kind, status, retryAfterMs: 3000 }
    await expect(client.create({ messages: [QUESTION] }, {})).rejects.toMatchObject(expected)
    await expect(collect(client, [QUESTION])).rejects.toMatchObject(expected)
  })

  test('a stream stops with its signal, and its connection is left', async () => {
    let isLeft = false
    const open = (): Response =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(vendor.stream.slice(0, vendor.stream.length - 400)),
          cancel: () => {
            isLeft = true
          },
        }),
        { headers: { 'content-type': vendor.type } },
      )
    const { client } = clientOf(vendor, [open])
    const stop = new AbortController()
    const events = client.stream!({ messages: [QUESTION], max_tokens: 99 }, { signal: stop.signal })
    await events.next()
    stop.abort()
    const read = async (): Promise<void> => {
      while (!(await events.next()).done);
    }
    await expect(read()).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(() => isLeft).toBe(true)
  })
})

test('exceptions in a stream of Bedrock have their kinds', async () => {
  const rows = [
    ['throttlingException', 'rate-limit'],
    ['modelStreamErrorException', 'server'],
    ['serviceUnavailableException', 'overloaded'],
    ['validationException', 'invalid-request'],
  ] as const
  for (const [type, kind] of rows) {
    const bytes = Uint8Array.from(writeMessage(type, { message: 'No.' }, 'exception'))
    const { client } = clientOf(bedrock, [() => new Response(bytes, { headers: { 'content-type': bedrock.type } })])
    await expect(collect(client, [QUESTION])).rejects.toMatchObject({ kind, message: expect.stringContaining('No.') })
  }
})
