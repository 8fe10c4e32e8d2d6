import type { ChatMessage } from '@x/interfaces'
import { expect, test } from 'vitest'
import { lowerMessagesBy } from './message-faults.ts'
import { turnsOf } from './turns.ts'

const ids = { maxLength: 40, forbidden: /[^\w-]/gu }
const names = { to: (name: string): string => name, from: (name: string): string => name }
const lower = (messages: readonly unknown[]): unknown =>
  lowerMessagesBy(messages as ChatMessage[], () =>
    turnsOf(messages as ChatMessage[], { provider: 'p', ids, names, warn() {} }),
  )
const part = (value: unknown): unknown => ({ role: 'user', content: [{ type: 'text', text: 'a' }, value] })

test.each<[unknown, string]>([
  [null, '`messages[1]` is not an object'],
  [part(null), '`messages[1].content[1]` is not an object'],
  [part({ type: 'text' }), '`messages[1].content[1]` has no `text`'],
  [part({ type: 'image_url' }), '`messages[1].content[1]` has no `image_url.url` that is a text'],
  [
    part({ type: 'image_url', image_url: { url: 5 } }),
    '`messages[1].content[1]` has no `image_url.url` that is a text',
  ],
  [part({ type: 'input_audio' }), '`messages[1].content[1]` has no `input_audio.data` that is a text'],
  [part({ type: 'file' }), '`messages[1].content[1]` has no `file.file_id` or `file.file_data` that is a text'],
  [{ role: 'assistant', tool_calls: 'f' }, '`messages[1].tool_calls` is not a list'],
  [{ role: 'assistant', tool_calls: [null] }, '`messages[1].tool_calls[0]` has no `function.name`'],
  [
    { role: 'assistant', tool_calls: [{ id: 5, function: { name: 'f', arguments: '' } }] },
    '`messages[1].tool_calls[0]` has an `id` that is not a text',
  ],
  [{ role: 'tool', tool_responses: [null] }, '`messages[1].tool_responses[0]` is not an object'],
])('a message that has not the form of its type is named: %j', (message, fault) => {
  const error = { code: 'invalid-argument', message: `the request cannot be sent: ${fault}` }
  expect(() => lower([{ role: 'user', content: 'hi' }, message])).toThrow(expect.objectContaining(error) as Error)
})

test.each<[string, unknown, object?]>([
  ['a message', part({ type: 'weird', count: 5n })],
  ['another parameter', { role: 'user', content: 'hi' }, { metadata: { user_id: 5n } }],
])('a value that JSON does not have is told: %s', (_, message, others) => {
  const write = (): string => JSON.stringify({ message, others })
  expect(() => lowerMessagesBy([message as ChatMessage], write, others)).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringContaining('BigInt') as string,
    }) as Error,
  )
})

test('an error that has nothing to do with the messages stays as it is', () => {
  const error = new TypeError('x is not a function')
  const fail = (): never => {
    throw error
  }
  expect(() => lowerMessagesBy([{ role: 'user', content: 'hi' }], fail)).toThrow(error)
})
