import { setImmediate as tick } from 'node:timers/promises'
import type { ChatOptions, ToolContext } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { AssistantAgent, ChatJournal, initiateChats, tool, type ConversableAgent } from '../index.ts'
import { agent } from '../run/tool-chat.fake.ts'

/** Repeats what it was sent, a little later. */
const repeating = functionModel(async ({ messages }) => {
  await tick()
  return messages.flatMap(({ role, content }) => (role === 'system' ? [] : [content as string])).join('+')
})

const pair = (): readonly [ConversableAgent, ConversableAgent] => [
  agent('user'),
  agent('assistant', { llmConfig: repeating }),
]

const busy = { code: 'conversation-busy', message: expect.stringContaining("{ conversation: 'own' }") as string }
const own = { conversation: 'own' } as const

describe('a second chat of a pair', () => {
  it.each<[string, (user: ConversableAgent, assistant: ConversableAgent) => unknown]>([
    ['the same way', (user, assistant) => user.initiateChat(assistant, { message: 'b', maxTurns: 1 })],
    ['the other way', (user, assistant) => assistant.initiateChat(user, { message: 'b', maxTurns: 1 })],
    ['blocking', (user, assistant) => user.initiateChatSync(assistant, { message: 'b', maxTurns: 1 })],
    ['as a stream', (user, assistant) => user.initiateChatStream(assistant, { message: 'b', maxTurns: 1 }).result],
    ['in a queue', (user, assistant) => user.initiateChats([{ chatId: 1, recipient: assistant, message: 'b' }])],
  ])('is refused with the remedy while the first is under way: %s', async (_, second) => {
    const [user, assistant] = pair()
    const first = user.initiateChat(assistant, { message: 'a', maxTurns: 2 })
    await expect((async () => await second(user, assistant))()).rejects.toMatchObject(busy)
    const { chatHistory } = await first
    expect(chatHistory.map(({ content }) => content)).toEqual(['a', 'a', '', 'a+a+'])
    // Afterwards the two are free again.
    expect((await user.initiateChat(assistant, { message: 'c', maxTurns: 1 })).summary).toBe('c')
  })

  it('is refused in a queue that runs it beside the first', async () => {
    const [user, assistant] = pair()
    const chat = { sender: user, recipient: assistant, message: 'a', maxTurns: 1 }
    const queue = [
      { ...chat, chatId: 1 },
      { ...chat, chatId: 2 },
    ]
    await expect(initiateChats(queue)).rejects.toMatchObject(busy)
    const beside = await initiateChats(queue.map((each) => ({ ...each, ...own })))
    expect([...beside.values()].map(({ summary }) => summary)).toEqual(['a', 'a'])
    const behind = await initiateChats([queue[0]!, { ...queue[1]!, prerequisites: [1] }])
    expect(behind.size).toBe(2)
  })

  it.each([
    ['fails', { maxTurns: 1, message: () => Promise.reject(new Error('no message')) }, 'no message'],
    ['is stopped', { maxTurns: 1, message: 'a', signal: AbortSignal.abort() }, 'stopped'],
  ] as const)('may begin when the first %s', async (_, options, message) => {
    const [user, assistant] = pair()
    await expect(user.initiateChat(assistant, options)).rejects.toThrow(message)
    expect((await user.initiateChat(assistant, { message: 'b', maxTurns: 1 })).summary).toBe('b')
  })

  it('started by a tool of the first is refused, and the model reads the remedy', async () => {
    expect(await again({ message: 'inside', maxTurns: 1 })).toContain("{ conversation: 'own' }")
    expect(await again({ message: 'inside', maxTurns: 1, ...own })).toBe('inside')
  })
})

/** Starts a chat by a tool of the very pair that it is called in, and gives the tool's answer. */
async function again(options: ChatOptions): Promise<unknown> {
  const [user, assistant] = pair()
  user.registerFunction({
    again: async (_: unknown, { run }: ToolContext) =>
      (await user.initiateChat(assistant, { ...options, run })).summary,
  })
  const calls = [{ id: 'x', type: 'function' as const, function: { name: 'again', arguments: '{}' } }]
  let called = false
  assistant.registerReply(user, () => {
    if (called) return [false, null]
    called = true
    return [true, { content: null, tool_calls: calls }]
  })
  const { chatHistory } = await user.initiateChat(assistant, { message: 'go', maxTurns: 2 })
  expect(chatHistory.map(({ role }) => role)).toEqual(['assistant', 'assistant', 'tool', 'user'])
  return chatHistory[2]!.content
}

describe('a chat with conversations of its own', () => {
  it('has nothing of others at once in its result, and leaves the histories of the agents alone', async () => {
    const [user, assistant] = pair()
    const shared = await user.initiateChat(assistant, { message: 'shared', maxTurns: 1 })
    const states = () => [user, assistant].map((each) => ({ ...each.saveState(), usage: null, checksum: null }))
    const before = states()
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        user.initiateChat(assistant, { message: `secret ${index}`, maxTurns: 2, ...own }),
      ),
    )
    for (const [index, { chatHistory, summary }] of results.entries()) {
      const contents = [`secret ${index}`, `secret ${index}`, '', `secret ${index}+secret ${index}+`]
      expect(chatHistory.map(({ content }) => content)).toEqual(contents)
      expect(summary).toBe(contents.at(-1))
    }
    expect(states()).toEqual(before)
    expect(user.lastMessage(assistant)).toEqual(shared.chatHistory.at(-1))
  })

  it('may run beside one that is kept with the agents, in every face', async () => {
    const user = agent('user')
    const assistant = agent('assistant', { defaultAutoReply: 'well' })
    user.registerFunction({ wait: () => tick() })
    const first = user.initiateChat(assistant, { message: async () => await tick('a'), maxTurns: 1 })
    const inside = user.initiateChatSync(assistant, { message: 'b', maxTurns: 1, ...own })
    const stream = await user.initiateChatStream(assistant, { message: 'c', maxTurns: 1, ...own }).result
    expect([inside, stream].map(({ chatHistory }) => chatHistory.map(({ content }) => content))).toEqual([
      ['b', 'well'],
      ['c', 'well'],
    ])
    expect((await first).chatHistory.map(({ content }) => content)).toEqual(['a', 'well'])
    expect(user.chatMessages.get(assistant)?.map(({ content }) => content)).toEqual(['a', 'well'])
  })

  it('keeps what a human typed in its result, and has the limits of the pair', async () => {
    const io = { send: () => {}, input: () => 'typed' }
    const user = agent('user', { humanInputMode: 'ALWAYS', io })
    const assistant = agent('assistant', { defaultAutoReply: 'well' })
    const result = await user.initiateChat(assistant, { message: 'a', maxTurns: 2, ...own })
    expect(result.humanInput).toEqual(['typed'])
    expect(user.saveState().humanInput).toEqual([])
    assistant.updateMaxConsecutiveAutoReply(0, user)
    const limited = await user.initiateChat(assistant, { message: 'a', maxTurns: 2, ...own })
    expect(limited.terminationReason).toBe('max-consecutive-auto-reply')
  })

  it('gives its messages to a function for the summary', async () => {
    const [user, assistant] = pair()
    const { summary } = await user.initiateChat(assistant, {
      message: 'a',
      maxTurns: 1,
      summaryMethod: (_, __, ___, { messages }) => messages.map(({ content }) => content as string).join(' then '),
      ...own,
    })
    expect(summary).toBe('a then a')
  })

  it('goes on by its journal from each of its entries', async () => {
    const journal = new ChatJournal()
    const options = { message: 'a', maxTurns: 2, ...own }
    const [user, assistant] = pair()
    const whole = await user.initiateChat(assistant, { ...options, journal })
    const state = journal.saveState()
    for (let length = 0; length <= state.entries.length; length++) {
      const [one, other] = pair()
      const loaded = ChatJournal.load(JSON.parse(JSON.stringify({ ...state, entries: state.entries.slice(0, length) })))
      expect(await one.initiateChat(other, { ...options, journal: loaded })).toEqual(whole)
      expect(one.chatMessages.size).toBe(0)
    }
  })
})

describe('agents that serve many at once', () => {
  it('have their nested chats beside each other', async () => {
    const critic = agent('critic', { llmConfig: repeating })
    const assistant = agent('assistant')
    assistant.registerNestedChats(
      [{ recipient: critic, maxTurns: 1, message: (_, { messages }) => `judge ${messages.at(-1)?.content as string}` }],
      () => true,
      { position: 0 },
    )
    const chats = Array.from({ length: 20 }, (_, index) =>
      agent('user').initiateChat(assistant, { message: `secret ${index}`, maxTurns: 1 }),
    )
    for (const [index, { summary }] of (await Promise.all(chats)).entries())
      expect(summary).toBe(`judge secret ${index}`)
  })

  it('run with tools of their own beside each other, and have none afterwards', async () => {
    const llmConfig = functionModel(async ({ messages }) => {
      await tick()
      const said = messages.find(({ role }) => role === 'user')!.content as string
      if (messages.at(-1)!.role === 'tool') return `${said}: ${messages.at(-1)!.content as string} TERMINATE`
      return {
        content: null,
        tool_calls: [{ id: said, type: 'function', function: { name: 'look', arguments: '{}' } }],
      }
    })
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig, io: { send: () => {}, input: () => '' } })
    const run = (index: number, conversation?: 'shared') => {
      const execute = async (): Promise<string> => await tick(`seen ${index}`)
      const tools = tool({ name: 'look', description: 'looks', parameters: { type: 'object' }, execute })
      return assistant.run(`secret ${index}`, { tools, conversation })
    }
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => run(index)))
    for (const [index, { text }] of results.entries()) expect(text).toBe(`secret ${index}: seen ${index}`)
    expect(assistant.chatMessages.size).toBe(0)
    const first = run(1, 'shared')
    await expect(run(2, 'shared')).rejects.toMatchObject(busy)
    expect((await first).text).toBe('secret 1: seen 1')
  })
})
