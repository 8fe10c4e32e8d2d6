import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChatSession, createSessionAgents } from '@x/session'
import { tool } from '@x/agent'
import type { LlmConfig } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createExampleAgents } from './assistant.ts'
import { Conversation } from './conversation.ts'
import type { Change, ToolItem } from './item.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conversation-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Changes as they come. */
function listener(): { tell: (change: Change) => void; until: (fits: (change: Change) => boolean) => Promise<Change> } {
  const seen: Change[] = []
  let more = Promise.withResolvers<void>()
  return {
    tell(change) {
      seen.push(change)
      more.resolve()
      more = Promise.withResolvers()
    },
    async until(fits) {
      for (let index = 0; ; index++) {
        while (index === seen.length) await more.promise
        if (fits(seen[index]!)) return seen[index]!
      }
    },
  }
}

const toolsOf = ({ all }: Conversation): ToolItem[] =>
  all.type === 'all' ? all.items.filter((item) => item.kind === 'tool') : []
const lastText = ({ all }: Conversation): unknown =>
  all.type === 'all' ? (all.items.at(-1) as { text?: string }).text : null

it('takes a decision while what was decided before still runs, and makes every call once', async () => {
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: { type: 'object', properties: { to: { type: 'string' } } },
    needsApproval: true,
    async execute({ to }) {
      if (to === 'first') await gate.promise
      done.push(String(to))
      return `paid ${String(to)}`
    },
  })
  const llmConfig = functionModel(({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return 'Both paid.'
    const calls = ['first', 'second'].map((to) => ({
      id: to,
      function: { name: 'pay', arguments: JSON.stringify({ to }) },
    }))
    return { tool_calls: calls }
  })
  const { tell, until } = listener()
  const conversation = new Conversation({
    tell,
    open: () =>
      new ChatSession({ folder, agents: () => createSessionAgents({ llmConfig, systemMessage: '', tools: [pay] }) }),
  })
  conversation.say('Pay both.')
  await conversation.idle()
  const [first, second] = toolsOf(conversation) as [ToolItem, ToolItem]
  expect([first.state, second.state]).toEqual(['waiting', 'waiting'])
  expect(() => conversation.say('And?')).toThrow(/decide on it first/u)

  await conversation.decide(first.approval!, { allow: true })
  await until((change) => change.type === 'item' && change.item.kind === 'tool' && change.item.state === 'running')
  await conversation.decide(second.approval!, { allow: true })
  await expect(conversation.decide(second.approval!, { allow: true })).rejects.toMatchObject({ code: 'invalid-state' })
  gate.resolve()
  await conversation.idle()
  expect(done).toEqual(['first', 'second'])
  expect(toolsOf(conversation).map(({ state, result }) => [state, result])).toEqual([
    ['done', 'paid first'],
    ['done', 'paid second'],
  ])
  expect(lastText(conversation)).toBe('Both paid.')
  await conversation.close()
})

it('asks a question again when its server was killed before the answer', async () => {
  const asking: LlmConfig = functionModel(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'Thank you.'
      : { tool_calls: [{ id: 'q', function: { name: 'ask_person', arguments: '{"question":"Which?"}' } }] },
  )
  const open = (tell: (change: Change) => void): Conversation =>
    new Conversation({
      tell,
      open: (io) =>
        new ChatSession({ folder, agents: () => createExampleAgents({ llmConfig: asking, io, send: () => {} }) }),
    })
  const isQuestion = (change: Change): boolean => change.type === 'item' && change.item.kind === 'question'

  const killed = listener()
  open(killed.tell).say('Ask me.')
  await killed.until(isQuestion)

  const { tell, until } = listener()
  const conversation = open(tell)
  await until(isQuestion)
  conversation.answer('1', 'blue')
  await conversation.idle()
  expect(lastText(conversation)).toBe('Thank you.')
  expect(toolsOf(conversation)).toMatchObject([{ state: 'done', result: 'blue' }])
  expect(() => conversation.answer('1', 'red')).toThrow(/not open/u)
  await conversation.close()
})

it('takes a question back when the answer is stopped', async () => {
  const asking: LlmConfig = functionModel(() => ({
    tool_calls: [{ id: 'q', function: { name: 'ask_person', arguments: '{"question":"Which?"}' } }],
  }))
  const { tell, until } = listener()
  const conversation = new Conversation({
    tell,
    open: (io) =>
      new ChatSession({ folder, agents: () => createExampleAgents({ llmConfig: asking, io, send: () => {} }) }),
  })
  conversation.say('Ask me.')
  await until((change) => change.type === 'item' && change.item.kind === 'question')
  conversation.stop()
  await until((change) => change.type === 'item' && change.item.kind === 'question' && change.item.answer === null)
  await conversation.idle()
  expect(() => conversation.answer('1', 'late')).toThrow(/not open/u)
  expect(lastText(conversation)).toBe('Stopped.')
  await conversation.close()
})
