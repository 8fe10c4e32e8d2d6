import { ChatJournal, ConversableAgent } from '@x/agent'
import type { Io, LlmConfig, ModelCapabilities, ModelParams } from '@x/interfaces'
import {
  defaultPattern,
  GroupChat,
  GroupChatManager,
  groupChat,
  initiateGroupChat,
  roundRobinPattern,
  type GroupChatOptions,
} from '@x/group'
import { createBudget, llmConfig } from '@x/model'
import { ReasoningAgent } from '@x/reasoning'
import { functionModel, scriptedProvider } from '@x/testing'
import { describe, expect, it } from 'vitest'

const io: Io = { send: () => {}, input: () => '' }
const capabilities = (structuredOutput: 'none' | 'schema'): ModelCapabilities => ({
  tools: true,
  images: false,
  structuredOutput,
  streaming: true,
})

/** Three members that a model chooses from, and the model's provider. */
function group(replies: readonly string[], can: ModelCapabilities, options: Partial<GroupChatOptions> = {}) {
  const provider = scriptedProvider(replies, { capabilities: can, usage: [10, 5] })
  const llm: LlmConfig = llmConfig({
    providers: [provider],
    configList: [{ model: 'chooser', apiType: 'scripted' }],
    cacheSeed: null,
  })
  const agents = ['a', 'the_boss', 'c'].map(
    (name) => new ConversableAgent({ name, io, humanInputMode: 'NEVER', defaultAutoReply: `from ${name}` }),
  )
  const groupchat = new GroupChat({ agents, maxRound: 2, io, ...options })
  const manager = new GroupChatManager({ groupchat, io, llmConfig: llm })
  return { provider, agents, groupchat, manager }
}

describe('a model that is known to take a shape', () => {
  it('is asked once for one of the names, and answers with it', async () => {
    const { provider, agents, groupchat, manager } = group(['{"speaker":"the_boss"}'], capabilities('schema'))
    const { cost } = await agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(groupchat.messages.at(-1)?.name).toBe('the_boss')
    const [{ params }] = provider.calls as unknown as readonly [{ params: ModelParams }]
    expect(params['response_format']).toMatchObject({
      json_schema: { schema: { properties: { speaker: { enum: ['a', 'the_boss', 'c'] } } } },
    })
    expect(provider.calls).toHaveLength(1)
    expect(cost.usageIncludingCachedInference.models['chooser']).toMatchObject({ promptTokens: 10 })
  })

  it('is offered only those that may speak', async () => {
    const { provider, agents, manager } = group(['{"speaker":"c"}'], capabilities('schema'), {
      allowRepeatSpeaker: false,
    })
    await agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(JSON.stringify(provider.calls[0]!.params['response_format'])).toContain('["the_boss","c"]')
  })

  it('is read as a text where it answers otherwise, and asked again', async () => {
    const { provider, agents, groupchat, manager } = group(['{"speaker":"nobody"}', 'the boss'], capabilities('schema'))
    await agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(groupchat.messages.at(-1)?.name).toBe('the_boss')
    expect(provider.calls).toHaveLength(2)
  })
})

it('asks a model that takes no shape for a text', async () => {
  const { provider, agents, groupchat, manager } = group(['the boss'], capabilities('none'))
  await agents[0]!.initiateChat(manager, { message: 'hi' })
  expect(groupchat.messages.at(-1)?.name).toBe('the_boss')
  expect(provider.calls[0]!.params).not.toHaveProperty('response_format')
})

it('asks no model where one member may speak', async () => {
  const { provider, agents, groupchat, manager } = group([], capabilities('schema'), {
    maxRound: 3,
    candidates: (eligible) => [eligible.at(-1)!],
  })
  await agents[0]!.initiateChat(manager, { message: 'hi' })
  expect(groupchat.messages.map(({ name }) => name)).toEqual(['a', 'c', 'c'])
  expect(provider.calls).toEqual([])
})

it('pays for choices out of the budget of the chat', async () => {
  const { agents, manager } = group(['{"speaker":"c"}', '{"speaker":"a"}'], capabilities('schema'), { maxRound: 9 })
  const budget = createBudget({ calls: 1 })
  const chat = await agents[0]!.initiateChat(manager, { message: 'hi', budget })
  expect(chat.terminationReason).toBe('budget')
  expect(chat.chatHistory.map(({ name }) => name)).toEqual(['a', 'c'])
})

it('a budget ends a group with a pattern, with the groups inside it', async () => {
  const provider = scriptedProvider(Array.from({ length: 9 }, (_, turn) => `said ${turn}`))
  const config = llmConfig({
    providers: [provider],
    configList: [{ model: 'm', apiType: 'scripted' }],
    cacheSeed: null,
  })
  const [a, b, x, y] = ['a', 'b', 'x', 'y'].map(
    (name) => new ConversableAgent({ name, io, humanInputMode: 'NEVER', llmConfig: config }),
  )
  const inner = roundRobinPattern({ initialAgent: x!, agents: [x!, y!], groupManagerArgs: { io } })
  const handoffs = [{ to: groupChat(inner), after: true as const }]
  const pattern = defaultPattern({ initialAgent: a!, agents: [{ agent: a!, handoffs }, b!], groupManagerArgs: { io } })
  const chat = await initiateGroupChat(pattern, 'hi', { budget: createBudget({ calls: 4 }) })
  expect(chat.terminationReason).toBe('budget')
  expect(provider.calls).toHaveLength(4)
})

describe('members of other kinds', () => {
  const plain = (name: string): ConversableAgent =>
    new ConversableAgent({ name, io, humanInputMode: 'NEVER', defaultAutoReply: `from ${name}` })
  const thinks = functionModel(({ agent }) => {
    if (agent === 'tot_thinker') return 'Option 1: left\nOption 2: right'
    return agent === 'tot_grader' ? 'Rating: 7' : 'It is 42.'
  })

  /** A group of a reasoning agent, an agent with nested chats, and one that is a group itself. */
  function mixed() {
    const reasoner = new ReasoningAgent({ name: 'reasoner', io, llmConfig: thinks, reasonConfig: { maxDepth: 1 } })
    const [first, second, asks] = [plain('first'), plain('second'), plain('asks')]
    asks.registerNestedChats(
      [
        { recipient: first, message: 'to the first', maxTurns: 1 },
        { recipient: second, message: 'to the second', maxTurns: 1 },
      ],
      () => true,
      { position: 0 },
    )
    const innerGroup = new GroupChat({
      agents: [plain('x'), plain('y')],
      maxRound: 3,
      io,
      speakerSelectionMethod: 'round_robin',
    })
    const inner = new GroupChatManager({ name: 'inner', groupchat: innerGroup, io })
    const agents = [plain('a'), reasoner, asks, inner]
    const groupchat = new GroupChat({ agents, maxRound: 5, io, speakerSelectionMethod: 'round_robin' })
    return { agents, groupchat, manager: new GroupChatManager({ groupchat, io }) }
  }
  const said = ['a: hi', 'reasoner: It is 42.', 'asks: from second', 'inner: from y', 'a: from a']
  const saidIn = ({ messages }: GroupChat): string[] =>
    messages.map(({ name, content }) => `${name}: ${content as string}`)

  it.each(['sync', 'async'] as const)('speak as any other, and their cost counts (%s)', async (face) => {
    const { agents, groupchat, manager } = mixed()
    const [a] = agents
    const chat =
      face === 'sync'
        ? a!.initiateChatSync(manager, { message: 'hi' })
        : await a!.initiateChat(manager, { message: 'hi' })
    expect(saidIn(groupchat)).toEqual(said)
    expect(chat.cost.usageIncludingCachedInference.models['scripted']?.promptTokens).toBeGreaterThan(10)
  })

  it('go on from every entry of a journal', async () => {
    const journal = new ChatJournal()
    const whole = mixed()
    const expected = await whole.agents[0]!.initiateChat(whole.manager, { message: 'hi', journal })
    const { entries } = journal.saveState()
    for (let kept = 0; kept <= entries.length; kept++) {
      const { agents, groupchat, manager } = mixed()
      const lines = entries.slice(0, kept).map((entry) => JSON.stringify(entry))
      const chat = await agents[0]!.initiateChat(manager, {
        message: 'hi',
        journal: ChatJournal.parse(lines.join('\n')),
      })
      expect(saidIn(groupchat)).toEqual(said)
      expect(chat).toEqual(expected)
    }
  })
})
