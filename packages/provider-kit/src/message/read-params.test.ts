import type { ModelParams } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { readParams } from './read-params.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]

test('reads shared parameters with their types, passes other ones, and ignores null', () => {
  const given = { model: 'm', temperature: 0, stop: ['x'], top_p: null, safety_settings: [], stream: true }
  const { temperature, stop, top_p: topP, others, given: all } = readParams({ ...given, messages })
  expect([temperature, stop, topP, others]).toEqual([0, ['x'], undefined, { safety_settings: [] }])
  expect(all).toEqual({ model: 'm', temperature: 0, stop: ['x'], safety_settings: [] })
})

test('reads older functions as tools and a prompt as a message', () => {
  const tool = { type: 'function' as const, function: { name: 'a' } }
  const params = readParams({ messages: [], prompt: 'Hi', tools: [tool], functions: [{ name: 'b' }] })
  expect(params.tools).toEqual([tool, { function: { name: 'b' } }])
  expect(params.functions[0]).toBe(params.tools[1]!.function)
  expect(params.messages).toEqual(messages)
})

test.each([
  [undefined, undefined],
  [{ type: 'text' }, undefined],
  [{ type: 'json_object' }, { schema: undefined }],
  [{ type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } }, { schema: { type: 'object' } }],
])('the format %j asks for JSON as %j', (format, json) => {
  expect(readParams({ messages, response_format: format }).json).toEqual(json)
})

describe('names a parameter of a wrong type and the expected kind', () => {
  test.each([
    [{ temperature: 'hot' }, '`temperature` cannot be used: it is the text "hot"; give a number'],
    [{ stop: 5 }, '`stop` cannot be used: it is 5; give a text or a list, each item a text'],
    [{ logit_bias: { 50: 'x' } }, '`logit_bias` cannot be used: it is an object; give an object of numbers'],
    [{ tools: {} }, '`tools` cannot be used: it is an object; give a list, each item an object'],
    [
      { tools: [{ type: 'function', function: { name: 7 } }] },
      '`tools.0.function.name` cannot be used: it is 7; give a text',
    ],
    [
      { tools: [{ type: 'function', function: {} }] },
      '`tools.0.function` cannot be used: it is an object; give an object with a `name`',
    ],
    [{ response_format: 'json' }, '`response_format` cannot be used: it is the text "json"; give an object'],
  ])('%j', (params, text) => {
    expect(() => readParams({ messages, ...params } as ModelParams)).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: `the request parameter ${text}` }) as Error,
    )
  })
})

test.each([
  ['any', 'required'],
  [{ type: 'any' }, 'required'],
  [{ type: 'auto' }, 'auto'],
  [
    { type: 'tool', name: 'f' },
    { type: 'function', function: { name: 'f' } },
  ],
  [
    { type: 'function', name: 'f' },
    { type: 'function', function: { name: 'f' } },
  ],
  [
    { type: 'auto', disable_parallel_tool_use: true },
    { type: 'auto', disable_parallel_tool_use: true },
  ],
  [{ type: 'web_search' }, { type: 'web_search' }],
])('reads the choice %j of any vendor as %j, unless it is written for the provider', (tool_choice, read) => {
  const shared = readParams({ messages, tool_choice })
  expect([shared.tool_choice, shared.given['tool_choice']]).toEqual([read, read])
  expect(readParams({ messages, providerOptions: { acme: { tool_choice } } }, ['acme']).tool_choice).toEqual(
    tool_choice,
  )
})
