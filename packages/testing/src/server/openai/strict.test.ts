import { describe, expect, it } from 'vitest'
import { strictRefusal } from './strict.ts'

const user = { role: 'user', content: 'hi' }
const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } }
const calling = { role: 'assistant', content: null, tool_calls: [call] }
const result = { role: 'tool', tool_call_id: 'c1', content: '3' }
const tool = (name: string): object => ({ type: 'function', function: { name, parameters: { type: 'object' } } })
const said = (...messages: unknown[]): object => ({ model: 'm', messages })
const asked = (more: object): object => ({ ...said(user), ...more })

const refused: [what: string, body: unknown, param: string | null, message: RegExp][] = [
  ['no object', [], null, /could not parse/],
  ['no model', { messages: [user] }, null, /model parameter/],
  ['no messages', { model: 'm' }, 'messages', /Missing/],
  ['empty messages', said(), 'messages', /empty array/],
  ['an unknown parameter', asked({ cacheSeed: 1 }), null, /cacheSeed/],
  ['both limits', asked({ max_tokens: 1, max_completion_tokens: 1 }), 'max_tokens', /same time/],
  ['a limit of 0', asked({ max_tokens: 0 }), 'max_tokens', /at least 1/],
  ['stream_options without stream', asked({ stream_options: {} }), 'stream_options', /only allowed/],
  ['a hot temperature', asked({ temperature: 3 }), 'temperature', /between 0 and 2/],
  ['many stops', asked({ stop: ['a', 'b', 'c', 'd', 'e'] }), 'stop', /too long/],
  ['no tools', asked({ tools: [] }), 'tools', /empty array/],
  ['no functions', asked({ functions: [] }), 'functions', /empty array/],
  ['a tool without type', asked({ tools: [{ function: {} }] }), 'tools[0].type', /Missing/],
  ['a long name', asked({ tools: [tool('a'.repeat(65))] }), 'tools[0].function.name', /65/],
  ['a bad name', asked({ tools: [tool('ok'), tool('a b')] }), 'tools[1].function.name', /pattern/],
  [
    'an odd schema',
    asked({ functions: [{ name: 'a', parameters: { type: 'string' } }] }),
    'functions[0].parameters',
    /schema/,
  ],
  ['a choice without tools', asked({ tool_choice: 'auto' }), 'tool_choice', /only allowed/],
  ['an unknown role', said({ role: 'robot', content: '' }), 'messages[0].role', /'robot'/],
  ['an unknown key', said({ ...user, context: {} }), 'messages[0].context', /context/],
  ['a name with blanks', said({ ...user, name: 'a b' }), 'messages[0].name', /pattern/],
  [
    'a result without id',
    said(user, calling, { role: 'tool', content: '' }),
    'messages[2].tool_call_id',
    /tool_call_id/,
  ],
  ['a result without call', said(user, result), 'messages[1].role', /response to a preceeding/],
  ['a result twice', said(user, calling, result, result), 'messages[3].role', /response to a preceeding/],
  ['a call without result', said(user, calling), 'messages[1].role', /c1/],
  ['a late result', said(calling, user, result), 'messages[1].role', /c1/],
  [
    'an image as a result',
    said(user, calling, { ...result, content: [{ type: 'image_url', image_url: { url: 'https://x.invalid/a.png' } }] }),
    'messages[2].content[0]',
    /Supported values are: 'text'/,
  ],
  [
    'a result in parts, in the older style',
    said({ role: 'function', name: 'add', content: [{ type: 'text', text: '3' }] }),
    'messages[0].content',
    /expected a string/,
  ],
  ['empty calls', said({ ...calling, tool_calls: [] }), 'messages[0].tool_calls', /empty array/],
  [
    'a call without id',
    said({ ...calling, tool_calls: [{ ...call, id: undefined }] }),
    'messages[0].tool_calls[0].id',
    /Missing/,
  ],
  [
    'arguments that are no text',
    said({ ...calling, tool_calls: [{ ...call, function: { name: 'add', arguments: {} } }] }),
    'messages[0].tool_calls[0].function.arguments',
    /string/,
  ],
  ['a user who says nothing', said({ role: 'user', content: null }), 'messages[0].content', /null/],
  ['an assistant who says nothing', said({ role: 'assistant', content: null }), 'messages[0].content', /null/],
  ['content that is an object', said({ role: 'user', content: {} }), 'messages[0].content', /array of objects/],
  ['no parts', said({ role: 'user', content: [] }), 'messages[0].content', /empty array/],
  [
    'an image of the assistant',
    said({ role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'x' } }] }),
    'messages[0].content[0]',
    /image_url/,
  ],
  [
    'a limit of the older kind for a model that reasons',
    { ...said(user), model: 'o3', max_tokens: 5 },
    'max_tokens',
    /max_completion_tokens/,
  ],
  [
    'sampling of a model that reasons',
    { ...said(user), model: 'gpt-5-mini', temperature: 0 },
    'temperature',
    /Unsupported/,
  ],
  ['texts that stop a model that reasons', { ...said(user), model: 'gpt-5', stop: 'x' }, 'stop', /Unsupported/],
  [
    'a system text for one of the first models that reason',
    { model: 'o1-mini', messages: [{ role: 'system', content: 's' }, user] },
    'messages[0].role',
    /'system'/,
  ],
  [
    'effort of a model that does not reason',
    { ...said(user), model: 'gpt-4o', reasoning_effort: 'low' },
    'reasoning_effort',
    /Unsupported/,
  ],
  ['a switch for calls without tools', asked({ parallel_tool_calls: false }), 'parallel_tool_calls', /only allowed/],
  [
    'a union of schemas',
    asked({ functions: [{ name: 'a', parameters: { type: 'object', anyOf: [] } }] }),
    'functions[0].parameters',
    /top level/,
  ],
  ['a function without name', said({ role: 'function', content: '' }), 'messages[0].name', /Missing/],
]

const taken: [what: string, body: unknown][] = [
  ['a question', said(user)],
  ['a whole exchange', said({ role: 'system', content: 's' }, user, calling, result, user)],
  [
    'two calls in any order',
    said({ ...calling, tool_calls: [call, { ...call, id: 'c2' }] }, { ...result, tool_call_id: 'c2' }, result),
  ],
  [
    'the older style',
    said(
      { role: 'assistant', content: null, function_call: call.function },
      { role: 'function', name: 'add', content: '3' },
    ),
  ],
  ['sampling of a newer model that chats', { ...said(user), model: 'gpt-5-chat-latest', temperature: 0 }],
  ['texts that stop an older model that reasons', { ...said(user), model: 'o3-mini', stop: 'x' }],
  ['effort of a model that reasons', { ...said(user), model: 'gpt-5-mini', reasoning_effort: 'low' }],
  [
    'sampling of a model that is told not to reason',
    { ...said(user), model: 'gpt-5.4', reasoning_effort: 'none', temperature: 0 },
  ],
  ['parts', said({ role: 'user', content: [{ type: 'text', text: 'a' }] })],
  [
    'tools',
    asked({ tools: [tool('a-b_C1')], tool_choice: 'auto', stream: true, stream_options: { include_usage: true } }),
  ],
]

describe('the strict server', () => {
  it.each(refused)('refuses %s', (_, body, param, message) => {
    expect(strictRefusal(body, false)).toMatchObject({
      status: 400,
      error: { param, message: expect.stringMatching(message) },
    })
  })

  it.each(taken)('takes %s', (_, body) => {
    expect(strictRefusal(body, false)).toBeUndefined()
  })

  it('takes a request without a model where the path names it', () => {
    expect(strictRefusal({ messages: [user] }, true)).toBeUndefined()
  })
})
