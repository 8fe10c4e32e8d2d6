import type { ChatMessage, ModelParams, ToolSchema } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { bodyOf, inputOf } from './responses.fake.ts'

const tool = (name: string, more: object = {}): ToolSchema => ({
  type: 'function',
  function: { name, description: 'd', parameters: { type: 'object', properties: { a: { type: 'number' } } }, ...more },
})

describe('R4: nothing is stored, and reasoning is asked for in the form that can be sent back', () => {
  test.each<[string, string[] | undefined]>([
    ['gpt-5-mini', ['reasoning.encrypted_content']],
    ['o3', ['reasoning.encrypted_content']],
    ['gpt-5.3-codex', ['reasoning.encrypted_content']],
    ['gpt-4o', undefined],
    ['gpt-5-chat-latest', undefined],
    ['grok-4', ['reasoning.encrypted_content']],
    ['openai/gpt-oss-120b', ['reasoning.encrypted_content']],
  ])('%s', async (model, include) => {
    const body = await bodyOf({}, { model })
    expect([body['store'], body['include']]).toEqual([false, include])
  })

  test('what the caller says about it wins', async () => {
    const body = await bodyOf({ store: true, include: ['web_search_call.results'] })
    expect([body['store'], body['include']]).toEqual([true, ['web_search_call.results', 'reasoning.encrypted_content']])
  })
})

test('an `input` that the caller writes is sent instead of the messages', async () => {
  const input = [{ role: 'user', content: 'own' }]
  expect((await bodyOf({ input }))['input']).toEqual(input)
})

describe('R3: an effort is sent', () => {
  test('as the caller gave it, beside what else is said about reasoning', async () => {
    expect((await bodyOf({ reasoning_effort: 'high' }))['reasoning']).toEqual({ effort: 'high' })
    const both = await bodyOf({ reasoning_effort: 'high', reasoning: { summary: 'auto' } })
    expect(both['reasoning']).toEqual({ effort: 'high', summary: 'auto' })
    expect((await bodyOf({ reasoning: { effort: 'low' } }, { model: 'grok-4' }))['reasoning']).toEqual({
      effort: 'low',
    })
  })

  test('to a model that has none, not without a warning', async () => {
    const { reasoning, warnings } = await bodyOf({ reasoning_effort: 'high' }, { model: 'gpt-4o' })
    expect([reasoning, warnings]).toEqual([undefined, [expect.stringContaining('reasoning_effort')]])
  })
})

describe('R9: tools', () => {
  test('are flat, keep what else is said of them, and are not strict unasked', async () => {
    const body = await bodyOf({
      tools: [tool('f', { defer_loading: true }), { type: 'function', function: { name: 'g' } }],
    })
    expect(body['tools']).toEqual([
      {
        type: 'function',
        name: 'f',
        description: 'd',
        parameters: { type: 'object', properties: { a: { type: 'number' } } },
        strict: false,
        defer_loading: true,
      },
      { type: 'function', name: 'g', parameters: { type: 'object', properties: {} }, strict: false },
    ])
  })

  test('that are strict are closed as strict mode demands', async () => {
    const [strict] = (await bodyOf({ tools: [tool('f', { strict: true })] }))['tools'] as object[]
    expect(strict).toMatchObject({
      strict: true,
      parameters: { additionalProperties: false, required: ['a'], properties: { a: { type: ['number', 'null'] } } },
    })
  })

  test('of the provider pass as data, and their results are asked for', async () => {
    const tools = [
      { type: 'web_search', search_context_size: 'low' },
      { type: 'file_search', vector_store_ids: ['vs_1'] },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'image_generation' },
      { type: 'computer', environment: 'browser' },
      { type: 'mcp', server_label: 'l', server_url: 'https://m.example', require_approval: 'never' },
      { type: 'function', name: 'flat', parameters: null, strict: true },
    ]
    const body = await bodyOf({ tools })
    expect(body['tools']).toEqual(tools)
    expect(body['include']).toEqual([
      'reasoning.encrypted_content',
      'web_search_call.action.sources',
      'file_search_call.results',
      'code_interpreter_call.outputs',
    ])
  })

  test('that are custom, in the form of chat completions, are flat too', async () => {
    const grammar = { syntax: 'lark', definition: 'start: "a"' }
    const tools = [{ type: 'custom', custom: { name: 'sql', format: { type: 'grammar', grammar } } }]
    const body = await bodyOf({ tools, tool_choice: { type: 'custom', custom: { name: 'sql' } } })
    expect(body['tools']).toEqual([{ type: 'custom', name: 'sql', format: { type: 'grammar', ...grammar } }])
    expect(body['tool_choice']).toEqual({ type: 'custom', name: 'sql' })
  })

  test.each<[unknown, unknown]>([
    ['required', 'required'],
    [
      { type: 'function', function: { name: 'geo.locate' } },
      { type: 'function', name: expect.stringMatching(/^geo_locate_\w+$/u) },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
    ],
    [{ type: 'web_search' }, { type: 'web_search' }],
  ])('the choice %j', async (choice, sent) => {
    const body = await bodyOf({ tools: [tool('f'), tool('geo.locate')], tool_choice: choice as never })
    expect(body['tool_choice']).toEqual(sent)
  })

  test('the older functions are tools, and what steers them goes with them', async () => {
    const { tools, tool_choice: choice } = await bodyOf({
      functions: [tool('f').function],
      function_call: { name: 'f' },
    })
    expect([tools, choice]).toMatchObject([[{ type: 'function', name: 'f' }], { type: 'function', name: 'f' }])
  })

  test('what steers tools is not sent without any', async () => {
    const body = await bodyOf({ tools: [], tool_choice: 'auto', parallel_tool_calls: false })
    expect(['tools', 'tool_choice', 'parallel_tool_calls'].filter((key) => key in body)).toEqual([])
    expect((await bodyOf({ tools: [tool('f')], parallel_tool_calls: false }))['parallel_tool_calls']).toBe(false)
  })
})

describe('R10: parameters', () => {
  test.each<[Partial<ModelParams>, object]>([
    [{ max_tokens: 50 }, { max_output_tokens: 50 }],
    [{ max_tokens: 50, max_completion_tokens: 60 }, { max_output_tokens: 60 }],
    [{ max_output_tokens: 70 }, { max_output_tokens: 70 }],
    [{ verbosity: 'low' }, { text: { verbosity: 'low' } }],
    [
      { user: 'u', metadata: { a: 'b' }, prompt_cache_key: 'k' },
      { user: 'u', metadata: { a: 'b' }, prompt_cache_key: 'k' },
    ],
    [{ n: 1 }, {}],
    [{ prompt: { id: 'pmpt_1' } }, { prompt: { id: 'pmpt_1' } }],
  ])('%j', async (params, sent) => {
    const plain = await bodyOf({})
    expect(await bodyOf(params)).toEqual({ ...plain, ...sent })
  })

  test('a limit below the least is raised, with a warning', async () => {
    const body = await bodyOf({ max_tokens: 5 })
    expect([body['max_output_tokens'], body.warnings]).toEqual([16, [expect.stringContaining('instead of 5')]])
  })

  test.each(['stop', 'seed', 'n', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'top_k'])(
    '`%s`, which the API does not know, is left out with a warning',
    async (key) => {
      const value = key === 'stop' ? 'x' : key === 'logit_bias' ? { 1: 1 } : 2
      const { warnings, ...body } = await bodyOf({ [key]: value }, { model: 'gpt-4o' })
      expect([key in body, warnings]).toEqual([false, [expect.stringContaining(key)]])
    },
  )

  test('sampling goes to models that do not reason, and to newer ones without effort', async () => {
    const params = { temperature: 0.5, top_p: 0.5, logprobs: true, top_logprobs: 2 }
    const sampled = { temperature: 0.5, top_p: 0.5, top_logprobs: 2 }
    const plain = await bodyOf(params, { model: 'gpt-4o' })
    expect(plain).toMatchObject({ ...sampled, include: ['message.output_text.logprobs'] })
    expect(await bodyOf({ ...params, reasoning_effort: 'none' }, { model: 'gpt-5.2' })).toMatchObject(sampled)
    const reasons = await bodyOf(params)
    expect(Object.keys(sampled).filter((key) => key in reasons)).toEqual([])
    expect(reasons.warnings).toHaveLength(4)
  })

  test('a tier of service that the model does not have is left out with a warning', async () => {
    const { service_tier: tier, warnings } = await bodyOf({ service_tier: 'flex' }, { model: 'gpt-4o' })
    expect([tier, warnings.length]).toEqual([undefined, 1])
    expect((await bodyOf({ service_tier: 'flex' }))['service_tier']).toBe('flex')
  })
})

describe('R11: messages', () => {
  test('instructions are the developer’s for models that reason, the system’s for others', async () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', name: 'ann', content: 'Hi' },
    ]
    expect(await inputOf(messages)).toEqual([
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ])
    expect((await inputOf(messages, { model: 'gpt-4o' }))[0]).toEqual({ role: 'system', content: 'Be brief.' })
  })

  test('ids of calls have 64 characters, equal in call and result', async () => {
    const id = `functions.weather:0/${'x'.repeat(60)}`
    const [called, result] = await inputOf([
      { role: 'assistant', content: null, tool_calls: [{ id, function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: 'done' },
    ])
    expect(called!['call_id']).toMatch(/^[\w-]{1,64}$/u)
    expect(result!['call_id']).toBe(called!['call_id'])
    const short = 'y'.repeat(64)
    const [same] = await inputOf([
      { role: 'assistant', content: null, tool_calls: [{ id: short, function: { name: 'f', arguments: '{}' } }] },
    ])
    expect(same!['call_id']).toBe(short)
  })

  const PIXEL = 'data:image/png;base64,iVBORw0KGgo='
  test.each<[string, ChatMessage['content'], unknown]>([
    ['a text', [{ type: 'text', text: 'See' }], [{ type: 'input_text', text: 'See' }]],
    [
      'an image',
      [{ type: 'image_url', image_url: { url: PIXEL, detail: 'low' } }],
      [{ type: 'input_image', image_url: PIXEL, detail: 'low' }],
    ],
    [
      'an image of a wrong type',
      [{ type: 'image_url', image_url: { url: 'data:image/jpg;base64,iVBORw0KGgo=' } }],
      [{ type: 'input_image', image_url: PIXEL, detail: 'auto' }],
    ],
    [
      'a file without a name',
      [{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }],
      [{ type: 'input_file', filename: 'file.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }],
    ],
    [
      'a link to a file',
      [{ type: 'file', file: { file_data: 'https://x.example/a.pdf' } }],
      [{ type: 'input_file', file_url: 'https://x.example/a.pdf' }],
    ],
    [
      'a stored image, by the name of its file or in place of a URL',
      [
        { type: 'file', file: { file_id: 'file-1', filename: 'a.PNG' } },
        { type: 'image_url', image_url: { url: 'file-2', detail: 'low' } },
      ],
      [
        { type: 'input_image', file_id: 'file-1', detail: 'auto' },
        { type: 'input_image', file_id: 'file-2', detail: 'low' },
      ],
    ],
    ['a stored file', [{ type: 'file', file: { file_id: 'file-1' } }], [{ type: 'input_file', file_id: 'file-1' }]],
    [
      'a file of text, as text',
      [{ type: 'file', file: { filename: 'n.txt', file_data: 'data:text/plain;base64,YQ==' } }],
      [{ type: 'input_text', text: 'n.txt:\na' }],
    ],
    [
      'a part in the API’s own form',
      [{ type: 'input_image', file_id: 'f' } as never],
      [{ type: 'input_image', file_id: 'f' }],
    ],
  ])('%s', async (_, content, sent) => {
    expect(await inputOf([{ role: 'user', content }])).toEqual([{ role: 'user', content: sent }])
  })

  test('a sound is left out with a warning', async () => {
    const sound: ChatMessage = {
      role: 'user',
      content: [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }],
    }
    const { input, warnings } = await bodyOf({ messages: [sound] })
    expect([input, warnings]).toEqual([[{ role: 'user', content: '' }], [expect.stringContaining('input_audio')]])
  })

  test('a result with an image holds it; one of texts is a text', async () => {
    const calls = ['a', 'b'].map((id) => ({ id, function: { name: 'f', arguments: '{}' } }))
    const input = await inputOf([
      { role: 'assistant', content: null, tool_calls: calls },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: PIXEL } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'one' }] },
    ])
    expect(input.slice(2).map(({ output }) => output)).toEqual([
      [
        { type: 'input_text', text: 'See' },
        { type: 'input_image', image_url: PIXEL, detail: 'auto' },
      ],
      'one',
    ])
  })

  test('a conversation without anything to send still asks', async () => {
    expect(await inputOf([{ role: 'assistant', content: '' }])).toEqual([{ role: 'user', content: 'Go on.' }])
  })
})

test.each<[object, object]>([
  [{ type: 'json_object' }, { type: 'json_object' }],
  [{ type: 'text' }, { type: 'text' }],
  [
    { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object', properties: { a: {} } } } },
    { type: 'json_schema', name: 'n', schema: { type: 'object', properties: { a: {} } } },
  ],
  [
    { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: { type: 'object', properties: {} } } },
    {
      type: 'json_schema',
      name: 'n',
      strict: true,
      schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
    },
  ],
])('R12: the form of the answer %j', async (format, sent) => {
  const body = await bodyOf({ response_format: format, verbosity: 'high' })
  expect(body['text']).toEqual({ format: sent, verbosity: 'high' })
})
