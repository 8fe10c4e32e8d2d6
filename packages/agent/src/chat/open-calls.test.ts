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

it('a chat that ended at a call is summed up by a model, and gone on with, as if the call was stopped', async () => {
  const pay = tool({ name: 'pay', description: 'Pays.', execute: () => 'paid' })
  const model = functionModel(({ messages }) => (messages.length === 2 ? asks('1') : shown(messages)))
  const [user, clerk] = [createAgent({ name: 'user', model }), createAgent({ name: 'clerk', model, tools: pay })]
  const ends = { message: 'Pay.', maxTurns: 1, summaryMethod: 'reflection_with_llm', silent: true } as const
  const goesOn = { maxTurns: 1, clearHistory: false, silent: true } as const
  const whole = 'user assistant tool1-'
  for (const face of ['initiateChat', 'initiateChatSync'] as const) {
    const { summary, chatHistory } = await user[face](clerk, ends)
    expect([summary, chatHistory.length]).toEqual([`${whole} system`, 2])
    const next = await user[face](clerk, { ...goesOn, message: 'Never mind.' })
    expect(next.summary).toBe(`system ${whole} user`)
    expect(shown(next.chatHistory)).toBe('assistant assistant tool- assistant user')

    await user[face](clerk, ends)
    const message: ChatMessage = { role: 'tool', content: 'paid', tool_responses: [result('1') as never] }
    const { summary: answered } = await user[face](clerk, { ...goesOn, message })
    expect(answered).toBe('system user assistant tool1')
  }
})
