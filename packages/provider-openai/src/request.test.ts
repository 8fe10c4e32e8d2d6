import type { ChatMessage, ConfigEntry, ModelParams } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { fakeWire } from './wire.fake.ts'

async function bodyOf(params: Partial<ModelParams>, config: ConfigEntry = {}) {
  const wire = fakeWire(undefined, { api: 'chat', ...config })
  await wire.create(params)
  return { ...wire.sent[0]!.body, warnings: wire.warnings } as Record<string, unknown> & {
    messages: Record<string, unknown>[]
    warnings: string[]
  }
}
const lowered = async (messages: ChatMessage[], config: ConfigEntry = {}) =>
  (await bodyOf({ messages }, config)).messages
const call = (id: string, name = 'f', args: unknown = '{}'): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: args as string } }],
})
const result = (id: string, content: ChatMessage['content'] = 'done'): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
})

describe('X1: ids of tool calls', () => {
  test('that are legal stay; others are rewritten, in call and result alike, without changing the history', async () => {
    const long = `functions.weather:0/${'x'.repeat(60)}`
    const messages = [call('call_ok'), result('call_ok'), call(long), result(long)]
    const before = structuredClone(messages)
    const out = await lowered(messages)
    const ids = out.map(
      ({ tool_calls: calls, tool_call_id: id }) => (calls as { id: string }[] | undefined)?.[0]!.id ?? id,
    )
    expect(ids.slice(0, 2)).toEqual(['call_ok', 'call_ok'])
    expect(ids[2]).toMatch(/^[\w-]{1,40}$/u)
    expect(ids[3]).toBe(ids[2])
    expect(messages).toEqual(before)
    expect(await lowered(messages)).toEqual(out)
  })

  test('that are cut to the same text stay different', async () => {
    const ids = ['a', 'b'].map((end) => `${'x'.repeat(50)}${end}`)
    const out = await lowered([
      {
        role: 'assistant',
        content: null,
        tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
      },
      ...ids.map((id) => result(id)),
    ])
    expect(out[1]!['tool_call_id']).not.toBe(out[2]!['tool_call_id'])
  })
})

test('X2: names of tools are made legal and given back as ours', async () => {
  const tools = ['mcp.weather', 'mcp_weather'].map((name) => ({ type: 'function' as const, function: { name } }))
  const wire = fakeWire({
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'x', arguments: '{}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  })
  await wire.create({ tools, tool_choice: { type: 'function', function: { name: 'mcp.weather' } } })
  const sent = (wire.sent[0]!.body['tools'] as typeof tools).map((tool) => tool.function.name)
  expect(sent[0]).toMatch(/^[\w-]{1,64}$/u)
  expect(sent[1]).toBe('mcp_weather')
  expect(new Set(sent).size).toBe(2)
  expect(wire.sent[0]!.body['tool_choice']).toEqual({ type: 'function', function: { name: sent[0] } })
  const answering = fakeWire({
    choices: [{ index: 0, message: { tool_calls: [{ id: 'c', function: { name: sent[0], arguments: '{}' } }] } }],
  })
  const answer = await answering.create({ tools })
  expect(answer.choices[0]!.message.tool_calls![0]!.function.name).toBe('mcp.weather')
})

describe('X4: every call has its result, every result its call', () => {
  test('a lost result is said to be lost', async () => {
    const out = await lowered([call('a'), { role: 'user', content: 'and?' }])
    expect(out.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
    expect(out[1]).toMatchObject({ tool_call_id: 'a', content: expect.stringContaining('missing') as unknown })
  })

  test('a result without its call becomes text; one that comes late moves to its call', async () => {
    const out = await lowered([
      result('gone', 'left over'),
      call('a'),
      { role: 'user', content: 'wait' },
      result('a', 'late'),
    ])
    expect(out.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Result of an earlier call: left over'],
      ['assistant', null],
      ['tool', 'late'],
      ['user', 'wait'],
    ])
  })
})

describe('O1 to O3: reasoning models', () => {
  test.each(['gpt-5-mini', 'gpt-5', 'o3', 'o4-mini-2025-04-16', 'gpt-99', 'openai/gpt-5.1'])('%s', async (model) => {
    const body = await bodyOf(
      {
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
        ],
        max_tokens: 9,
        temperature: 0,
        top_p: 1,
        logprobs: true,
      },
      { model },
    )
    expect(body.messages[0]).toEqual({ role: 'developer', content: 's' })
    expect(body).toMatchObject({ max_completion_tokens: 9 })
    for (const key of ['max_tokens', 'temperature', 'top_p', 'logprobs']) expect(body).not.toHaveProperty(key)
    expect(body.warnings.join()).toMatch(/`temperature`.*`top_p`.*`logprobs`/u)
  })

  test.each(['gpt-4o', 'gpt-4.1-mini', 'gpt-5-chat-latest', 'llama-3', 'qwen3', 'gpt-3.5-turbo'])(
    '%s is not asked as a reasoning model',
    async (model) => {
      const body = await bodyOf(
        { messages: [{ role: 'system', content: 's' }], max_tokens: 9, temperature: 0 },
        { model },
      )
      expect(body).toMatchObject({ max_tokens: 9, temperature: 0, messages: [{ role: 'system' }], warnings: [] })
    },
  )

  test('newer ones take sampling parameters when they do not reason', async () => {
    expect(await bodyOf({ temperature: 0, reasoning_effort: 'none' }, { model: 'gpt-5.1' })).toMatchObject({
      temperature: 0,
    })
    expect(await bodyOf({ temperature: 0, reasoning_effort: 'none' }, { model: 'gpt-5' })).not.toHaveProperty(
      'temperature',
    )
  })

  test.each([
    ['o1', true],
    ['o3-mini', true],
    ['o3-mini-2025-01-31', true],
    ['o3', false],
    ['o4-mini', false],
    ['o1-mini', false],
    ['gpt-5-mini', false],
  ])('%s takes `stop`: %s', async (model, takes) => {
    const body = await bodyOf({ stop: 'x', temperature: 0 }, { model })
    expect([body['stop'], body['temperature']]).toEqual([takes ? 'x' : undefined, undefined])
    expect(body.warnings.join().includes('`stop`')).toBe(!takes)
  })

  test.each(['o1-mini', 'o1-preview-2024-09-12'])(
    '%s takes system texts of the user only, and no effort',
    async (model) => {
      const body = await bodyOf({ messages: [{ role: 'system', content: 's' }], reasoning_effort: 'low' }, { model })
      expect(body.messages).toEqual([{ role: 'user', content: 's' }])
      expect(body).not.toHaveProperty('reasoning_effort')
      expect(body.warnings).toHaveLength(1)
    },
  )

  test('search models take no temperature', async () => {
    const body = await bodyOf({ temperature: 0 }, { model: 'gpt-4o-search-preview' })
    expect(body).not.toHaveProperty('temperature')
    expect(body.warnings).toHaveLength(1)
  })

  test('O24: a deployment name says nothing: the config does', async () => {
    expect(await bodyOf({ max_tokens: 9 }, { model: 'prod-large', reasoningModel: true })).toMatchObject({
      max_completion_tokens: 9,
    })
    expect(await bodyOf({ max_tokens: 9 }, { model: 'gpt-5', reasoningModel: false })).toMatchObject({ max_tokens: 9 })
    expect(await bodyOf({}, { model: 'prod', reasoningModel: true })).not.toHaveProperty('reasoningModel')
  })
})

test('O4: content is null only beside calls, else a text', async () => {
  const [plain, withCall, withBoth] = await lowered([
    { role: 'assistant', content: null },
    { ...call('a'), content: '' },
    result('a'),
    { ...call('b'), content: 'text' },
    result('b'),
  ]).then((out) => out.filter(({ role }) => role === 'assistant'))
  expect([plain!['content'], withCall!['content'], withBoth!['content']]).toEqual(['', null, 'text'])
})

test('O5: arguments are a text; none are the empty object', async () => {
  const texts = []
  for (const args of ['{"a":1}', '', undefined, { a: 1 }, '{broken']) {
    const [message] = await lowered([call('a', 'f', args), result('a')])
    texts.push((message!['tool_calls'] as { function: { arguments: string } }[])[0]!.function.arguments)
  }
  expect(texts).toEqual(['{"a":1}', '{}', '{}', '{"a":1}', '{broken'])
})

test('O6: one message per result, right behind the calls', async () => {
  const calls: ChatMessage = {
    role: 'assistant',
    content: null,
    tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
  }
  const out = await lowered([calls, result('a', '1'), result('b', '2'), { role: 'user', content: 'u' }])
  expect(out.map(({ role, tool_call_id: id }) => id ?? role)).toEqual(['assistant', 'a', 'b', 'user'])
})

test('O8: images of a result follow in a message of the user, behind all results', async () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } }
  const calls: ChatMessage = {
    role: 'assistant',
    content: null,
    tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
  }
  const out = await lowered([
    calls,
    result('a', [image]),
    result('b', [{ type: 'text', text: 'seen' }]),
    { role: 'user', content: 'u' },
  ])
  expect(out.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user', 'user'])
  expect(out[1]!['content']).toBe('[image: image/png, 3 bytes; see "a/1" below]')
  expect(out[2]!['content']).toBe('seen')
  expect(out[3]!['content']).toEqual([
    { type: 'text', text: expect.stringContaining('The user did not write or send them') },
    { type: 'text', text: 'a/1:' },
    image,
  ])
})

describe('O8: what is beside text in a result', () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } }
  const pdf = { type: 'file' as const, file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } }
  const notes = { type: 'file' as const, file: { filename: 'a.txt', file_data: 'data:text/plain;base64,SGk=' } }
  const sound = { type: 'input_audio' as const, input_audio: { data: 'UklGRg==', format: 'wav' as const } }
  const seen = [{ type: 'text' as const, text: 'So:' }, image, pdf, notes, sound]
  const lines = [
    '[image: image/png, 3 bytes]',
    '[file: a.pdf, application/pdf, 5 bytes]',
    '[audio: audio/wav, 4 bytes]',
  ]

  const sent = async (config: ConfigEntry, content: ChatMessage['content'] = seen) => {
    const wire = fakeWire(undefined, config)
    const call: ChatMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    await wire.create({ messages: [call, result('a', content)] })
    const [, tool, ...rest] = wire.sent[0]!.body['messages'] as Record<string, unknown>[]
    return { tool: tool!['content'], rest, warnings: wire.warnings }
  }

  test('is named in its text and follows; a text is part of it', async () => {
    const { tool, rest } = await sent({ model: 'gpt-4o' })
    expect(tool).toBe(
      'So:\n[image: image/png, 3 bytes; see "a/1" below]\n[file: a.pdf, application/pdf, 5 bytes; see "a/2" below]\na.txt:\nHi\n[audio: audio/wav, 4 bytes]',
    )
    expect(rest).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: expect.any(String) },
          { type: 'text', text: 'a/1:' },
          image,
          { type: 'text', text: 'a/2:' },
          pdf,
        ],
      },
    ])
  })

  test.each<[string, ConfigEntry]>([
    ['that the catalogue knows to read text alone', { model: 'gpt-3.5-turbo' }],
    ['that nobody knows, elsewhere', { model: 'mine', baseUrl: 'https://gateway.invalid/v1' }],
    ['of a server of one’s own', { model: 'qwen3', baseUrl: 'http://localhost:11434/v1' }],
    ['whose config says so', { model: 'gpt-4o', toolImages: false }],
  ])('is a line of text for a model %s, and a warning', async (_, config) => {
    const { tool, rest, warnings } = await sent(config)
    expect(rest).toEqual([])
    for (const line of [...lines, 'a.txt:\nHi']) expect(tool).toContain(line)
    expect(warnings.join('\n')).toContain('replaced by a line of text')
  })

  test('is sent to a model of which the config says that it sees; a sound to one that hears', async () => {
    const baseUrl = 'http://localhost:11434/v1'
    const { rest } = await sent({ model: 'qwen3-vl', baseUrl, toolImages: true })
    expect(JSON.stringify(rest)).toContain('data:image/png')
    // Such a server takes no files.
    expect(JSON.stringify(rest)).not.toContain('JVBERi0=')
    expect(JSON.stringify((await sent({ model: 'gpt-audio' }, [sound])).rest)).toContain('UklGRg==')
  })

  test('of the older style follows as well', async () => {
    const wire = fakeWire(undefined, { model: 'gpt-4o' })
    const called: ChatMessage = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }
    await wire.create({ messages: [called, { role: 'function', name: 'f', content: [image] }] })
    const messages = wire.sent[0]!.body['messages'] as Record<string, unknown>[]
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'function', 'user'])
    expect(messages[1]!['content']).toBe('[image: image/png, 3 bytes; see "f/1" below]')
  })
})

describe('O10: a stream asks for usage', () => {
  const azure = { apiType: 'azure', baseUrl: 'https://res.openai.azure.com' }
  test.each<[string, ConfigEntry, boolean]>([
    ['always', {}, true],
    ['of newer Azure', { ...azure, apiVersion: '2024-10-21' }, true],
    ['but not of older', { ...azure, apiVersion: '2024-02-01' }, false],
    ['and not where the config says so', { streamUsage: false }, false],
  ])('%s', async (_, config, asks) => {
    const wire = fakeWire(
      'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      config,
    )
    await wire.stream()
    const { stream, stream_options: options } = wire.sent[0]!.body
    expect([stream, options]).toEqual([true, asks ? { include_usage: true } : undefined])
  })
})

describe('O15: strict schemas', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      kind: { type: 'string', enum: ['a', 'b'] },
      inner: { type: 'object', properties: { deep: { type: ['string', 'null'] } } },
      list: { type: 'array', items: { type: 'object', properties: { x: { $ref: '#/$defs/X' } }, required: ['x'] } },
    },
    required: ['name', 'inner', 'list'],
    $defs: { X: { type: 'object', properties: {} } },
  }
  const strict = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: ['integer', 'null'] },
      kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
      inner: {
        type: 'object',
        properties: { deep: { type: ['string', 'null'] } },
        required: ['deep'],
        additionalProperties: false,
      },
      list: {
        type: 'array',
        items: {
          type: 'object',
          properties: { x: { $ref: '#/$defs/X' } },
          required: ['x'],
          additionalProperties: false,
        },
      },
    },
    required: ['name', 'age', 'kind', 'inner', 'list'],
    additionalProperties: false,
    $defs: { X: { type: 'object', properties: {}, required: [], additionalProperties: false } },
  }

  test('in a response format', async () => {
    const before = structuredClone(schema)
    const format = { type: 'json_schema', json_schema: { name: 'r', schema, strict: true } }
    const body = await bodyOf({ response_format: format })
    expect(body['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'r', strict: true, schema: strict },
    })
    expect(schema).toEqual(before)
  })

  test('in a tool that asks for it, and in no other', async () => {
    const tool = (name: string, extra: object) => ({
      type: 'function' as const,
      function: { name, parameters: schema, ...extra },
    })
    const body = await bodyOf({ tools: [tool('a', { strict: true }), tool('b', {})] })
    const [a, b] = body['tools'] as { function: { parameters: object } }[]
    expect(a!.function.parameters).toEqual(strict)
    expect(b!.function.parameters).toEqual(schema)
  })
})

describe('O29: what is empty has the form that the endpoint takes', () => {
  test.each<[ChatMessage, unknown]>([
    [{ role: 'user', content: [] }, ''],
    [{ role: 'system', content: [] }, ''],
    [{ role: 'assistant', content: [] }, ''],
    [{ role: 'assistant', content: [], tool_calls: call('a').tool_calls }, null],
    [{ role: 'tool', tool_call_id: 'a', content: [] }, ''],
  ])('%j', async (message, content) => {
    const before = message.role === 'tool' ? [call('a')] : []
    const out = await lowered([...before, message])
    expect(out[before.length]).toMatchObject({ role: message.role, content })
  })

  test.each<[object, object]>([
    [{}, { parameters: { type: 'object', properties: {} } }],
    [{ parameters: {} }, { parameters: { type: 'object', properties: {} } }],
    [{ parameters: { type: 'object' } }, { parameters: { type: 'object', properties: {} } }],
    [
      { strict: true },
      { parameters: { type: 'object', properties: {}, required: [], additionalProperties: false }, strict: true },
    ],
  ])('a function with %j', async (extra, wanted) => {
    const body = await bodyOf({ tools: [{ type: 'function', function: { name: 'now', ...extra } }] })
    expect(body['tools']).toEqual([{ type: 'function', function: { name: 'now', ...wanted } }])
  })
})

test('O30: metadata are brought to the limits of the endpoint, or left out', async () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, n]))
  const wire = fakeWire()
  await wire.create({
    metadata: { ...many, k0: 'v'.repeat(600), k1: { a: 1 }, k2: null, ['k'.repeat(70)]: 'x' },
  })
  const { metadata } = wire.sent[0]!.body as { metadata: Record<string, string> }
  expect(Object.keys(metadata).length).toBe(16)
  expect(metadata).toMatchObject({ k0: 'v'.repeat(512), k1: '{"a":1}', k3: '3' })
  expect(wire.warnings).toEqual([expect.stringContaining('`metadata` was cut')])
  const plain = fakeWire()
  await plain.create({ metadata: { a: 'b', n: 1 } })
  expect([plain.sent[0]!.body['metadata'], plain.warnings]).toEqual([{ a: 'b', n: '1' }, []])
  // A gateway may read more than texts.
  const gateway = fakeWire(undefined, { baseUrl: 'http://gateway/v1', apiKey: 'k' })
  await gateway.create({ metadata: { tags: ['a'] } })
  expect(gateway.sent[0]!.body['metadata']).toEqual({ tags: ['a'] })
  const cerebras = fakeWire(undefined, { baseUrl: 'https://api.cerebras.ai/v1', apiKey: 'k' })
  await cerebras.create({ metadata: { a: 'b' } })
  expect(cerebras.sent[0]!.body).not.toHaveProperty('metadata')
})

test('X18, O20: without tools nothing that steers them is sent', async () => {
  const body = await bodyOf({
    tools: [],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    functions: [],
    function_call: 'auto',
  })
  for (const key of ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'])
    expect(body).not.toHaveProperty(key)
})

test('what is ours stays here; names are made legal', async () => {
  const [message] = await lowered([
    {
      role: 'user',
      name: 'Ann <B> O’Hara',
      content: 'hi',
      context: { secret: 1 },
      provider_metadata: { openai: {} },
      id: 'x',
    },
  ])
  expect(message).toEqual({ role: 'user', name: 'Ann__B__O_Hara', content: 'hi' })
})

test('a prompt goes to the older endpoint', async () => {
  const wire = fakeWire({
    id: 'cmpl',
    model: 'gpt-3.5-turbo-instruct',
    choices: [{ index: 0, text: ' there', finish_reason: 'stop' }],
  })
  const answer = await wire.create({ prompt: 'Hello', messages: [] })
  expect(wire.sent[0]!.url).toMatch(/\/v1\/completions$/u)
  expect(wire.sent[0]!.body).not.toHaveProperty('messages')
  expect(answer.choices[0]!.message).toEqual({ role: 'assistant', content: ' there' })
})

test('E7: an older call without a name is not sent back', async () => {
  expect(await lowered([{ role: 'assistant', content: null, function_call: { name: '', arguments: '' } }])).toEqual([
    { role: 'assistant', content: '' },
  ])
})

test.each(['fetch', 'openai'] as const)(
  'a background answer of chat completions by %s is refused before anything is sent',
  async (sdk) => {
    const wire = fakeWire(undefined, { model: 'gpt-5.5', api: 'chat', sdk })
    const forms = [
      { background: true },
      { providerOptions: { openai: { background: true } } },
      { extra_body: { background: true } },
    ]
    for (const form of forms) {
      await expect(wire.create(form)).rejects.toMatchObject({
        code: 'invalid-argument',
        details: { key: 'background' },
      })
      await expect(wire.stream(form)).rejects.toThrow('`background: true`')
    }
    expect(wire.sent).toEqual([])
  },
)

describe('X5: reasoning that others have signed is left out with a warning', () => {
  const signed = (metadata: Record<string, unknown>): ChatMessage => ({
    ...{ role: 'assistant', content: 'Hm.', provider_metadata: metadata },
  })
  const thinking = [{ opaque: { type: 'thinking', thinking: 'x', signature: 's' } }]
  const details = [{ type: 'reasoning.encrypted', data: 'sealed' }]

  test.each([{ api: 'chat' }, { api: 'responses' }])('another vendor, by %j', async (config) => {
    const wire = fakeWire(config.api === 'chat' ? undefined : { status: 'completed', output: [] }, config)
    await wire.create({ messages: [signed({ anthropic: { blocks: thinking } })] }).catch(() => {})
    expect(wire.warnings).toEqual([
      'reasoning that `anthropic` signed was left out: only the provider that made it takes it',
    ])
  })

  test.each([
    ['https://api.groq.com/openai/v1', 'openrouter', 'm', 1],
    ['https://openrouter.ai/api/v1', 'openrouter', 'other', 1],
    ['https://openrouter.ai/api/v1', 'openrouter', 'm', 0],
  ])('another endpoint or model: at %s of `%s`, %s', async (baseUrl, endpoint, model, count) => {
    const messages = [signed({ openai: { reasoning_details: details, endpoint, model } })]
    const { warnings } = await bodyOf({ messages, model: 'm' }, { baseUrl, model: 'm' })
    expect(warnings).toHaveLength(count)
  })

  test('but not for notes, nor for what nobody has signed', async () => {
    const messages = [signed({ anthropic: { notes: ['[a]'] }, openai: { reasoning_content: 'x', endpoint: 'groq' } })]
    expect((await bodyOf({ messages })).warnings).toEqual([])
  })
})
