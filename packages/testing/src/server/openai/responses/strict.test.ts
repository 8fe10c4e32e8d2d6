import { describe, expect, it } from 'vitest'
import { strictRefusal } from '../strict.ts'
import { strictResponses } from './strict.ts'

const user = { role: 'user', content: 'hi' }
const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'add', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c1', output: '3' }
const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 's' }
const fn = (more: object = {}): object => ({
  type: 'function',
  name: 'f',
  parameters: { type: 'object', properties: {} },
  strict: false,
  ...more,
})
const asked = (more: object): object => ({ model: 'gpt-5-mini', input: [user], store: false, ...more })
const said = (...input: unknown[]): object => asked({ input })
const plain = (more: object): object => asked({ model: 'gpt-4o', ...more })

const refused: [what: string, body: unknown, param: string | null, message: RegExp][] = [
  ['no object', [], null, /could not parse/],
  [
    'a sound as the output of a call',
    said(user, call, { ...output, output: [{ type: 'input_audio', input_audio: {} }] }),
    'input[2].output.content[0]',
    /input_image/,
  ],
  ['no model', { input: 'hi' }, 'model', /Missing/],
  ['no input', { model: 'm' }, 'input', /Missing/],
  ['empty input', said(), 'input', /Missing/],
  ['an unknown parameter', asked({ cacheSeed: 1 }), 'cacheSeed', /Unknown parameter/],
  ['messages', asked({ messages: [] }), 'messages', /moved to 'input'/],
  ['an effort of the other API', asked({ reasoning_effort: 'low' }), 'reasoning_effort', /'reasoning\.effort'/],
  ['a form of the other API', asked({ response_format: {} }), 'response_format', /'text\.format'/],
  ['a small limit', asked({ max_output_tokens: 15 }), 'max_output_tokens', />= 16/],
  ['a hot temperature', plain({ temperature: 3 }), 'temperature', /between 0 and 2/],
  ['sampling of a model that reasons', asked({ temperature: 1 }), 'temperature', /not supported/],
  ['effort of a model that does not', plain({ reasoning: { effort: 'low' } }), 'reasoning.effort', /not supported/],
  ['sealed reasoning of it', plain({ include: ['reasoning.encrypted_content'] }), 'include', /Encrypted content/],
  [
    'a form without a name',
    asked({ text: { format: { type: 'json_schema', schema: {} } } }),
    'text.format.name',
    /Missing/,
  ],
  ['tools of the other API', asked({ tools: [{ type: 'function', function: {} }] }), 'tools[0].function', /Unknown/],
  ['a tool without a type', asked({ tools: [{}] }), 'tools[0].type', /Missing/],
  ['a bad name', asked({ tools: [fn({ name: 'a b' })] }), 'tools[0].name', /pattern/],
  ['an odd schema', asked({ tools: [fn({ parameters: { type: 'string' } })] }), 'tools[0].parameters', /object/],
  [
    'a union of schemas',
    asked({ tools: [fn({ parameters: { type: 'object', anyOf: [] } })] }),
    'tools[0].parameters',
    /top level/,
  ],
  [
    'a function that is strict unasked',
    asked({ tools: [fn({ strict: undefined })] }),
    'tools[0].parameters',
    /additionalProperties/,
  ],
  [
    'an open property in strict mode',
    asked({
      tools: [fn({ strict: true, parameters: { type: 'object', properties: { a: {} }, additionalProperties: false } })],
    }),
    'tools[0].parameters',
    /Missing 'a'/,
  ],
  ['a choice without tools', asked({ tool_choice: 'required' }), 'tool_choice', /must be specified/],
  ['an unknown role', said({ role: 'tool', content: '' }), 'input[0].role', /'tool'/],
  ['a name of the sender', said({ ...user, name: 'ann' }), 'input[0].name', /Unknown/],
  [
    'a part of the other API',
    said({ role: 'user', content: [{ type: 'text', text: 'a' }] }),
    'input[0].content[0]',
    /'text'/,
  ],
  [
    'a part with an unknown key',
    said({ role: 'user', content: [{ type: 'input_text', text: 'a', cache_control: {} }] }),
    'input[0].content[0].cache_control',
    /Unknown/,
  ],
  ['no content', said({ role: 'user', content: null }), 'input[0].content', /array of objects/],
  ['an item without a type', said({ id: 'x' }), 'input[0].type', /Missing/],
  ['a call without an id', said({ ...call, call_id: undefined }), 'input[0].call_id', /Missing/],
  ['a long id', said({ ...call, call_id: 'c'.repeat(65) }), 'input[0].call_id', /65/],
  ['a foreign id of an item', said({ ...call, id: 'call_1' }, output), 'input[0].id', /begins with 'fc'/],
  ['arguments that are no text', said({ ...call, arguments: {} }, output), 'input[0].arguments', /string/],
  ['a call without output', said(call), 'input', /No tool output found for function call c1/],
  ['an output without call', said(output), 'input', /No tool call found for function call output with call_id c1/],
  ['a click without a picture', said({ type: 'computer_call', id: 'cu_1', call_id: 'x' }), 'input', /computer call x/],
  [
    'reasoning that is stored nowhere',
    said({ ...sealed, encrypted_content: undefined }, call, output),
    'input',
    /not found/,
  ],
  ['the status of reasoning', said({ ...sealed, status: 'completed' }, call, output), 'input[0].status', /Unknown/],
  ['reasoning without what followed', said(sealed, user), 'input', /without its required following item/],
  [
    'reasoning for a model that has none',
    plain({ input: [sealed, call, output] }),
    'input',
    /reasoning or computer use/,
  ],
  [
    'an item without its reasoning',
    said({ ...call, id: 'fc_1_after_rs_1' }, output),
    'input',
    /'fc_1_after_rs_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'/,
  ],
]

const taken: [what: string, body: unknown][] = [
  [
    'an image and a file as the output of a call',
    said(user, call, {
      ...output,
      output: [
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      ],
    }),
  ],
  ['a text', { model: 'm', input: 'hi' }],
  [
    'a whole exchange',
    said({ role: 'developer', content: 's' }, user, sealed, { ...call, id: 'fc_1_after_rs_1' }, output),
  ],
  ['a call without an id of its own', said({ ...call, id: undefined }, output)],
  ['stored reasoning', asked({ store: true, input: [{ ...sealed, encrypted_content: undefined }, call, output] })],
  ['parts', said({ role: 'user', content: [{ type: 'input_image', image_url: 'u', detail: 'auto' }] })],
  ['tools', asked({ tools: [fn(), { type: 'web_search' }, { type: 'custom', name: 'sql' }], tool_choice: 'auto' })],
  ['sampling without effort', asked({ model: 'gpt-5.2', reasoning: { effort: 'none' }, temperature: 0 })],
  ['sampling', plain({ temperature: 0 })],
]

describe('the strict Responses API', () => {
  it.each(refused)('refuses %s', (_, body, param, message) => {
    expect(strictResponses(body)).toMatchObject({ error: { param, message: expect.stringMatching(message) } })
  })

  it.each(taken)('takes %s', (_, body) => {
    expect(strictResponses(body)).toBeUndefined()
  })
})

describe('strict chat completions name the Responses API', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const chat = (model: string, more: object = {}) => strictRefusal({ model, messages: [user], ...more }, false)

  it.each([
    ['gpt-5.4', { tools, reasoning_effort: 'low' }],
    ['gpt-5.5', { tools }],
    ['gpt-5.6-luna', { tools, reasoning_effort: 'high' }],
    ['gpt-6-astra', { tools }],
  ])('%s with %j', (model, more) => {
    expect(chat(model, more)).toMatchObject({
      status: 400,
      error: { param: 'reasoning_effort', message: expect.stringContaining('use /v1/responses') },
    })
  })

  it.each(['gpt-5-codex', 'o3-pro', 'gpt-5.5-pro-2026-04-23', 'o4-mini-deep-research'])('%s', (model) => {
    expect(chat(model)).toMatchObject({ status: 404, error: { message: expect.stringContaining('v1/responses') } })
  })

  it.each([
    ['gpt-5.4', { tools }],
    ['gpt-5.5', {}],
    ['gpt-5.5', { tools, reasoning_effort: 'none' }],
    ['gpt-5.5-chat-latest', { tools }],
    ['gpt-5-mini', { tools, reasoning_effort: 'high' }],
  ])('takes %s with %j', (model, more) => {
    expect(chat(model, more)).toBeUndefined()
  })
})
