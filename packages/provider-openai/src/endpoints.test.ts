import { readFileSync } from 'node:fs'
import type { ChatMessage, ConfigEntry, ModelAnswer, ModelParams } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { profileOf, ENDPOINTS, type EndpointName, type EndpointRow } from './endpoint-profiles.ts'
import { RULES, type SentBody, type SentMessage } from './endpoint-rules.fake.ts'
import { createOpenAI } from './openai.ts'
import { delta, framesOf, wholeAnswer } from './wire.fake.ts'
import fc from 'fast-check'

/** Where each endpoint is, a model of it, and how it writes the reasoning beside a call. */
const AT: Readonly<
  Record<
    string,
    {
      url?: string
      model: string
      apiType?: 'azure'
      thought?: Readonly<Record<string, unknown>>
      call?: Readonly<Record<string, unknown>>
    }
  >
> = {
  openai: { model: 'gpt-4o' },
  azure: { url: 'https://res.openai.azure.com/openai/v1', apiType: 'azure', model: 'gpt-4o' },
  groq: { url: 'https://api.groq.com/openai/v1', model: 'openai/gpt-oss-120b', thought: { reasoning: 'hm' } },
  mistral: {
    url: 'https://api.mistral.ai/v1',
    model: 'magistral-medium-latest',
    thought: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
  },
  deepseek: { url: 'https://api.deepseek.com', model: 'deepseek-v4-pro', thought: { reasoning_content: 'hm' } },
  moonshot: { url: 'https://api.moonshot.ai/v1', model: 'kimi-k2.6', thought: { reasoning_content: 'hm' } },
  openrouter: {
    url: 'https://openrouter.ai/api/v1',
    model: 'anthropic/claude-sonnet-4.5',
    thought: {
      reasoning: 'hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'sig-of-openrouter', index: 0 }],
    },
  },
  xai: { url: 'https://api.x.ai/v1', model: 'grok-4.3' },
  together: {
    url: 'https://api.together.xyz/v1',
    model: 'deepseek-ai/DeepSeek-R1',
    thought: { content: '<think>hm</think>' },
  },
  fireworks: { url: 'https://api.fireworks.ai/inference/v1', model: 'kimi', thought: { reasoning_content: 'hm' } },
  cerebras: { url: 'https://api.cerebras.ai/v1', model: 'gpt-oss-120b', thought: { reasoning: 'hm' } },
  perplexity: {
    url: 'https://api.perplexity.ai',
    model: 'sonar-reasoning-pro',
    thought: { content: '<think>hm</think>' },
  },
  ollama: { url: 'http://localhost:11434/v1', model: 'qwen3', thought: { reasoning: 'hm' } },
  vllm: { url: 'http://gpu:8000/v1', model: 'Qwen/Qwen3-32B', thought: { reasoning_content: 'hm' } },
  lmstudio: { url: 'http://127.0.0.1:1234/v1', model: 'qwen3', thought: { content: '<think>hm</think>' } },
  gemini: {
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    model: 'gemini-3-pro-preview',
    call: { extra_content: { google: { thought_signature: 'sig-of-gemini' } } },
  },
  snowflake: { url: 'https://org-acc.snowflakecomputing.com/api/v2/cortex/v1', model: 'claude-sonnet-4-5' },
}

const tools = [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
const FIRST: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', name: 'Ann', content: 'Hi' },
]
const LONG_ID = 'toolu_01A09q90qw90lq917835lq9'
const call = (id: string): NonNullable<ChatMessage['tool_calls']>[number] => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
})
/** A turn that another provider made. */
const FOREIGN: ChatMessage[] = [
  {
    role: 'assistant',
    name: 'Bob',
    content: null,
    tool_calls: [call(LONG_ID)],
    provider_metadata: { anthropic: { blocks: [{ opaque: { type: 'thinking', signature: 's' } }] } },
  },
  { role: 'tool', tool_call_id: LONG_ID, content: '1' },
  { role: 'assistant', name: 'Bob', content: 'One.' },
  { role: 'user', name: 'Ann', content: 'Again.' },
]

/** An endpoint of the table that checks its rules and answers with a call. */
function standIn(name: string, config: ConfigEntry = {}) {
  const { url, model, apiType, thought = {}, call: beside } = AT[name]!
  const sent: SentBody[] = []
  const calls = [{ index: 0, ...call('abcdefghi'), ...beside }]
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const body = JSON.parse(init?.body as string) as SentBody
    sent.push(body)
    const said = (RULES[name] ?? []).map((rule) => rule(body)).find((refused) => refused !== undefined)
    if (said !== undefined) return Response.json({ error: { message: said } }, { status: 400 })
    if (!body['stream'])
      return Response.json(wholeAnswer({ role: 'assistant', content: null, ...thought, tool_calls: calls }))
    const frames = framesOf([delta(thought), delta({ tool_calls: calls }), delta({}, 'tool_calls')])
    return new Response(frames, { headers: { 'content-type': 'text/event-stream' } })
  }
  const entry: ConfigEntry = { model, apiKey: 'sk-test', maxRetries: 0, baseUrl: url, apiType, fetch, ...config }
  const client = createOpenAI({ env: {} }).createClient(entry)
  const params = (messages: ChatMessage[], more: object = {}): ModelParams => ({ model, messages, tools, ...more })
  return {
    sent,
    create: async (messages: ChatMessage[], more?: object): Promise<ModelAnswer> =>
      await client.create(params(messages, more), {}),
    async stream(messages: ChatMessage[]): Promise<ModelAnswer> {
      const source = client.stream!(params(messages), {})
      for (;;) {
        const next = await source.next()
        if (next.done) return next.value
      }
    },
  }
}

const names = (Object.keys(ENDPOINTS) as EndpointName[]).filter((name) => name !== 'compatible')
const answered = ({ choices }: ModelAnswer): ChatMessage => choices[0]!.message
const assistants = ({ messages }: SentBody): SentMessage[] => messages.filter(({ role }) => role === 'assistant')

describe.each(names)('E8: %s', (name) => {
  test('takes an agent chat: names, a limit, a call, its result, and the turn of another provider', async () => {
    const endpoint = standIn(name)
    for (const ask of [endpoint.create, endpoint.stream]) {
      const answer = answered(await ask(FIRST))
      const next = { ...answer, name: 'Bob' }
      await ask([...FIRST, next, { role: 'tool', tool_call_id: 'abcdefghi', content: '1' }])
      await ask([...FIRST, ...FOREIGN, next, { role: 'tool', tool_call_id: 'abcdefghi', content: '1' }])
    }
    await endpoint.create(FIRST, { max_tokens: 5 })
    await endpoint.create(FIRST, { max_completion_tokens: 5 })
    const limits = endpoint.sent.slice(-2).map((body) => body['max_tokens'] ?? body['max_completion_tokens'])
    expect(limits).toEqual([5, 5])
  })

  test('takes system messages and streams of a model that reasons', async () => {
    const endpoint = standIn(name, { reasoningModel: true })
    await endpoint.stream(FIRST)
    expect(endpoint.sent[0]!.messages[0]).toMatchObject({
      role: ['openai', 'azure', 'openrouter'].includes(name) ? 'developer' : 'system',
    })
    const asks = !['mistral', 'perplexity'].includes(name)
    expect(endpoint.sent[0]!['stream_options']).toEqual(asks ? { include_usage: true } : undefined)
  })
})

describe('E9: reasoning goes back as the endpoint wants it', () => {
  const again = async (name: string, before: ChatMessage[] = [], more: object = {}): Promise<SentMessage[]> => {
    const endpoint = standIn(name)
    const answer = answered(await endpoint.stream(FIRST))
    await endpoint.create(
      [...FIRST, ...before, answer, { role: 'tool', tool_call_id: 'abcdefghi', content: '1' }],
      more,
    )
    return assistants(endpoint.sent.at(-1)!)
  }

  test.each([
    ['deepseek', { reasoning_content: 'hm' }],
    ['moonshot', { reasoning_content: 'hm' }],
    ['fireworks', { reasoning_content: 'hm' }],
    [
      'openrouter',
      { reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'sig-of-openrouter', index: 0 }] },
    ],
    ['mistral', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }],
    ['gemini', { tool_calls: [{ extra_content: { google: { thought_signature: 'sig-of-gemini' } } }] }],
  ])('%s', async (name, wanted) => {
    const [message] = await again(name)
    expect(message).toMatchObject(wanted)
  })

  test.each(['openai', 'azure', 'groq', 'cerebras', 'xai', 'together', 'perplexity', 'ollama', 'vllm', 'snowflake'])(
    '%s gets none',
    async (name) => {
      const [message] = await again(name)
      expect(Object.keys(message!).sort()).toEqual(['content', 'role', 'tool_calls'])
    },
  )

  test('of an endpoint that nobody knows, what is signed goes back as it came', async () => {
    const gateway: ConfigEntry = { baseUrl: 'https://gateway.example.com/v1' }
    for (const name of ['openrouter', 'gemini', 'deepseek']) {
      const { sent, create } = standIn(name, gateway)
      const answer = answered(await create(FIRST))
      await create([...FIRST, answer, { role: 'tool', tool_call_id: 'abcdefghi', content: '1' }]).catch(() => {})
      const { thought, call: beside } = AT[name]!
      const [message] = assistants(sent.at(-1)!)
      expect(message!['reasoning_details']).toEqual(thought?.['reasoning_details'])
      expect(message!.tool_calls![0]!.extra_content).toEqual(beside?.extra_content)
      expect(message).not.toHaveProperty('reasoning_content')
    }
  })

  test('what another made is replaced where it must not be missing', async () => {
    const thoughts = async (name: string): Promise<unknown[]> =>
      (await again(name, FOREIGN)).map((message) => message['reasoning_content'])
    expect(await thoughts('deepseek')).toEqual(['', '', 'hm'])
    expect(await thoughts('moonshot')).toEqual([' ', ' ', 'hm'])
    expect(await thoughts('fireworks')).toEqual([undefined, undefined, 'hm'])
    const [first] = await again('gemini', FOREIGN)
    expect(first!.tool_calls![0]!.extra_content).toEqual({
      google: { thought_signature: 'skip_thought_signature_validator' },
    })
  })

  test('only the endpoint that made it gets it, and only the model that signed it', async () => {
    const fromKimi = answered(await standIn('moonshot').create(FIRST))
    const deepseek = standIn('deepseek')
    await deepseek.create([...FIRST, fromKimi, { role: 'tool', tool_call_id: 'abcdefghi', content: '1' }])
    expect(assistants(deepseek.sent[0]!)[0]!['reasoning_content']).toBe('')
    const signed = answered(await standIn('openrouter').create(FIRST))
    const other = standIn('openrouter', { model: 'openai/gpt-5' })
    await other.create([...FIRST, signed, { role: 'tool', tool_call_id: 'abcdefghi', content: '1' }], {
      model: 'openai/gpt-5',
    })
    expect(assistants(other.sent[0]!)[0]).not.toHaveProperty('reasoning_details')
  })

  test('DeepSeek gets none in a conversation without tools', async () => {
    const endpoint = standIn('deepseek')
    const own = { openai: { reasoning_content: 'hm', endpoint: 'deepseek' } }
    await endpoint.create([...FIRST, { role: 'assistant', content: 'Hi', provider_metadata: own }], {
      tools: undefined,
    })
    expect(assistants(endpoint.sent[0]!)[0]).toEqual({ role: 'assistant', content: 'Hi' })
  })

  test('pieces of OpenRouter’s list are put together', async () => {
    const pieces = [
      { type: 'reasoning.text', text: 'h', index: 0, format: 'anthropic-claude-v1' },
      { type: 'reasoning.text', text: 'm', index: 0 },
      { type: 'reasoning.text', signature: 'sig', index: 0 },
      { type: 'reasoning.encrypted', data: 'AAAA', id: 'r1', index: 1 },
    ]
    const frames = framesOf([
      ...pieces.map((piece) => delta({ reasoning_details: [piece] })),
      delta({ content: 'hi' }, 'stop'),
    ])
    const fetch = async (): Promise<Response> =>
      new Response(frames, { headers: { 'content-type': 'text/event-stream' } })
    const answer = answered(await standIn('openrouter', { fetch }).stream(FIRST))
    expect(answer.provider_metadata).toMatchObject({
      openai: {
        reasoning_content: 'hm',
        reasoning_details: [
          { type: 'reasoning.text', text: 'hm', index: 0, format: 'anthropic-claude-v1', signature: 'sig' },
          { type: 'reasoning.encrypted', data: 'AAAA', id: 'r1', index: 1 },
        ],
      },
    })
  })
})

describe('E12: the order of roles', () => {
  const image = { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } }
  const asked: ChatMessage = { role: 'assistant', content: null, tool_calls: [call('abcdefghi')] }
  const result = (content: ChatMessage['content']): ChatMessage => ({
    role: 'tool',
    tool_call_id: 'abcdefghi',
    content,
  })
  const say = (role: 'system' | 'user' | 'assistant', content: string): ChatMessage => ({ role, content })

  test.each<[string, ChatMessage[], Readonly<Record<string, string>>]>([
    [
      'the user after the result of a tool',
      [say('user', 'a'), asked, result('b'), say('user', 'c')],
      { mistral: 'user assistant tool assistant user', perplexity: 'user assistant tool assistant user' },
    ],
    [
      'an image as the result of a tool',
      [say('user', 'a'), asked, result([image])],
      { mistral: 'user assistant tool assistant user', perplexity: 'user assistant tool assistant user' },
    ],
    [
      'an answer at the end',
      [say('user', 'a'), say('assistant', 'b')],
      { mistral: 'user assistant user', perplexity: 'user assistant user' },
    ],
    [
      'instructions at the end, behind an answer',
      [say('user', 'a'), say('assistant', 'b'), say('system', 'c')],
      { mistral: 'user assistant user', perplexity: 'user assistant user' },
    ],
    [
      'instructions between messages of the user',
      [say('system', 'a'), say('user', 'b'), say('system', 'c'), say('user', 'd')],
      { mistral: 'system user system user', perplexity: 'system user' },
    ],
    ['instructions alone', [say('system', 'a')], { mistral: 'system user', perplexity: 'system user' }],
    [
      'two messages of each',
      [say('user', 'a'), say('user', 'b'), say('assistant', 'c'), say('assistant', 'd'), say('user', 'e')],
      { mistral: 'user user assistant assistant user', perplexity: 'user assistant user' },
    ],
    [
      'an answer first, and an empty one',
      [say('assistant', 'a'), say('user', 'b'), say('assistant', ''), say('user', 'c')],
      { mistral: 'user assistant user user', perplexity: 'user assistant user' },
    ],
  ])('%s', async (_, messages, roles) => {
    for (const [name, expected] of Object.entries(roles)) {
      const endpoint = standIn(name, { toolImages: true })
      await endpoint.create(messages)
      const sent = endpoint.sent[0]!.messages
      expect(sent.map(({ role }) => role).join(' ')).toBe(expected)
      const texts = messages.flatMap(({ content }) => (typeof content === 'string' && content !== '' ? [content] : []))
      expect(texts.filter((text) => !JSON.stringify(sent).includes(text))).toEqual([])
    }
    const other = standIn('openai')
    await other.create(messages)
    expect(other.sent[0]!.messages.filter(({ role }) => role !== 'assistant').length).toBeGreaterThan(0)
  })

  test('whatever the history is, the endpoint takes it, and every text of it is there', async () => {
    const anyMessage = fc.oneof(
      fc.record({
        role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const),
        content: fc.constantFrom('one', 'two', 'three', ''),
        name: fc.constantFrom(undefined, 'Ann', 'Bob'),
      }),
      fc.constantFrom<ChatMessage>(asked, result('four'), result([image])),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('mistral', 'perplexity'),
        fc.array(anyMessage, { minLength: 1, maxLength: 8 }),
        async (name, messages) => {
          const endpoint = standIn(name)
          await endpoint.create(messages)
          const sent = JSON.stringify(endpoint.sent[0]!.messages)
          for (const { content } of messages) if (typeof content === 'string') expect(sent).toContain(content)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('is a rule that an entry may give, for a server of one’s own', async () => {
    const own = standIn('vllm', { endpointProfile: { roleOrder: 'alternating' } })
    await own.create([say('user', 'a'), say('user', 'b')])
    expect(own.sent[0]!.messages).toEqual([{ role: 'user', content: 'a\n\nb' }])
  })
})

describe('E10: the rules of an entry', () => {
  const nameOf = (config: ConfigEntry, defaultUrl?: string): string => profileOf(config, {}, defaultUrl).name

  test('are those of its host', () => {
    for (const name of names) expect(nameOf({ baseUrl: AT[name]!.url, apiType: AT[name]!.apiType })).toBe(name)
    expect(nameOf({ baseUrl: 'https://mistral.ai.example.com/v1' })).toBe('compatible')
    expect(nameOf({ baseUrl: 'https://eu.groq.com:8000/v1' })).toBe('groq')
    expect(nameOf({}, 'https://api.mistral.ai/v1')).toBe('mistral')
    expect(nameOf({ apiType: 'azure' }, 'https://api.mistral.ai/v1')).toBe('azure')
  })

  test('are those it names, behind a gateway, or single ones', async () => {
    const gateway = { baseUrl: 'https://gateway.example.com/v1' }
    const { sent, create } = standIn('mistral', { ...gateway, endpointProfile: 'mistral' })
    await create([...FIRST, ...FOREIGN], { max_completion_tokens: 5 })
    expect(sent[0]).not.toHaveProperty('endpointProfile')
    const named = standIn('xai', { endpointProfile: { extends: 'mistral', messageNames: 'all' } })
    await named.create([...FIRST, FOREIGN[3]!])
    expect(named.sent[0]!.messages[1]).toMatchObject({ name: 'Ann' })
    const own = standIn('deepseek', { endpointProfile: { reasoning: 'none' } })
    await expect(own.create([...FIRST, ...FOREIGN])).rejects.toMatchObject({ kind: 'invalid-request' })
  })

  test('have names and values of the table', () => {
    const made = (endpointProfile: unknown) => (): unknown =>
      createOpenAI().createClient({ model: 'm', endpointProfile })
    expect(made('mistal')).toThrow(/`endpointProfile`.*'mistral'/u)
    expect(made({ messageNames: true })).toThrow(/`endpointProfile\.messageNames`.*'all', 'user' or 'none'/u)
  })
})

describe('parameters that an endpoint takes in another form, or not at all', () => {
  test('Mistral gets the key of its cache, its tier and its seed', async () => {
    const { sent, create } = standIn('mistral')
    await create(FIRST, { prompt_cache_key: 'k', service_tier: 'priority', seed: 5 })
    expect(sent[0]).toMatchObject({ prompt_cache_key: 'k', service_tier: 'priority', random_seed: 5 })
  })

  test('xAI gets neither stop texts nor penalties', async () => {
    const { sent, create } = standIn('xai')
    await create(FIRST, { stop: ['x'], presence_penalty: 1, frequency_penalty: 1, temperature: 1 })
    expect(sent[0]).toMatchObject({ temperature: 1 })
  })

  test.each([
    ['grok-4', 'low', undefined],
    ['grok-4-1-fast-reasoning', 'low', undefined],
    ['grok-4.20-0309-non-reasoning', 'low', undefined],
    ['grok-4.3', 'none', 'none'],
    ['grok-4.5', 'xhigh', 'high'],
    ['grok-4.5', 'none', 'low'],
    ['grok-4.7', 'xhigh', 'xhigh'],
    ['grok-9', 'max', 'max'],
  ])('%s gets for the effort %s %s', async (model, effort, wanted) => {
    const { sent, create } = standIn('xai', { model })
    await create(FIRST, { model, reasoning_effort: effort })
    expect(sent[0]!['reasoning_effort']).toBe(wanted)
  })

  test('the options of the cache of OpenAI go to OpenAI', async () => {
    for (const [name, wanted] of [
      ['openai', { mode: 'explicit' }],
      ['groq', undefined],
      ['xai', undefined],
    ] as const) {
      const { sent, create } = standIn(name)
      await create(FIRST, { prompt_cache_options: { mode: 'explicit' } })
      expect(sent[0]!['prompt_cache_options']).toEqual(wanted)
    }
  })
})

test('E11: usage inside a choice, as Moonshot streams it', async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  const frames = framesOf([
    delta({ content: 'hi' }),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] },
  ])
  const fetch = async (): Promise<Response> =>
    new Response(frames, { headers: { 'content-type': 'text/event-stream' } })
  expect((await standIn('moonshot', { fetch }).stream(FIRST)).usage).toEqual(usage)
})

/** The rows of the documentation about endpoints: those of the rules, and those of the addresses. */
const documented = readFileSync(new URL('../../../docs/endpoints.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .filter((cells) => cells[1] !== undefined && Object.hasOwn(ENDPOINTS, cells[1]))
  .map((cells) => cells.slice(1, -1))

test('each address of the documentation is known by its host or port', () => {
  const addresses = documented.filter((cells) => cells.length === 2)
  expect(addresses.length).toBeGreaterThan(10)
  for (const [name, url] of addresses) expect([name, profileOf({ baseUrl: url }, undefined).name]).toEqual([name, name])
})

test('the documentation has the rules for errors of each endpoint', () => {
  const rules = documented.filter((cells) => cells.length === 3).map(([name, , kind]) => `${name}: ${kind}`)
  const shared = ENDPOINTS.compatible.failureRules
  const ofRows = Object.entries<EndpointRow>(ENDPOINTS).flatMap(([name, { failureRules }]) =>
    failureRules.filter((rule) => !shared.includes(rule)).map(({ kind }) => `${name}: ${kind}`),
  )
  expect([...new Set(rules)].toSorted()).toEqual([...new Set(ofRows)].toSorted())
})

test('the table of the documentation is the table of the code', () => {
  const rows = documented.filter((cells) => cells.length > 3)
  const shown = (row: EndpointRow): string => (row.hosts.length > 0 ? row.hosts.join(', ') : row.port ? '' : '')
  expect(rows).toEqual(
    Object.entries<EndpointRow>(ENDPOINTS).map(([name, row]) => [
      name,
      [shown(row), row.port ? `port ${row.port}` : ''].filter(Boolean).join(', '),
      row.messageNames,
      String(row.callIdLength),
      row.limitKey,
      row.reasoning,
      row.missingReasoning === undefined ? '' : JSON.stringify(row.missingReasoning),
      row.systemRole,
      row.streamUsage ? 'yes' : 'no',
      row.thinkTags ? 'yes' : 'no',
      row.roleOrder,
    ]),
  )
})
