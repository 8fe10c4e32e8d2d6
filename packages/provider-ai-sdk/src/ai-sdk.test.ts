import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { ChatMessage, ModelAnswer, ModelClient, ModelEvent, ModelParams } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { aiSdk, createAiSdk } from './index.ts'

const USAGE = {
  inputTokens: { total: 20, noCache: 12, cacheRead: 5, cacheWrite: 3 },
  outputTokens: { total: 9, text: 5, reasoning: 4 },
  raw: { tokens: 29 },
}
const STOP = { unified: 'stop', raw: 'end' } as const
const FACTS = { id: 'r-1', modelId: 'm-1-2026', timestamp: new Date(5000) }

/** A model of version 4 that answers with this content, or throws; it keeps the options of its calls. */
function modelV4(
  content: LanguageModelV4Content[],
  more: Partial<LanguageModelV4GenerateResult> & {
    provider?: string
    error?: Error
    parts?: LanguageModelV4StreamPart[]
  } = {},
): { model: LanguageModelV4; calls: LanguageModelV4CallOptions[] } {
  const calls: LanguageModelV4CallOptions[] = []
  const { provider = 'acme.chat', error, parts = [], ...result } = more
  const model: LanguageModelV4 = {
    ...{ specificationVersion: 'v4', provider, modelId: 'm-1', supportedUrls: {} },
    async doGenerate(options) {
      calls.push(options)
      if (error) throw error
      return { content, finishReason: STOP, usage: USAGE, warnings: [], response: FACTS, ...result }
    },
    async doStream(options) {
      calls.push(options)
      if (error) throw error
      return { stream: ReadableStream.from(parts), response: { headers: { 'x-request-id': 'q-1' } } }
    },
  }
  return { model, calls }
}

/** The same of version 3. */
function modelV3(content: LanguageModelV3Content[]): { model: LanguageModelV3; calls: LanguageModelV3CallOptions[] } {
  const calls: LanguageModelV3CallOptions[] = []
  const result: LanguageModelV3GenerateResult = { content, finishReason: STOP, usage: USAGE, warnings: [] }
  const model: LanguageModelV3 = {
    ...{ specificationVersion: 'v3', provider: 'older.chat', modelId: 'm-0', supportedUrls: {} },
    async doGenerate(options) {
      calls.push(options)
      return result
    },
    doStream: async () => ({ stream: ReadableStream.from([]) }),
  }
  return { model, calls }
}

const clientOf = (model: LanguageModelV3 | LanguageModelV4): ModelClient => aiSdk.createClient(aiSdk(model))
const QUESTION: ChatMessage = { role: 'user', content: 'Why?' }

async function collect(client: ModelClient): Promise<{ events: ModelEvent[]; answer: ModelAnswer }> {
  const events: ModelEvent[] = []
  const stream = client.stream!({ messages: [QUESTION] }, {})
  for (;;) {
    const next = await stream.next()
    if (next.done) return { events, answer: next.value }
    events.push(next.value)
  }
}

const SEARCH = { toolCallId: 's1', toolName: 'web_search' }
const CONTENT: LanguageModelV4Content[] = [
  { type: 'reasoning', text: 'Hm.', providerMetadata: { acme: { signature: 'sig' } } },
  { type: 'tool-call', ...SEARCH, input: '{"q":"so"}', providerExecuted: true },
  { type: 'tool-result', ...SEARCH, result: { hits: 1 } },
  {
    type: 'text',
    text: 'So it is.',
    citations: [
      {
        source: { type: 'source', sourceType: 'url', id: '1', url: 'https://a.invalid', title: 'A' },
        startIndex: 0,
        endIndex: 2,
        citedText: 'so',
      },
    ],
    providerMetadata: { acme: { item: 'i-1' } },
  },
  { type: 'source', sourceType: 'url', id: '1', url: 'https://a.invalid', title: 'A' },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: Uint8Array.of(1, 2, 3) } },
  {
    type: 'tool-call',
    toolCallId: 'c1',
    toolName: 'weather',
    input: '{"city":"Rome"}',
    providerMetadata: { acme: { thought: 't' } },
  },
]

/** The parts of a stream with the same content. */
const PARTS: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', ...FACTS },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r', providerMetadata: { acme: { signature: 'sig' } } },
  { type: 'tool-input-start', id: 's1', toolName: 'web_search', providerExecuted: true },
  { type: 'tool-input-delta', id: 's1', delta: '{"q":"so"}' },
  { type: 'tool-input-end', id: 's1' },
  CONTENT[1] as LanguageModelV4StreamPart,
  { type: 'tool-result', ...SEARCH, result: { hits: 0 }, preliminary: true },
  CONTENT[2] as LanguageModelV4StreamPart,
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'So it ' },
  { type: 'ping' },
  { type: 'text-delta', id: 't', delta: 'is.' },
  { type: 'text-end', id: 't', ...pick(CONTENT[3]!, 'citations', 'providerMetadata') },
  CONTENT[4] as LanguageModelV4StreamPart,
  CONTENT[5] as LanguageModelV4StreamPart,
  { type: 'tool-input-start', id: 'c1', toolName: 'weather' },
  { type: 'tool-input-delta', id: 'c1', delta: '{"city":' },
  { type: 'tool-input-delta', id: 'c1', delta: '"Rome"}' },
  { type: 'tool-input-end', id: 'c1' },
  CONTENT[6] as LanguageModelV4StreamPart,
  {
    type: 'finish',
    usage: USAGE,
    finishReason: { unified: 'tool-calls', raw: 'tools' },
    providerMetadata: { acme: { tier: 'x' } },
  },
]

function pick(value: object, ...keys: string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)))
}

const TOOL_END = {
  finishReason: { unified: 'tool-calls', raw: 'tools' },
  providerMetadata: { acme: { tier: 'x' } },
} as const
const PNG = 'data:image/png;base64,AQID'

describe('an answer', () => {
  test('has everything that the model gave, complete and streamed alike', async () => {
    const { model } = modelV4(CONTENT, { ...TOOL_END, parts: PARTS })
    const client = clientOf(model)
    const whole = await client.create({ messages: [QUESTION] }, {})
    expect(whole).toMatchObject({
      ...{ id: 'r-1', model: 'm-1-2026', created: 5, extra: { providerMetadata: { acme: { tier: 'x' } } } },
      usage: {
        prompt_tokens: 20,
        completion_tokens: 9,
        cached_tokens: 5,
        cache_write_tokens: 3,
        reasoning_tokens: 4,
        raw: { tokens: 29 },
      },
      choices: [
        {
          finish_reason: 'tool_calls',
          finish_details: { reason: 'tools' },
          reasoning: 'Hm.',
          citations: [{ start: 0, end: 2, url: 'https://a.invalid', title: 'A', quote: 'so' }],
          sources: [{ type: 'url', url: 'https://a.invalid', title: 'A' }],
          media: [{ type: 'image', media_type: 'image/png', url: PNG, at: 9 }],
          provider_parts: [CONTENT[1], CONTENT[2]],
          message: {
            content: 'So it is.',
            tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
          },
        },
      ],
    })
    const { answer, events } = await collect(client)
    expect(answer).toEqual({ ...whole, headers: { 'x-request-id': 'q-1' } })
    expect(events.filter(({ type }) => type === 'toolCallDelta')).toHaveLength(2)
    expect(events.filter(({ type }) => type === 'textDelta')).toHaveLength(2)
  })

  test('goes back whole to the same model, and without what only that can read to another', async () => {
    const first = modelV4(CONTENT, TOOL_END)
    const answer = await clientOf(first.model).create({ messages: [QUESTION] }, {})
    const stored = JSON.parse(JSON.stringify(answer.choices[0]!.message)) as ChatMessage
    const messages = [QUESTION, stored, { role: 'tool' as const, tool_call_id: 'c1', content: 'Sunny.' }]
    await clientOf(first.model).create({ messages }, {})
    expect(first.calls[1]!.prompt.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: { acme: { signature: 'sig' } } },
          { type: 'tool-call', ...SEARCH, input: { q: 'so' }, providerExecuted: true },
          { type: 'tool-result', ...SEARCH, output: { type: 'json', value: { hits: 1 } } },
          { type: 'text', text: 'So it is.', providerOptions: { acme: { item: 'i-1' } } },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
          {
            ...{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Rome' } },
            providerOptions: { acme: { thought: 't' } },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output: { type: 'text', value: 'Sunny.' } },
        ],
      },
    ])
    const other = modelV4([], { provider: 'other.chat' })
    const warnings: string[] = []
    await clientOf(other.model).create({ messages }, { warn: (topic) => warnings.push(topic) })
    expect(other.calls[0]!.prompt[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: 'So it is.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Rome' } },
      ],
    })
    expect(warnings).toEqual(['reasoning'])
  })

  test('whose text was changed goes back behind what only the model can read', async () => {
    const { model, calls } = modelV4([CONTENT[0]!, { type: 'text', text: 'So.' }])
    const answer = await clientOf(model).create({ messages: [QUESTION] }, {})
    const message = { ...answer.choices[0]!.message, content: 'Changed.' }
    await clientOf(model).create({ messages: [QUESTION, message, QUESTION] }, {})
    expect(calls[1]!.prompt[1]!.content).toMatchObject([{ type: 'reasoning' }, { type: 'text', text: 'Changed.' }])
  })

  test('that uses only tools of the provider has ended', async () => {
    const { model } = modelV4(CONTENT.slice(0, 3), TOOL_END)
    expect((await clientOf(model).create({ messages: [QUESTION] }, {})).choices[0]!.finish_reason).toBe('stop')
  })

  test.each([
    ['content-filter', 'x', 'content_filter'],
    ['length', undefined, 'length'],
    ['other', 'Paused', 'paused'],
  ] as const)('with the end `%s` (%s) has the finish reason `%s`', async (unified, raw, reason) => {
    const { model } = modelV4([{ type: 'text', text: 'a' }], { finishReason: { unified, raw } })
    expect((await clientOf(model).create({ messages: [QUESTION] }, {})).choices[0]!.finish_reason).toBe(reason)
  })

  test('with the end `error` is none', async () => {
    const { model } = modelV4([], { finishReason: { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' } })
    const failure = { kind: 'server', message: expect.stringContaining('MALFORMED_FUNCTION_CALL') as unknown }
    await expect(clientOf(model).create({ messages: [QUESTION] }, {})).rejects.toMatchObject(failure)
  })

  test('of a stream without a word of the provider at its end is cut', async () => {
    for (const unified of ['other', 'interrupted'] as const) {
      const finish: LanguageModelV4StreamPart = {
        type: 'finish',
        usage: USAGE,
        finishReason: { unified, raw: undefined },
      }
      const { model } = modelV4([], { parts: [...PARTS.slice(0, 14), finish] })
      await expect(collect(clientOf(model))).rejects.toMatchObject({ kind: 'truncated' })
    }
  })

  test.each([
    ['none', []],
    ['not all', ['{"city"', ': ']],
    ['all', ['{"city": "Rome"}']],
    ['all of another form', ['{"city":"Rome"}']],
  ])('has the whole arguments of a call, of which %s came as pieces', async (_, pieces) => {
    const call = { toolCallId: 'c', toolName: 'weather' }
    const piecesOf = (texts: readonly string[]): LanguageModelV4StreamPart[] => [
      { type: 'tool-input-start', id: 'c', toolName: 'weather' },
      ...texts.map((delta) => ({ type: 'tool-input-delta' as const, id: 'c', delta })),
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', ...call, input: '{"city": "Rome"}' },
      { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tools' }, usage: USAGE },
    ]
    const { events, answer } = await collect(clientOf(modelV4([], { parts: piecesOf(pieces) }).model))
    const [made] = answer.choices[0]!.message.tool_calls!
    expect(JSON.parse(made!.function.arguments)).toEqual({ city: 'Rome' })
    const told = events.map((event) => (event.type === 'toolCallDelta' ? event.arguments : '')).join('')
    expect(told).toBe(made!.function.arguments)
    const others = collect(clientOf(modelV4([], { parts: piecesOf(['{"town"']) }).model))
    await expect(others).rejects.toMatchObject({ kind: 'server', message: expect.stringContaining('another input') })
  })

  test('has a call whose arguments come at once', async () => {
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'tool-input-start', id: 'c1', toolName: 'weather', inputEncoding: 'text' },
      { type: 'tool-input-delta', id: 'c1', delta: 'Rome' },
      { type: 'tool-input-end', id: 'c1' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"city":"Rome"}' },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'now', input: '' },
      PARTS.at(-1)!,
    ]
    const { answer } = await collect(clientOf(modelV4([], { parts }).model))
    expect(answer.choices[0]!.message.tool_calls).toMatchObject([
      { id: 'c1', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
      { id: 'c2', function: { name: 'now', arguments: '{}' } },
    ])
  })

  test('tells what the model warns of, each once', async () => {
    const { model } = modelV4([{ type: 'text', text: 'a' }], {
      warnings: [
        { type: 'unsupported', feature: 'topK', details: 'it is skipped' },
        { type: 'deprecated', setting: 'safe', message: 'use strict' },
        { type: 'other', message: 'The model is old.' },
      ],
    })
    const texts: string[] = []
    await clientOf(model).create({ messages: [QUESTION] }, { warn: (_, text) => texts.push(text) })
    expect(texts).toEqual([
      '`acme.chat/m-1`: `topK` is unsupported: it is skipped',
      '`acme.chat/m-1`: `safe` is deprecated: use strict',
      '`acme.chat/m-1`: The model is old.',
    ])
  })
})

describe('a request', () => {
  const send = async (params: Omit<ModelParams, 'messages'>, messages = [QUESTION]) => {
    const { model, calls } = modelV4([])
    const warnings: string[] = []
    await clientOf(model).create({ ...params, messages }, { warn: (_, text) => warnings.push(text) })
    const { abortSignal, ...options } = calls[0]!
    expect(abortSignal).toBeInstanceOf(AbortSignal)
    return { options, warnings }
  }

  test('has the parameters under the names of the AI SDK', async () => {
    const { options, warnings } = await send({
      ...{ temperature: 0.5, top_p: 0.9, top_k: 4, max_tokens: 99, stop: 'END', seed: 7, n: 1 },
      ...{ presence_penalty: 0.1, frequency_penalty: 0.2, reasoning_effort: 'low' },
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema: { type: 'object' } } },
      tools: [
        {
          type: 'function',
          function: { name: 'weather', description: 'Tells.', parameters: { type: 'object' }, strict: true },
        },
        { type: 'provider', id: 'acme.search', name: 'search', args: {} } as never,
      ],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      providerOptions: { acme: { safe: true }, 'ai-sdk': { top_k: 5 } },
      extra_headers: { 'x-mine': 'a' },
    })
    expect(options).toEqual({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }],
      ...{ temperature: 0.5, topP: 0.9, topK: 5, maxOutputTokens: 99, stopSequences: ['END'], seed: 7 },
      ...{ presencePenalty: 0.1, frequencyPenalty: 0.2, reasoning: 'low' },
      responseFormat: { type: 'json', schema: { type: 'object' }, name: 'city' },
      tools: [
        {
          type: 'function',
          name: 'weather',
          description: 'Tells.',
          inputSchema: { type: 'object' },
          strict: true,
        },
        { type: 'provider', id: 'acme.search', name: 'search', args: {} },
      ],
      toolChoice: { type: 'tool', toolName: 'weather' },
      providerOptions: { acme: { safe: true } },
      headers: { 'x-mine': 'a' },
    })
    expect(warnings).toEqual([])
  })

  test('leaves out what the AI SDK has no word for, with a warning', async () => {
    const { options, warnings } = await send({
      logprobs: true,
      user: 'u',
      n: 2,
      verbosity: 'low',
      tools: [{ type: 'bash' } as never],
      response_format: { type: 'grammar' },
    })
    expect(Object.keys(options)).toEqual(['prompt'])
    expect(warnings).toHaveLength(6)
    expect(warnings[0]).toBe('`acme.chat/m-1` does not take `logprobs`: it was left out')
  })

  test.each([
    ['auto', { type: 'auto' }],
    ['required', { type: 'required' }],
    ['any', { type: 'required' }],
    ['none', { type: 'none' }],
    [{ type: 'auto' }, { type: 'auto' }],
  ])('has the choice of a tool %j as %j', async (choice, toolChoice) => {
    const tools = [{ type: 'function' as const, function: { name: 'weather' } }]
    expect((await send({ tools, tool_choice: choice })).options).toMatchObject({ toolChoice })
  })

  const MEDIA: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.', cache_control: { type: 'ephemeral' } } as never,
        { type: 'image_url', image_url: { url: PNG } },
        { type: 'image_url', image_url: { url: 'https://a.invalid/b.png' } },
        { type: 'file', file: { file_id: 'acme-1' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'shot', arguments: '{}' } }],
    },
    {
      role: 'tool',
      tool_call_id: 'c1',
      content: [
        { type: 'text', text: 'Here.' },
        { type: 'image_url', image_url: { url: PNG } },
      ],
    },
    { role: 'user', content: 'And?' },
  ]
  const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } }, bedrock: { cachePoint: { type: 'default' } } }

  test('has files and results in the form of version 4', async () => {
    const { options } = await send({}, MEDIA)
    expect(options.prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.', providerOptions: CACHED },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
          { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://a.invalid/b.png') } },
          {
            type: 'file',
            mediaType: 'application/octet-stream',
            data: { type: 'reference', reference: { acme: 'acme-1' } },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'shot', input: {} }] },
      {
        role: 'tool',
        content: [
          {
            ...{ type: 'tool-result', toolCallId: 'c1', toolName: 'shot' },
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'Here.' },
                { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
              ],
            },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ])
  })

  test('has them in the form of version 3 for an older model', async () => {
    const { model, calls } = modelV3([{ type: 'file', mediaType: 'image/png', data: 'AQID' }])
    const warnings: string[] = []
    const answer = await clientOf(model).create(
      { messages: MEDIA, reasoning_effort: 'low' },
      { warn: (topic) => warnings.push(topic) },
    )
    expect(calls[0]!.prompt[1]!.content).toEqual([
      { type: 'text', text: 'Look.', providerOptions: CACHED },
      { type: 'file', mediaType: 'image/png', data: 'AQID' },
      { type: 'file', mediaType: 'image/png', data: new URL('https://a.invalid/b.png') },
      { type: 'text', text: '[a file that a provider stores]' },
    ])
    expect(calls[0]!.prompt[3]!.content).toMatchObject([
      { output: { value: [{ type: 'text' }, { type: 'image-data', data: 'AQID', mediaType: 'image/png' }] } },
    ])
    expect(warnings.toSorted()).toEqual(['content', 'parameter'])
    expect(answer.choices[0]!.media).toEqual([{ type: 'image', media_type: 'image/png', url: PNG, at: 0 }])
  })

  test('tells a failed result', async () => {
    const { options } = await send({}, [
      ...MEDIA.slice(0, 3),
      { role: 'tool', tool_call_id: 'c1', content: 'Error: no' },
    ])
    expect(options.prompt.at(-1)!.content).toMatchObject([{ output: { type: 'error-text', value: 'Error: no' } }])
  })
})

describe('a failure', () => {
  /** Makes an error as the AI SDK has it: known by its name, whatever its class. */
  const failure = (name: string, message: string, fields: object = {}): Error =>
    Object.assign(new Error(message), { name, ...fields })
  const call = (fields: object): Error => failure('AI_APICallError', 'No.', { isRetryable: false, ...fields })

  test.each([
    [failure('AI_LoadAPIKeyError', 'The key is missing'), 'auth'],
    [failure('AI_LoadSettingError', 'The setting is missing'), 'auth'],
    [new Error('Could not load the default credentials'), 'auth'],
    [failure('AI_NoSuchModelError', 'No such model'), 'not-found'],
    [failure('AI_UnsupportedFunctionalityError', 'Not supported'), 'invalid-request'],
    [failure('AI_InvalidPromptError', 'No prompt'), 'invalid-request'],
    [failure('AI_JSONParseError', 'Not JSON'), 'server'],
    [failure('AI_TypeValidationError', 'Not valid'), 'server'],
    [failure('AI_EmptyResponseBodyError', 'Empty'), 'server'],
    [call({ isRetryable: true }), 'connection'],
    [call({ statusCode: 200 }), 'server'],
    [call({ statusCode: 424 }), 'server'],
    [call({ statusCode: 413 }), 'context-overflow'],
    [call({ statusCode: 402 }), 'quota'],
    [call({ statusCode: 400, responseBody: '{"error":{"code":"content_filter"}}' }), 'content-filter'],
    [new TypeError('fetch failed'), 'connection'],
    [new Error('What?'), 'server'],
  ])('%s has its kind (%s)', async (error, kind) => {
    const client = clientOf(modelV4([], { error }).model)
    await expect(client.create({ messages: [QUESTION] }, {})).rejects.toMatchObject({ kind })
    await expect(collect(client)).rejects.toMatchObject({ kind })
  })

  test.each([
    [
      call({ statusCode: 529, responseBody: '{"error":{"type":"overloaded_error","message":"Overloaded"}}' }),
      'overloaded',
    ],
    [call({ statusCode: 429 }), 'rate-limit'],
    [failure('AI_TypeValidationError', 'Not valid'), 'server'],
    [new TypeError('terminated'), 'connection'],
    [new Error('reset', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }), 'connection'],
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'overloaded'],
    [{ message: 'No.', type: 'modelStreamErrorException', statusCode: 424 }, 'server'],
    ['No.', 'server'],
  ])('inside a stream, %j, has its kind (%s)', async (error, kind) => {
    const { model } = modelV4([], { parts: [...PARTS.slice(0, 13), { type: 'error', error }] })
    await expect(collect(clientOf(model))).rejects.toMatchObject({ kind })
  })

  test('says whether to ask again where the package knows more than the status', async () => {
    const rows: [object, boolean | undefined][] = [
      [{ statusCode: 500, isRetryable: false }, false],
      [{ statusCode: 400, isRetryable: true }, true],
      [{ statusCode: 429, isRetryable: true }, undefined],
    ]
    for (const [fields, shouldRetry] of rows) {
      const failed = clientOf(modelV4([], { error: call(fields) }).model).create({ messages: [QUESTION] }, {})
      await expect(failed).rejects.toMatchObject({ details: shouldRetry === undefined ? {} : { shouldRetry } })
      if (shouldRetry === undefined) await expect(failed).rejects.not.toMatchObject({ details: { shouldRetry: true } })
    }
  })

  test('shows no headers or bodies of the request', async () => {
    const error = call({
      statusCode: 401,
      requestBodyValues: { a: 'secret-text' },
      responseHeaders: { 'set-cookie': 'secret-text' },
    })
    const failed: unknown = await Promise.resolve(
      clientOf(modelV4([], { error }).model).create({ messages: [QUESTION] }, {}),
    ).catch((reason: unknown) => reason)
    const { cause } = failed as Error
    expect(JSON.stringify([failed, { ...(cause as object) }], Object.getOwnPropertyNames(failed))).not.toContain(
      'secret-text',
    )
    expect(cause).not.toHaveProperty('requestBodyValues')
  })
})

describe('a model of the AI SDK', () => {
  test('has a place of its own in a cache, also beside one of the same name', () => {
    const [one, other] = [modelV4([]).model, modelV4([], { provider: 'other.chat' }).model].map((model) => aiSdk(model))
    expect(one).toMatchObject({ model: 'm-1', apiType: 'ai-sdk', apiVersion: 'acme.chat', environment: [] })
    expect(other!.apiVersion).toBe('other.chat')
  })

  test('has limits and prices of a catalogue', () => {
    const facts = { contextWindow: 1000, maxOutput: 100, price: { input: 1, output: 2 } }
    const adapter = createAiSdk({ catalogue: { date: '2026-11-01', models: { 'm-1': facts } } })
    const client = adapter.createClient(adapter(modelV4([]).model))
    expect(client.limitsOf!('m-1')).toEqual({ contextWindow: 1000, maxOutput: 100 })
  })

  test.each<[unknown, string]>([
    ['gpt-5', 'it is not a model of the AI SDK'],
    [undefined, 'it is not a model of the AI SDK'],
    [{ specificationVersion: 'v2', doGenerate() {}, doStream() {} }, 'it has version `v2` of the interface'],
  ])('that is none (%j) is refused', (model, problem) => {
    expect(() => aiSdk(model as never)).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(problem) }),
    )
  })

  test('has its own key and endpoint: those of an entry are refused', () => {
    for (const key of ['apiKey', 'baseUrl', 'fetch']) {
      const entry = { ...aiSdk(modelV4([]).model), [key]: 'x' }
      expect(() => aiSdk.createClient(entry)).toThrow(`the config key \`${key}\` is not for a model of the AI SDK`)
    }
  })
})
