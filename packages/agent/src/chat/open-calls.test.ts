import type { ChatMessage } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { createAgent, tool } from '../index.ts'
import { STOPPED_CALL_TEXT, withCallsAnswered } from './open-calls.steps.ts'

const question: ChatMessage = { role: 'user', content: 'Never mind.' }
const asks = (...ids: (string | undefined)[]) => ({
  role: 'assistant' as const,
  content: null,
  tool_calls: ids.map((id) => ({ ...(id !== undefined && { id }), function: { name: 'pay', arguments: '{}' } })),
})
const result = (id?: string): ChatMessage => ({
  role: 'tool',
  content: 'paid',
  ...(id !== undefined && { tool_call_id: id }),
})

/** Writes each message as its role, with the identifier of a result; `-` stands for a call that was stopped. */
const shown = (messages: readonly ChatMessage[]): string =>
  messages
    .map(({ role, content, tool_call_id: id = '' }) => `${role}${id}${content === STOPPED_CALL_TEXT ? '-' : ''}`)
    .join(' ')

it.each<[what: string, messages: ChatMessage[], next: ChatMessage, whole: string]>([
  ['no calls', [question], question, 'user'],
  ['all answered', [asks('1', '2'), result('2'), result('1')], question, 'assistant tool2 tool1'],
  ['none answered', [question, asks('1', '2')], question, 'user assistant tool1- tool2-'],
  ['some answered', [asks('1', '2'), result('1'), question], question, 'assistant tool1 tool2- user'],
  ['identifiers of earlier calls', [asks('1'), result('1'), asks('1')], question, 'assistant tool1 assistant tool1-'],
  ['no identifiers', [asks(undefined, undefined), result()], question, 'assistant tool tool-'],
  ['a question that answers', [asks('1')], result('1'), 'assistant'],
  ['a question with responses', [asks('1')], { ...question, tool_responses: [result('1') as never] }, 'assistant'],
  [
    'a call of a function',
    [{ role: 'assistant', content: null, function_call: { name: 'pay', arguments: '{}' } }],
    question,
    'assistant function-',
  ],
])('calls of a history with %s are answered once', (_, messages, next, whole) => {
  expect(shown(withCallsAnswered(messages, next))).toBe(whole)
})

it('a run goes on from the messages of one that waits for a decision', async () => {
  const pay = tool({ name: 'pay', description: 'Pays.', execute: () => 'paid', needsApproval: true })
  const model = functionModel(({ messages }) => (messages.length === 2 ? asks('1') : shown(messages)))
  const agent = createAgent({ name: 'clerk', model, tools: pay })
  for (const face of ['run', 'runSync'] as const) {
    const { messages } = await agent[face]('Pay.')
    const { text, messages: all } = await agent[face]([...messages, question])
    expect(text).toBe('system user assistant tool1- user')
    expect(shown(all)).toBe('user assistant tool1- user assistant')
  }
})
