import type { Io, JournalEntry } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { setManagerRole } from '../steps.ts'
import {
  ChatJournal,
  ConversableAgent,
  initiateChats,
  tool,
  type AgentState,
  type ConversableAgentOptions,
  ag2Run,
} from '../index.ts'

const io: Io = { send: () => {}, input: () => 'exit' }
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({ name, io, humanInputMode: 'NEVER', defaultAutoReply: `${name} says so`, ...options })

describe('the state of an agent', () => {
  it('is changed as a whole, with the conversations whose counterparts have not come yet', async () => {
    const [ann, bob] = [agent('ann'), agent('bob')]
    await ann.initiateChat(bob, { message: 'hi', maxTurns: 3 })
    const [again, other] = [agent('ann'), agent('bob')]
    again.loadState(json(ann.saveState()))
    expect(again.lastMessage()).toEqual(ann.lastMessage(bob))
    again.updateMaxConsecutiveAutoReply(1)
    again.resetConsecutiveAutoReplyCounter()
    again.clearHistory(undefined, { nrMessagesToPreserve: 2 })
    expect(again.saveState().conversations).toMatchObject([{ with: 'bob', autoReplies: 0, maxAutoReplies: 1 }])
    expect(again.chatMessagesForSummary(other)).toEqual(ann.chatMessages.get(bob)!.slice(-2))
    expect(again.maxConsecutiveAutoReply(other)).toBe(1)
  })

  it('is plain JSON, and an agent that loads it goes on as the other', async () => {
    const model = () => functionModel(() => 'from the model')
    const [ann, bob, eve] = [
      agent('ann', { contextVariables: { n: 1, live: new Map() } }),
      agent('bob', { llmConfig: model() }),
      agent('eve'),
    ]
    await ann.initiateChat(bob, { message: 'hi', maxTurns: 2 })
    await eve.initiateChat(ann, { message: 'hello', maxTurns: 1 })
    ann.setContext('n', 2)
    ann.updateSystemMessage('be brief')
    bob.updateMaxConsecutiveAutoReply(3, ann)
    const live = new Map()
    const saved = [ann, bob].map((each) => json(each.saveState()))
    expect(saved.map((each, index) => [ann, bob][index]!.saveState())).toEqual(saved)

    const [ann2, bob2, eve2] = [
      agent('ann', { contextVariables: { live } }),
      agent('bob', { llmConfig: model() }),
      agent('eve'),
    ]
    ann2.loadState(saved[0], { agents: [bob2] })
    bob2.loadState(saved[1])
    expect(ann2.chatMessages.get(bob2)).toEqual(ann.chatMessages.get(bob))
    expect(ann2.saveState()).toEqual(saved[0])
    expect(ann2.getContext('n')).toBe(2)
    expect(ann2.getContext('live')).toBe(live)
    expect(ann2.systemMessage).toBe('be brief')
    // A conversation waits for an agent of the name.
    expect(bob2.chatMessages.size).toBe(0)
    expect(bob2.maxConsecutiveAutoReply(ann2)).toBe(3)
    expect(bob2.chatMessagesForSummary(ann2)).toEqual(bob.chatMessages.get(ann))
    bob2.stopReplyAtReceive(ann2)
    expect(bob2.chatMessages.get(ann2)).toEqual(bob.chatMessages.get(ann))
    expect(bob2.getTotalUsage()).toEqual(bob.getTotalUsage())
    expect(ann2.lastMessage(eve2)).toEqual(ann.lastMessage(eve))
    const go = { message: 'and now?', maxTurns: 1, clearHistory: false }
    expect(await ann2.initiateChat(bob2, go)).toEqual(await ann.initiateChat(bob, go))
  })

  it('has what a manager keeps, and refuses what its role cannot load', () => {
    const manager = (kept: string[]): ConversableAgent => {
      const made = agent('manager')
      setManagerRole(made, {
        members: () => [],
        models: () => [],
        clear: () => {},
        summaryMessages: () => null,
        save: () => kept,
        load: (saved) => void kept.push(...(saved as string[]).map((each) => each.toUpperCase())),
        closeCalls: () => {},
      })
      return made
    }
    const saved = json(manager(['said']).saveState())
    expect(saved.managed).toEqual(['said'])
    const kept: string[] = []
    const other = manager(kept)
    expect(() => other.loadState({ ...saved, checksum: undefined, maxConsecutiveAutoReply: 7, managed: 1 })).toThrow(
      expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('`managed`') }),
    )
    expect(other.maxConsecutiveAutoReply()).not.toBe(7)
    other.loadState(saved)
    expect(kept).toEqual(['SAID'])
    expect(agent('ann').saveState()).not.toHaveProperty('managed')
  })

  const state = (): AgentState => json(agent('ann').saveState())

  it.each<[string, (saved: AgentState) => unknown, object]>([
    ['a version that is not known', (saved) => ({ ...saved, version: 99 }), { code: 'unknown-state-version' }],
    ['another agent', (saved) => ({ ...saved, name: 'bob' }), { code: 'invalid-state' }],
    ['a chat', () => ({ version: 2, kind: 'chat', entries: [] }), { code: 'invalid-state' }],
    ['no JSON', () => ({ version: 2, kind: 'agent', name: 1n }), { code: 'invalid-state' }],
    ['no object', () => 'state', { code: 'invalid-state' }],
    [
      'a changed text',
      (saved) => ({ ...saved, systemMessage: 'Obey.' }),
      { code: 'invalid-state', message: expect.stringContaining('leave `checksum` out if you have changed it') },
    ],
    [
      'a broken message, with its path',
      (saved) => ({
        ...saved,
        conversations: [
          {
            ...conversation,
            messages: [
              { role: 'user', content: 'a' },
              { role: 'king', content: 'b' },
            ],
          },
        ],
      }),
      { code: 'invalid-state', message: expect.stringContaining('`conversations.0.messages.1.role`') },
    ],
  ])('is refused: %s', (_, broken, error) => {
    const ann = agent('ann')
    expect(() => ann.loadState(broken(state()))).toThrow(expect.objectContaining(error))
    expect(ann.saveState()).toEqual(state())
  })

  it('that a program has changed loads without its checksum', () => {
    const { checksum: _, ...saved } = state()
    const ann = agent('ann')
    ann.loadState({ ...saved, systemMessage: 'Obey.' })
    expect(ann.systemMessage).toBe('Obey.')
  })
})

const conversation = {
  with: 'bob',
  messages: [],
  autoReplies: 0,
  maxAutoReplies: 100,
  replyAtReceive: false,
  begun: true,
  humanInput: [],
  ended: null,
}

describe('a journal', () => {
  /** Two agents with models, and a tool that may need an approval. */
  function pair(ran: string[], needsApproval: boolean) {
    const assistant = agent('assistant', {
      llmConfig: functionModel(
        ({ messages }) =>
          messages.at(-1)!.role === 'tool'
            ? '{"sum":3}'
            : {
                content: null,
                tool_calls: [{ id: 'a', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
              },
        { usage: [7, 3], cost: 0.5 },
      ),
    })
    const add = tool({
      name: 'add',
      description: 'Adds.',
      parameters: z.object({ a: z.number(), b: z.number() }),
      needsApproval: ({ a }) => needsApproval && a === 1,
      execute({ a, b }) {
        ran.push(`add ${a} ${b}`)
        return a + b
      },
    })
    return { assistant, add }
  }

  it('counts what was used before in the cost of a chat that goes on', async () => {
    const { assistant, add } = pair([], false)
    const options = { ...ag2Run, tools: add, userInput: false, maxTurns: 2 }
    const entries: JournalEntry[] = []
    const journal = new ChatJournal({ onEntry: (entry) => void entries.push(json(entry)) })
    const whole = await assistant.run('1 + 2?', { ...options, journal })
    expect(whole.cost.usageExcludingCachedInference).toMatchObject({
      totalCost: 1,
      models: { scripted: { promptTokens: 14 } },
    })
    for (let length = 0; length <= entries.length; length++) {
      const next = pair([], false)
      const resumed = ChatJournal.load({ version: 3, kind: 'chat', entries: entries.slice(0, length) })
      expect(await next.assistant.run('1 + 2?', { ...options, journal: resumed })).toEqual(whole)
    }
  })

  it('suspends a blocking chat as well', () => {
    const ran: string[] = []
    const { assistant, add } = pair(ran, true)
    const options = { tools: add, userInput: false, maxTurns: 2 }
    const journal = new ChatJournal()
    expect(assistant.runSync('1 + 2?', { ...options, journal }).terminationReason).toBe('suspended')
    expect(ran).toEqual([])
    const keeps = new ChatJournal({ onEntry: async () => await Promise.resolve() })
    expect(() => pair([], true).assistant.runSync('1 + 2?', { ...options, journal: keeps })).toThrow(
      expect.objectContaining({ code: 'async-in-sync' }),
    )
  })

  it('suspends a run of the reference with a result by an error, and the run goes on with the decision', async () => {
    const ran: string[] = []
    const options = { ...ag2Run, result: z.object({ sum: z.number() }), userInput: false, maxTurns: 2 }
    const first = pair(ran, true)
    const journal = new ChatJournal()
    await expect(first.assistant.run('1 + 2?', { ...options, tools: first.add, journal })).rejects.toMatchObject({
      code: 'suspended',
      details: { pending: { agent: 'user' } },
    })
    const loaded = ChatJournal.load(json(journal.saveState()))
    await loaded.decide(loaded.pending[0]!.id, { allow: true, arguments: { a: 5, b: 6 } })
    const second = pair(ran, true)
    const { result } = await second.assistant.run('1 + 2?', { ...options, tools: second.add, journal: loaded })
    expect(result).toEqual({ sum: 3 })
    expect(ran).toEqual(['add 5 6'])
  })

  it('keeps chats that run at once apart', async () => {
    const ran: string[] = []
    const queue = () => {
      const helper = (name: string): ConversableAgent => {
        const its = agent(name)
        its.registerReply(
          () => true,
          async () => {
            ran.push(name)
            await Promise.resolve()
            return [true, `${name} was asked`]
          },
        )
        return its
      }
      const boss = agent('boss')
      return [
        { chatId: 1, sender: boss, recipient: helper('one'), message: 'a', maxTurns: 1 },
        { chatId: 2, sender: boss, recipient: helper('two'), message: 'b', maxTurns: 2 },
        { chatId: 3, sender: boss, recipient: helper('three'), message: 'c', maxTurns: 1, prerequisites: [1, 2] },
      ]
    }
    const journal = new ChatJournal()
    const whole = await initiateChats(queue(), { journal })
    const { entries } = json(journal.saveState())
    const times = ran.length
    for (let length = 0; length <= entries.length; length++) {
      ran.length = 0
      const resumed = ChatJournal.load({ version: 3, kind: 'chat', entries: entries.slice(0, length) })
      expect(await initiateChats(queue(), { journal: resumed })).toEqual(whole)
      const known = entries.slice(0, length).filter(({ value }) => JSON.stringify(value).includes('was asked'))
      expect(ran.length).toBeGreaterThanOrEqual(times - length)
      expect(ran.length).toBeLessThanOrEqual(times)
      if (length === entries.length) expect(known.length + ran.length).toBeGreaterThanOrEqual(times)
    }
    expect(ran).toEqual([])
  })

  it('asks for an approval of code', async () => {
    const ran: string[] = []
    const codeReader = {
      extractCode: (content: unknown) =>
        String(content).includes('print') ? [{ language: 'python', code: 'print(1)' }] : [],
      inferLang: () => 'python',
    }
    const executor = {
      codeReader,
      executeCodeBlocks: () => {
        ran.push('code')
        return { exitCode: 0, output: '1' }
      },
    }
    const chat = async (journal: ChatJournal) => {
      const runner = agent('runner', {
        codeExecutionConfig: { executor: executor as never },
        beforeCodeExecution: () => 'ask',
      })
      return await agent('writer').initiateChat(runner, { message: 'print', maxTurns: 1, journal })
    }
    const journal = new ChatJournal()
    expect((await chat(journal)).terminationReason).toBe('suspended')
    expect(journal.pending).toMatchObject([
      { agent: 'runner', action: { type: 'code', blocks: [{ code: 'print(1)' }] } },
    ])
    expect(ran).toEqual([])
    const allowed = ChatJournal.load(json(journal.saveState()))
    await allowed.decide(allowed.pending[0]!.id, { allow: true })
    expect((await chat(allowed)).summary).toContain('Code output: 1')
    const denied = ChatJournal.load(json(journal.saveState()))
    await denied.decide(denied.pending[0]!.id, { allow: false, reason: 'not today' })
    expect((await chat(denied)).summary).toContain('not today')
    expect(ran).toEqual(['code'])
  })
})
