import type { ChatMessage } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ConversableAgent, initiateChats, type ConversableAgentOptions } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'
import {
  askAs,
  endConversation,
  generateReply,
  internalsOf,
  leadMembers,
  operateSync,
  append,
  broadcast,
  setManagerRole,
} from '../steps.ts'
import { stepsReply } from '../options/operations.ts'

const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({
    humanInputMode: 'NEVER',
    defaultAutoReply: `from ${name}`,
    io: recordingIo(),
    ...options,
    name,
  })

/** A manager that hands what it hears to its members and lets each of them answer once. */
function managerOf(members: readonly ConversableAgent[], notes: ChatMessage[] = []): ConversableAgent {
  const manager = agent('manager')
  setManagerRole(manager, {
    members: () => members,
    models: () => [],
    clear: () => void notes.splice(0),
    summaryMessages: () => (notes.length > 0 ? notes : null),
    save: () => notes,
    load: (saved) => void notes.splice(0, Infinity, ...(saved as ChatMessage[])),
    closeCalls: () => {},
  })
  function* talk(message: ChatMessage) {
    yield* broadcast(manager, message, members)
    for (const member of members) {
      const reply = yield* generateReply(member, { sender: manager })
      if (reply !== null) notes.push(yield* append(member, reply, manager))
    }
  }
  const lead = stepsReply('lead', function* (_, { messages, sender }) {
    yield* leadMembers(manager, talk(messages.at(-1)!))
    yield* endConversation(manager, sender, 'max-rounds')
    return [true, null]
  })
  manager.registerReply(() => true, lead)
  return manager
}

describe('a manager of others', () => {
  it('lets its members hear the same message, and sums up what it keeps', () => {
    const members = [agent('a'), agent('b')]
    const manager = managerOf(members)
    const chat = agent('user').initiateChatSync(manager, { message: 'hi' })
    expect(chat).toMatchObject({ summary: 'from b', terminationReason: 'max-rounds' })
    const [heard, also] = members.map((member) => member.chatMessages.get(manager)?.[0])
    expect(heard).toMatchObject({ content: 'hi', role: 'user', name: 'user' })
    expect(also).toBe(heard)
  })

  it('is led from one chat of a queue to the next, while chats with others go on', async () => {
    const order: string[] = []
    const slow = (name: string): ConversableAgent => {
      const model = functionModel(async ({ messages }) => {
        const text = messages.at(-1)!.content as string
        order.push(text)
        await new Promise(setImmediate)
        order.push(`${text} ends`)
        return `to ${text}`
      })
      return agent(name, { llmConfig: model })
    }
    const [manager, other] = [managerOf([slow('a')]), slow('b')]
    const chat = { sender: agent('user'), maxTurns: 1 }
    const results = await initiateChats([
      { ...chat, chatId: 1, recipient: manager, message: 'one' },
      { ...chat, chatId: 2, recipient: manager, message: 'two', clearHistory: false },
      { ...chat, chatId: 3, recipient: other, message: 'beside' },
    ])
    expect(order.filter((each) => !each.startsWith('beside'))).toEqual(['one', 'one ends', 'two', 'two ends'])
    expect(order.indexOf('beside')).toBeLessThan(order.indexOf('one ends'))
    expect([1, 2, 3].map((id) => results.get(id)?.summary)).toEqual(['to one', 'to two', 'to beside'])
    // Nothing of the first is carried to the second: it only waits.
    expect(results.get(2)?.chatHistory.at(-1)?.content).toBe('two')
  })

  it('has its members prepared with it, by a chat that clears the history and by one that does not', () => {
    const [member] = [agent('a')]
    const notes: ChatMessage[] = []
    const manager = managerOf([member], notes)
    const count = (): number | undefined => member.chatMessages.get(manager)?.length
    const user = agent('user')
    user.initiateChatSync(manager, { message: 'hi' })
    user.initiateChatSync(manager, { message: 'again', clearHistory: false })
    expect([count(), notes.length, internalsOf(member).conversations.get(manager)?.autoReplies]).toEqual([4, 2, 1])
    user.initiateChatSync(manager, { message: 'anew' })
    expect([count(), notes.length]).toEqual([2, 1])
  })

  it('lets a hook change what each member hears', () => {
    const members = [agent('a'), agent('b')]
    const manager = managerOf(members)
    manager.registerHook('processMessageBeforeSend', ({ message, recipient }) =>
      recipient.name === 'b' ? { ...(message as ChatMessage), content: 'for b' } : message,
    )
    agent('user').initiateChatSync(manager, { message: 'hi' })
    expect(members.map((member) => member.chatMessages.get(manager)?.[0]?.content)).toEqual(['hi', 'for b'])
  })

  it('refuses a blocking chat when a member has an async reply function', () => {
    const member = agent('a')
    member.registerReply(
      () => true,
      async () => [true, 'later'],
    )
    expect(() => agent('user').initiateChatSync(managerOf([member]), { message: 'hi' })).toThrow(
      expect.objectContaining({ code: 'async-in-sync' }),
    )
  })

  it('counts what its members used', () => {
    const member = agent('a', { llmConfig: functionModel(() => 'well') })
    const { cost } = agent('user').initiateChatSync(managerOf([member]), { message: 'hi' })
    expect(cost.usageIncludingCachedInference.models).toHaveProperty('scripted')
  })

  it('may ask a model under another name, whose usage is its own', () => {
    const llmConfig = functionModel(({ agent: name }) => `asked by ${name}`)
    const asking = agent('a', { llmConfig })
    const { model } = internalsOf(asking)
    const question = { name: 'inner', model: model!, messages: [{ role: 'user' as const, content: 'who?' }] }
    expect(operateSync(askAs(asking, question), internalsOf(asking))).toBe('asked by inner')
    expect(asking.getTotalUsage()?.models).toHaveProperty('scripted')
  })

  it('cannot lead members when it has none', () => {
    const alone = agent('a')
    function* nothing() {}
    expect(() => operateSync(leadMembers(alone, nothing()), internalsOf(alone))).toThrow('call `setManagerRole` first')
  })
})
