import type { ChatMessage, ToolCall } from '@x/interfaces'
import { expect, test } from 'vitest'
import { withoutCalls } from './without-calls.ts'

const NAMES = new Set(['go'])
const call = (name: string, id: string): ToolCall => ({ id, type: 'function', function: { name, arguments: '{}' } })
const asks = (content: string | null, ...calls: ToolCall[]): ChatMessage => ({
  role: 'assistant',
  content,
  tool_calls: calls,
})
const answers = (...pairs: readonly (readonly [id: string, content: string])[]): ChatMessage => ({
  role: 'tool',
  content: '',
  tool_responses: pairs.map(([id, content]) => ({ role: 'tool', tool_call_id: id, content })),
})

test.each([
  ['nothing to hide', [asks(null, call('look', '1')), answers(['1', 'seen'])], null],
  ['a call alone', [asks(null, call('go', '1')), answers(['1', 'Transfer to b'])], []],
  [
    'a call beside words',
    [asks('Off.', call('go', '1')), answers(['1', 'x'])],
    [{ role: 'assistant', content: 'Off.' }],
  ],
  [
    'a call beside another of the same identifier',
    [asks(null, call('go', '1'), call('look', '1')), answers(['1', 'x'], ['1', 'seen'])],
    [asks(null, call('look', '1')), answers(['1', 'seen'])],
  ],
  [
    'an identifier that is used again',
    [asks(null, call('go', '1')), answers(['1', 'x']), asks(null, call('look', '1')), answers(['1', 'seen'])],
    [asks(null, call('look', '1')), answers(['1', 'seen'])],
  ],
  ['a call that has failed', [asks(null, call('go', '1')), answers(['1', 'Error: denied'])], null],
])('%s', (_, messages, left) => {
  expect(withoutCalls(messages, NAMES)).toEqual(left ?? messages)
})
