import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExampleGroup } from '@x/example-group'
import { ChatSession, createSessionAgents } from '@x/session'
import { tool } from '@x/agent'
import type { LlmConfig } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createExampleAgents } from './assistant.ts'
import { Conversation } from './conversation.ts'
import type { Change } from './change.ts'
import type { ToolItem } from './item.ts'

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

const toolsOf = ({ items }: Conversation): ToolItem[] => items.filter((item) => item.kind === 'tool')
const lastText = ({ items }: Conversation): unknown => (items.at(-1) as { text?: string }).text
const chat = { id: 'a', kind: 'assistant' } as const

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
    ...chat,
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
      ...chat,
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
    ...chat,
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

describe('a group with a person in it', () => {
  const open = (tell: (change: Change) => void): Conversation =>
    new Conversation({
      id: 'g',
      kind: 'group',
      tell,
      open: (io) =>
        new ChatSession({ folder, agents: () => createExampleGroup({ io, order: () => 'ordered', pace: 0 }) }),
    })
  const isTurn = (change: Change): boolean => change.type === 'state' && change.state.turn !== null

  it('says who is next and why, asks the person, who may stay silent, and goes on after a kill', async () => {
    const killed = listener()
    const first = open(killed.tell)
    expect(first.state).toMatchObject({ title: null, members: ['planner', 'cook', 'critic', 'buyer'], busy: false })
    first.say('A dinner, please.')
    await killed.until(isTurn)
    expect(first.state).toMatchObject({
      busy: true,
      next: { name: 'user', reason: 'chosen by the model' },
      title: 'A dinner, please.',
    })
    expect(first.asks).toBe(true)
    expect(first.state.usage).toMatchObject({ models: ['simulated'], cost: 0, unpriced: false })
    expect(first.state.usage.promptTokens).toBeGreaterThan(0)

    const { tell, until } = listener()
    const conversation = open(tell)
    await until(isTurn)
    conversation.answer(conversation.state.turn!, '')
    await until((change) => change.type === 'state' && change.state.next?.name === 'critic')
    await conversation.idle()
    expect(conversation.state).toMatchObject({ busy: false, next: null, turn: null, waiting: true })
    const [, order] = toolsOf(conversation)
    expect(order).toMatchObject({ by: 'buyer', name: 'order_groceries', state: 'waiting' })
    expect(order!.fields!.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'shop: choice',
      'items: list',
      'limit: number',
      'note: text',
      'express: flag',
    ])
    await conversation.decide(order!.approval!, { allow: true })
    await conversation.idle()
    const names = conversation.items.flatMap((item) =>
      'name' in item ? [item.kind === 'tool' ? item.by : item.name] : [],
    )
    expect(names).toEqual(['user', 'planner', 'user', 'cook', 'critic', 'buyer', 'buyer', 'buyer', 'planner'])
    expect(conversation.items[2]).toMatchObject({ silent: true })
    expect(conversation.items.at(-1)).toMatchObject({ model: 'simulated' })
    expect(lastText(conversation)).toMatch(/Dinner is at eight\.$/u)
    await conversation.close()
    await expect(reopened()).resolves.toEqual(conversation.items)
  })

  /** The lines as another process shows them. */
  async function reopened(): Promise<unknown> {
    const conversation = open(() => {})
    await conversation.close()
    return conversation.items
  }
})
