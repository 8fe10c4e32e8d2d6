import type { ChatMessage, ConfigEntry, ModelParams } from '@x/interfaces'
import { anthropicFormat } from '@x/testing/anthropic'
import { exchange, type Exchange, type RecordedAnswer } from '@x/testing/provider-contract'
import { describe, expect, test, vi } from 'vitest'
import { anthropic } from './anthropic.ts'

const HI: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const TEXT: RecordedAnswer = { whole: anthropicFormat.whole({ text: 'Hello' }) }
const TOOL = {
  type: 'function' as const,
  function: { name: 'weather', description: 'Says it.', parameters: { type: 'object', properties: { city: {} } } },
}
const CALL = { id: 'toolu_1', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Rome"}' } }

async function asked(
  params: Partial<ModelParams> = {},
  { config = {}, recorded = TEXT }: { config?: ConfigEntry; recorded?: RecordedAnswer } = {},
): Promise<Exchange> {
  const entry = { model: 'claude-haiku-4-5', ...config }
  return await exchange(anthropic, entry, { model: entry.model, messages: HI, ...params }, recorded)
}

const start = (id = 'msg_1'): object => ({
  type: 'message_start',
  message: { id, model: 'claude-haiku-4-5', content: [], usage: { input_tokens: 5, output_tokens: 1 } },
})
const blockStart = (index: number, block: object): object => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
const delta = (index: number, piece: object): object => ({ type: 'content_block_delta', index, delta: piece })
const blockStop = (index: number): object => ({ type: 'content_block_stop', index })
const end = (reason: string, usage: object = { output_tokens: 3 }): object[] => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage },
  { type: 'message_stop' },
]
const said = ({ answer }: Exchange): unknown => answer?.choices[0]?.message

describe('requests', () => {
  test('A1: system texts are one array at the top; one in the middle is the user’s', async () => {
    const { body } = await asked({
      messages: [
        { role: 'system', content: 'One.' },
        { role: 'system', content: 'Two.' },
        ...HI,
        { role: 'assistant', content: 'Yes?' },
        { role: 'system', content: 'Three.' },
      ],
    })
    expect(body['system']).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ])
    expect((body['messages'] as unknown[]).at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Three.' }],
    })
  })

  test('A2, A3: turns alternate, results of one turn share a message and come first', async () => {
    const { body } = await asked({
      messages: [
        ...HI,
        { role: 'user', content: 'There?' },
        { role: 'assistant', tool_calls: [CALL, { ...CALL, id: 'toolu_2' }] },
        { role: 'user', content: 'Wait.' },
        { role: 'tool', tool_call_id: 'toolu_2', content: 'b' },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'a' },
      ],
    })
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'There?' },
        ],
      },
      {
        role: 'assistant',
        content: ['toolu_1', 'toolu_2'].map((id) => ({
          type: 'tool_use',
          id,
          name: 'weather',
          input: { city: 'Rome' },
        })),
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'a' },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: 'b' },
          { type: 'text', text: 'Wait.' },
        ],
      },
    ])
  })

  test('A4: calls come last in their turn, and never cross a block of the provider’s own', async () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' }
    const own = { blocks: [{ opaque: thinking }, { call: true }, { text: 4 }, { opaque: thinking }, { text: 4 }] }
    const { body } = await asked({
      messages: [
        ...HI,
        { role: 'assistant', content: 'One.Two.', tool_calls: [CALL], provider_metadata: { anthropic: own } },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'a' },
      ],
    })
    const { content } = (body['messages'] as { content: { type: string }[] }[])[1]!
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'thinking', 'text'])
  })

  test.each([
    ['claude-3-haiku-20240307', undefined, 4096],
    ['claude-3-5-sonnet-20241022', 100_000, 8192],
    ['claude-opus-4-20250514', undefined, 32_000],
    ['claude-haiku-4-5', 100, 100],
    ['claude-opus-4-6', undefined, 128_000],
    ['claude-opus-9', 200_000, 128_000],
    ['someone-elses', undefined, 4096],
    ['someone-elses', 999_999, 999_999],
  ])('A5: %s asked for %s tokens is sent %s', async (model, max_tokens, sent) => {
    const { body, warnings } = await asked({ max_tokens }, { config: { model } })
    expect(body['max_tokens']).toBe(sent)
    expect(warnings.length > 0).toBe(
      model === 'someone-elses' ? max_tokens === undefined : max_tokens !== undefined && max_tokens > sent,
    )
  })

  test.each([
    [
      'claude-sonnet-4-5',
      { thinking: { type: 'enabled', budget_tokens: 10 } },
      { type: 'enabled', budget_tokens: 1024 },
    ],
    ['claude-sonnet-4-5', { reasoning_effort: 'low' }, { type: 'enabled', budget_tokens: 2048 }],
    ['claude-sonnet-4-5', { reasoning_effort: 'none' }, { type: 'disabled' }],
    ['claude-opus-4-7', { reasoning_effort: 'high' }, { type: 'adaptive' }],
    ['claude-opus-4-7', { thinking: { type: 'enabled', budget_tokens: 5000 } }, { type: 'adaptive' }],
    ['claude-opus-4-7', { thinking: { type: 'disabled' } }, { type: 'disabled' }],
    ['claude-3-haiku-20240307', { reasoning_effort: 'high' }, undefined],
  ])('A6: %s told %j thinks as %j', async (model, told, thinking) => {
    const { body } = await asked({ ...told, temperature: 1, top_p: 0.5, max_tokens: 100 }, { config: { model } })
    expect(body['thinking']).toEqual(thinking)
    const on = thinking !== undefined && thinking.type !== 'disabled'
    if (on) expect([body['temperature'], body['top_p']]).toEqual([undefined, undefined])
    if (thinking?.type === 'enabled')
      expect(body['max_tokens']).toBe(100 + (thinking as { budget_tokens: number }).budget_tokens)
    if ('reasoning_effort' in told && told.reasoning_effort === 'high' && on)
      expect(body['output_config']).toEqual({ effort: 'high' })
  })

  test('A6: a budget stays below the limit of the answer, blank stop texts are left out', async () => {
    const thinking = { type: 'enabled', budget_tokens: 90_000 }
    const { body } = await asked(
      { thinking, max_tokens: 100, stop: [' ', 'x'] },
      { config: { model: 'claude-sonnet-4-5' } },
    )
    expect([body['thinking'], body['max_tokens']]).toEqual([{ type: 'enabled', budget_tokens: 63_999 }, 64_000])
    expect(body['stop_sequences']).toEqual(['x'])
  })

  test.each([
    [{ reasoning_effort: 'high', max_completion_tokens: 4000 }, 2000, 4000, 0],
    [{ reasoning_effort: 'low', max_completion_tokens: 4000, max_tokens: 9 }, 2048, 4000, 0],
    [{ thinking: { type: 'enabled', budget_tokens: 3000 }, max_completion_tokens: 4000 }, 3000, 4000, 0],
    [{ reasoning_effort: 'low', max_completion_tokens: 2000 }, undefined, 2000, 1],
  ])('A6: a limit that counts reasoning is the limit of all: %j', async (told, budget, most, warned) => {
    const { body, warnings } = await asked(told, { config: { model: 'claude-sonnet-4-5' } })
    expect([(body['thinking'] as { budget_tokens?: number } | undefined)?.budget_tokens, body['max_tokens']]).toEqual([
      budget,
      most,
    ])
    expect(warnings.filter(([topic]) => topic === 'thinking')).toHaveLength(warned)
  })

  test('a history with calls and a request without tools: the tools are declared, and may not be called', async () => {
    const { body } = await asked({
      messages: [
        ...HI,
        { role: 'assistant', tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'x' },
      ],
    })
    expect([body['tools'], body['tool_choice']]).toEqual([
      [{ name: 'weather', input_schema: { type: 'object' } }],
      { type: 'none' },
    ])
  })

  test('a prompt of the older kind is a message; a turn cut off in its thoughts is left out', async () => {
    const { body } = await asked({ messages: [], prompt: 'Hello' })
    expect(body['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }])
    const own = { blocks: [{ opaque: { type: 'thinking', thinking: 'H', signature: 's' } }] }
    const cut = await asked({
      messages: [...HI, { role: 'assistant', content: '', provider_metadata: { anthropic: own } }, ...HI],
    })
    expect((cut.body['messages'] as unknown[]).length).toBe(1)
  })

  test('A7: a model that thinks is not made to call a tool', async () => {
    const { body, warnings } = await asked({
      tools: [TOOL],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      reasoning_effort: 'low',
    })
    expect(body['tool_choice']).toEqual({ type: 'auto' })
    expect(warnings.map(([topic]) => topic)).toContain('tool_choice')
  })

  test.each([
    ['claude-3-haiku-20240307', { temperature: 0.5, top_p: 0.9 }],
    ['claude-haiku-4-5', { temperature: 0.5, top_p: undefined }],
    ['claude-opus-4-8', { temperature: undefined, top_p: undefined }],
    ['MiniMax-M2', { temperature: 0.5, top_p: 0.9 }],
  ])('A8: %s takes %j of two sampling parameters', async (model, kept) => {
    const { body } = await asked({ temperature: 0.5, top_p: 0.9, max_tokens: 9 }, { config: { model } })
    expect({ temperature: body['temperature'], top_p: body['top_p'] }).toEqual(kept)
  })

  test('A9: thinking goes back with its signature, redacted thinking with its data, before the call', async () => {
    const blocks = [
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'redacted_thinking', data: 'ZGF0YQ==' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } },
    ]
    const whole = {
      id: 'm',
      type: 'message',
      model: 'claude-haiku-4-5',
      content: blocks,
      stop_reason: 'tool_use',
      usage: {},
    }
    const first = await asked({}, { recorded: { whole } })
    const answer = structuredClone(first.answer!.choices[0]!.message)
    const { body } = await asked({ messages: [...HI, answer, { role: 'tool', tool_call_id: 'toolu_1', content: 'x' }] })
    expect((body['messages'] as { content: unknown }[])[1]!.content).toEqual(blocks)
  })

  test('A10: at most four cache marks, the latest, none on thinking', async () => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const parts = ['a', 'b', 'c', 'd'].map((text) => ({ type: 'text' as const, text, ...mark }))
    const { body, warnings } = await asked({
      tools: [{ ...TOOL, ...mark }],
      messages: [{ role: 'user', content: parts }],
    })
    expect(JSON.stringify(body).match(/cache_control/gu)?.length).toBe(4)
    expect((body['tools'] as object[])[0]).not.toHaveProperty('cache_control')
    expect(warnings.map(([topic]) => topic)).toEqual(['cache_control'])
    const cached = await asked(
      { messages: [{ role: 'system', content: 'S' }, ...HI, { role: 'assistant', content: 'a' }, ...HI] },
      { config: { promptCache: '1h' } },
    )
    expect(cached.body['system']).toEqual([
      { type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ])
    expect(JSON.stringify(cached.body).match(/cache_control/gu)?.length).toBe(3)
  })

  test.each([
    ['1h', undefined, ['1h', '5m', '5m']],
    ['5m', '1h', ['1h', '1h', '5m']],
  ] as const)(
    'A10: what is kept longer comes first: %s beside a mark of the caller of %s',
    async (life, ttl, wanted) => {
      const cache_control = { type: 'ephemeral', ...(ttl && { ttl }) }
      const marked = [{ type: 'text' as const, text: 'Hi', cache_control }]
      const messages: ChatMessage[] = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: marked },
        { role: 'assistant', content: 'Yes?' },
        ...HI,
      ]
      const { body } = await asked({ messages }, { config: { promptCache: life } })
      const lives = [
        ...JSON.stringify([body['system'], body['messages']]).matchAll(/"type":"ephemeral"(,"ttl":"1h")?/gu),
      ]
      expect(lives.map(([, long]) => (long === undefined ? '5m' : '1h'))).toEqual(wanted)
    },
  )

  test('A39: of metadata the provider takes the id of the user alone', async () => {
    const metadata = { user_id: 'u1', trace: 't' }
    const { body, warnings } = await asked({ metadata })
    expect([body['metadata'], warnings.map(([topic]) => topic)]).toEqual([{ user_id: 'u1' }, ['metadata']])
    expect((await asked({ metadata, user: 'u2' })).body['metadata']).toEqual({ user_id: 'u2' })
    expect((await asked({ metadata: { trace: 't' } })).body).not.toHaveProperty('metadata')
    expect((await asked({ user: 'u'.repeat(300) })).body['metadata']).toEqual({ user_id: 'u'.repeat(256) })
    // What is written for the provider passes: it may have learned more.
    const own = await asked({ providerOptions: { anthropic: { metadata: { trace: 't' } } } })
    expect([own.body['metadata'], own.warnings]).toEqual([{ trace: 't' }, []])
  })

  test.each([[undefined], [{}], [{ type: 'object' }]])('A40: a tool with the arguments %j', async (parameters) => {
    const tool = { type: 'function' as const, function: { name: 'now', ...(parameters && { parameters }) } }
    const { body } = await asked({ tools: [tool] })
    expect(body['tools']).toEqual([{ name: 'now', input_schema: { type: 'object' } }])
  })

  test('A40: empty contents of every role', async () => {
    const { body } = await asked({
      messages: [
        { role: 'system', content: [] },
        { role: 'user', content: [] },
        { role: 'assistant', content: [], tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'toolu_1', content: [] },
        { role: 'assistant', content: [] },
      ],
    })
    expect(body).not.toHaveProperty('system')
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ])
  })

  test('A11: blank texts are left out, an empty result has no content', async () => {
    const { body } = await asked({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: ' \n' },
            { type: 'text', text: 'Hi' },
          ],
        },
        { role: 'assistant', content: '  ', tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'toolu_1', content: '' },
      ],
    })
    const [user, assistant, result] = body['messages'] as { content: object[] }[]
    expect(user!.content).toEqual([{ type: 'text', text: 'Hi' }])
    expect(assistant!.content.length).toBe(1)
    expect(result!.content).toEqual([{ type: 'tool_result', tool_use_id: 'toolu_1' }])
  })

  test.each([
    ['claude-sonnet-4-5', { role: 'assistant', content: [{ type: 'text', text: 'It is' }] }],
    ['claude-opus-4-6', { role: 'user', content: [{ type: 'text', text: 'Go on.' }] }],
  ])('A12, X6: %s at the end of a conversation is sent %j', async (model, last) => {
    const { body } = await asked({ messages: [...HI, { role: 'assistant', content: 'It is ' }] }, { config: { model } })
    expect((body['messages'] as unknown[]).at(-1)).toEqual(last)
  })

  test('A21, A22: no tool may be called, one at a time: both are said in the choice, and the tools stay', async () => {
    const none = await asked({ tools: [TOOL], tool_choice: 'none', parallel_tool_calls: false })
    expect([none.body['tool_choice'], (none.body['tools'] as unknown[]).length]).toEqual([{ type: 'none' }, 1])
    const single = await asked({ tools: [TOOL], parallel_tool_calls: false })
    expect(single.body['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true })
    const named = await asked({ tools: [TOOL], tool_choice: { type: 'function', function: { name: 'weather' } } })
    expect(named.body['tool_choice']).toEqual({ type: 'tool', name: 'weather' })
  })

  test('A23: betas of headers, config and call become one header', async () => {
    const seen: string[] = []
    const client = anthropic.createClient({
      model: 'claude-haiku-4-5',
      apiKey: 'none',
      baseUrl: 'http://case.invalid',
      betas: ['b', 'c'],
      defaultHeaders: { 'Anthropic-Beta': 'a, b' },
      fetch: async (_, init) => {
        seen.push(new Headers(init?.headers).get('anthropic-beta') ?? '')
        return Response.json(anthropicFormat.whole({ text: 'x' }))
      },
    })
    await client.create({ messages: HI, betas: ['d'] }, {})
    expect(seen).toEqual(['a,b,c,d'])
  })

  test('A24: a schema loses what is not known, says it in words, and is not touched itself', async () => {
    const schema = Object.freeze({
      $schema: 'x',
      type: 'object',
      properties: Object.freeze({ n: Object.freeze({ type: 'number', minimum: 3, description: 'Count' }) }),
      oneOf: Object.freeze([Object.freeze({ type: 'object' })]),
    })
    const { body } = await asked({ response_format: { type: 'json_schema', json_schema: { name: 'r', schema } } })
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { n: { type: 'number', description: 'Count (minimum: 3)' } },
          additionalProperties: false,
        },
      },
    })
  })

  test('A25: an older model answers in JSON by a tool of its own name; its text is not the answer', async () => {
    const blocks = [
      { type: 'text', text: 'Here:' },
      { type: 'tool_use', id: 't', name: 'json_', input: { a: 1 } },
    ]
    const whole = { id: 'm', type: 'message', model: 'x', content: blocks, stop_reason: 'tool_use', usage: {} }
    const { body, answer } = await asked(
      {
        tools: [{ type: 'function', function: { name: 'json' } }],
        response_format: { type: 'json_schema', json_schema: { name: 'r', schema: { type: 'object' } } },
      },
      { config: { model: 'claude-3-haiku-20240307' }, recorded: { whole } },
    )
    expect(body['tool_choice']).toEqual({ type: 'any', disable_parallel_tool_use: true })
    expect(answer!.choices[0]).toMatchObject({ message: { content: '{"a":1}' }, finish_reason: 'stop' })
    expect(answer!.choices[0]!.message.tool_calls).toBe(undefined)
  })

  test('A27: a stored image is an image, any other stored file a document', async () => {
    const { body } = await asked({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { file_id: 'file_011CNha8iCJcU1wXNR6q4V8w', filename: 'photo.jpeg' } },
            { type: 'image_url', image_url: { url: 'file_011CNha8iCJcU1wXNR6q4V8x' } },
            { type: 'file', file: { file_id: 'file_011CNha8iCJcU1wXNR6q4V8y', filename: 'plan.pdf' } },
            { type: 'file', file: { file_id: 'f1', provider: 'anthropic' } },
          ],
        },
      ],
    })
    const stored = (type: string, id: string): object => ({ type, source: { type: 'file', file_id: id } })
    expect((body['messages'] as { content: unknown }[])[0]!.content).toEqual([
      stored('image', 'file_011CNha8iCJcU1wXNR6q4V8w'),
      stored('image', 'file_011CNha8iCJcU1wXNR6q4V8x'),
      stored('document', 'file_011CNha8iCJcU1wXNR6q4V8y'),
      stored('document', 'f1'),
    ])
  })

  test('A26, A27: results say that they failed and hold images; media types are exact, PDFs are documents', async () => {
    const png = 'data:image/jpg;base64,iVBORw0KGgo='
    const { body } = await asked({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'https://x.invalid/a.png' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
            { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,SGk=' } },
          ],
        },
        { role: 'assistant', tool_calls: [CALL, { ...CALL, id: 'toolu_2' }] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'Error: no' },
        { role: 'tool', tool_call_id: 'toolu_2', content: [{ type: 'image_url', image_url: { url: png } }] },
      ],
    })
    const messages = body['messages'] as { content: object[] }[]
    expect(messages[0]!.content).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://x.invalid/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hi' }, title: 'a.txt' },
    ])
    expect(messages[2]!.content).toEqual([
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Error: no', is_error: true },
      {
        type: 'tool_result',
        tool_use_id: 'toolu_2',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }],
      },
    ])
  })

  test('A26: a result holds what the model reads; a line stands for the rest', async () => {
    const messages: ChatMessage[] = [
      ...HI,
      { role: 'assistant', tool_calls: [CALL] },
      {
        role: 'tool',
        tool_call_id: 'toolu_1',
        content: [
          { type: 'text', text: 'seen' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        ],
      },
    ]
    const of = async (model: string) => {
      const { body } = await asked({ messages }, { config: { model } })
      return (body['messages'] as { content: { content: unknown }[] }[])[2]!.content[0]!.content
    }
    const sound = { type: 'text', text: '[audio: audio/wav, 4 bytes]' }
    expect(await of('claude-haiku-4-5')).toEqual([
      { type: 'text', text: 'seen' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, title: 'a.pdf' },
      sound,
    ])
    // Other makers take this wire format, and not all of them images.
    expect(await of('deepseek-chat')).toBe(
      `seen\n[image: image/png, 8 bytes]\n[file: a.pdf, application/pdf, 5 bytes]\n${sound.text}`,
    )
  })

  test.each(['http://case.invalid', 'http://case.invalid/', 'http://case.invalid/v1', 'http://case.invalid/v1/'])(
    'A28: base URL %s leads to the same place, with a version',
    async (baseUrl) => {
      const seen: unknown[] = []
      const client = anthropic.createClient({
        model: 'claude-haiku-4-5',
        apiKey: 'none',
        baseUrl,
        fetch: async (url, init) => {
          seen.push(url, new Headers(init?.headers).has('anthropic-version'))
          return Response.json(anthropicFormat.whole({ text: 'x' }))
        },
      })
      await client.create({ messages: HI }, {})
      expect(seen).toEqual(['http://case.invalid/v1/messages', true])
    },
  )

  test('A28: a query of the base URL goes behind the path', async () => {
    const seen: unknown[] = []
    const fetch = async (url: unknown): Promise<Response> => {
      seen.push(url)
      return Response.json(anthropicFormat.whole({ text: 'x' }))
    }
    const baseUrl = 'http://case.invalid/api/v1?key=b%2Fc'
    await anthropic
      .createClient({ apiKey: 'none', baseUrl, fetch })
      .create({ model: 'claude-haiku-4-5', messages: HI }, {})
    expect(seen).toEqual(['http://case.invalid/api/v1/messages?key=b%2Fc'])
  })

  test.each([
    ['"{\\"city\\":\\"Rome\\"}"', { city: 'Rome' }],
    ['', {}],
    ['{"city', { rawInvalidInput: '{"city' }],
    ['[1]', { rawInvalidInput: '[1]' }],
  ])('A29, X3: stored arguments %j are sent as %j', async (args, input) => {
    const { body } = await asked({
      messages: [
        ...HI,
        { role: 'assistant', tool_calls: [{ ...CALL, function: { name: 'weather', arguments: args } }] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'x' },
      ],
    })
    expect((body['messages'] as { content: object[] }[])[1]!.content[0]).toMatchObject({ input })
  })

  test('X13, X18: what has no counterpart is left out and said; no tools, no choice', async () => {
    const { body, warnings } = await asked({ tools: [], tool_choice: 'auto', seed: 7, temperature: 2, logprobs: true })
    expect([body['tools'], body['tool_choice'], body['seed'], body['temperature']]).toEqual([
      undefined,
      undefined,
      undefined,
      1,
    ])
    expect(warnings.map(([topic]) => topic).sort()).toEqual(['parameter', 'parameter', 'temperature'])
  })
})

describe('answers', () => {
  test('A13: the input at a call’s start is a placeholder, unless it is all there is', async () => {
    const tool = (id: string, input: object): object => ({ type: 'tool_use', id, name: 'weather', input })
    const result = await asked(
      {},
      {
        recorded: {
          frames: [
            start(),
            blockStart(0, tool('a', {})),
            delta(0, { type: 'input_json_delta', partial_json: '' }),
            delta(0, { type: 'input_json_delta', partial_json: '{"x"' }),
            delta(0, { type: 'input_json_delta', partial_json: ':1}' }),
            blockStop(0),
            blockStart(1, tool('b', {})),
            blockStop(1),
            blockStart(2, tool('c', { y: 2 })),
            blockStop(2),
            ...end('tool_use'),
          ],
        },
      },
    )
    const { tool_calls: calls } = said(result) as ChatMessage
    expect(calls!.map((call) => call.function.arguments)).toEqual(['{"x":1}', '{}', '{"y":2}'])
  })

  test('A13: an input that is JSON text, or null, becomes arguments as an object does', async () => {
    const content = ['{"x":1}', null, { y: 2 }].map((input, at) => ({
      type: 'tool_use',
      id: `t${at}`,
      name: 'f',
      input,
    }))
    const whole = { id: 'm', type: 'message', model: 'claude-haiku-4-5', content, stop_reason: 'tool_use', usage: {} }
    const { tool_calls: calls } = said(await asked({}, { recorded: { whole } })) as ChatMessage
    expect(calls!.map((call) => call.function.arguments)).toEqual(['{"x":1}', '{}', '{"y":2}'])
  })

  test('A14: blocks that interleave are told apart by their index', async () => {
    const result = await asked(
      {},
      {
        recorded: {
          frames: [
            start(),
            blockStart(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
            blockStart(1, { type: 'tool_use', id: 'b', name: 'g', input: {} }),
            delta(1, { type: 'input_json_delta', partial_json: '{"g"' }),
            delta(0, { type: 'input_json_delta', partial_json: '{"f":1}' }),
            delta(1, { type: 'input_json_delta', partial_json: ':2}' }),
            blockStop(0),
            blockStop(1),
            ...end('tool_use'),
          ],
        },
      },
    )
    const { tool_calls: calls } = said(result) as ChatMessage
    expect(calls!.map(({ function: { name, arguments: args } }) => [name, args])).toEqual([
      ['f', '{"f":1}'],
      ['g', '{"g":2}'],
    ])
  })

  test('A15: input includes what the cache read and wrote; later counts replace earlier ones', async () => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 30, output_tokens: 9 }
    const { answer } = await asked(
      {},
      {
        recorded: {
          frames: [start(), blockStart(0, { type: 'text', text: 'x' }), blockStop(0), ...end('end_turn', usage)],
        },
      },
    )
    expect(answer!.usage).toMatchObject({
      prompt_tokens: 60,
      completion_tokens: 9,
      total_tokens: 69,
      cached_tokens: 30,
      cache_write_tokens: 20,
    })
  })

  test('A15: the tokens of a compaction, which the totals leave out, are counted', async () => {
    const counts = { input_tokens: 180, output_tokens: 3, cache_read_input_tokens: 40, cache_creation_input_tokens: 2 }
    const usage = {
      input_tokens: 23,
      output_tokens: 10,
      cache_read_input_tokens: 7,
      iterations: [
        { type: 'compaction', ...counts },
        { type: 'message', input_tokens: 23, output_tokens: 10 },
      ],
    }
    const { answer } = await asked({}, { recorded: { frames: [start(), ...end('end_turn', usage)] } })
    expect(answer!.usage).toMatchObject({
      prompt_tokens: 180 + 40 + 2 + 23 + 7,
      completion_tokens: 13,
      cached_tokens: 47,
      cache_write_tokens: 2,
      raw: { input_tokens: 23 },
    })
  })

  test('A30: the summary of a streamed compaction is kept and goes back as it was', async () => {
    const summary = { type: 'compaction', content: 'What was said.', encrypted_content: 'x1' }
    const frames = [
      start(),
      blockStart(0, { type: 'compaction', content: null, encrypted_content: null }),
      delta(0, { type: 'compaction_delta', content: 'What was ', encrypted_content: null }),
      delta(0, { type: 'compaction_delta', content: 'said.', encrypted_content: 'x1' }),
      blockStop(0),
      blockStart(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Hello' }),
      blockStop(1),
      ...end('end_turn'),
    ]
    const { answer } = await asked({}, { recorded: { frames } })
    const { body } = await asked({ messages: [...HI, answer!.choices[0]!.message, ...HI] })
    expect((body['messages'] as { content: unknown }[])[1]!.content).toEqual([summary, { type: 'text', text: 'Hello' }])
  })

  test('A16: an hour in the cache and steps of other models have their own prices', () => {
    const client = anthropic.createClient({ model: 'claude-sonnet-4-6' })
    const answer = (raw: object, counts: object): Parameters<typeof client.cost>[0] => ({
      id: 'm',
      model: 'claude-sonnet-4-6-20260217',
      created: 0,
      choices: [],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, ...counts, raw },
    })
    const hour = answer(
      { cache_creation: { ephemeral_1h_input_tokens: 1e6 } },
      { prompt_tokens: 1e6, cache_write_tokens: 1e6 },
    )
    expect(client.cost(hour)).toBeCloseTo(6)
    const steps = [
      { input_tokens: 1e6, output_tokens: 0 },
      { input_tokens: 1e6, output_tokens: 0, model: 'claude-haiku-4-5' },
    ]
    expect(client.cost(answer({ iterations: steps }, { prompt_tokens: 2e6 }))).toBeCloseTo(4)
    expect(client.cost({ ...hour, model: 'newer' })).toBe(null)
  })

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'pause_turn'],
    ['compaction', 'compaction'],
  ])('A17: %s is %s', async (reason, finish) => {
    const { answer } = await asked(
      {},
      { recorded: { frames: [start(), blockStart(0, { type: 'text', text: 'x' }), ...end(reason)] } },
    )
    expect(answer!.choices[0]!.finish_reason).toBe(finish)
  })

  test('A17: a turn that was paused is sent back as it is', async () => {
    const server = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } }
    const frames = [start(), blockStart(0, server), blockStop(0), ...end('pause_turn')]
    const { answer } = await asked({}, { recorded: { frames } })
    const { body } = await asked(
      { messages: [...HI, answer!.choices[0]!.message] },
      { config: { model: 'claude-opus-4-6' } },
    )
    expect((body['messages'] as unknown[]).at(-1)).toEqual({ role: 'assistant', content: [server] })
  })

  test.each([
    ['overloaded_error', 'overloaded', 529],
    ['rate_limit_error', 'rate-limit', 429],
    ['api_error', 'server', 500],
  ])('A18: %s inside a stream is %s, status %s', async (type, kind, status) => {
    const { error } = await asked(
      {},
      { recorded: { frames: [start(), { type: 'error', error: { type, message: 'no' } }] } },
    )
    expect(error).toMatchObject({ kind, status })
  })

  test('A19, X10: pings and unknown events, blocks and pieces are passed over', async () => {
    const result = await asked(
      {},
      {
        recorded: {
          frames: [
            { type: 'ping' },
            start(),
            { type: 'ping' },
            blockStart(0, { type: 'hologram', data: 1 }),
            delta(0, { type: 'shimmer', x: 1 }),
            blockStop(0),
            { type: 'novelty' },
            blockStart(1, { type: 'text', text: '' }),
            delta(1, { type: 'text_delta', text: 'x' }),
            blockStop(1),
            ...end('end_turn'),
          ],
        },
      },
    )
    expect(said(result)).toMatchObject({ content: 'x' })
  })

  test('A20: a start that is repeated is passed over, another one is a failure', async () => {
    const text = [blockStart(0, { type: 'text', text: 'x' }), ...end('end_turn')]
    expect((await asked({}, { recorded: { frames: [start(), start(), ...text] } })).error).toBe(undefined)
    const { error } = await asked({}, { recorded: { frames: [start(), start('msg_2'), ...text] } })
    expect(error).toMatchObject({ kind: 'server' })
  })
})

test('the key of the environment is for Anthropic alone', async () => {
  const seen: unknown[] = []
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers)
    seen.push([headers.get('x-api-key'), headers.get('authorization')])
    return Response.json(anthropicFormat.whole({ text: 'x' }))
  }
  vi.stubEnv('ANTHROPIC_API_KEY', 'env-key')
  try {
    for (const baseUrl of ['http://case.invalid', 'https://evil-anthropic.com', undefined]) {
      const client = anthropic.createClient({ model: 'claude-opus-5', fetch, baseUrl })
      await client.create({ messages: HI }, {})
    }
  } finally {
    vi.unstubAllEnvs()
  }
  expect(seen).toEqual([
    [null, null],
    [null, null],
    ['env-key', 'Bearer env-key'],
  ])
})
