import { AssistantAgent, ChatJournal, ConversableAgent, consoleIo, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { clearToolResults, fit, historyHook, limitTokens, pin, summarize, type FittedHistory } from '@x/history'
import type { ChatMessage, ChatResult, HistoryView, JournalEntry, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { ReasoningAgent } from '@x/reasoning'
import { functionModel, type FunctionModel } from '@x/testing'
import { describe, expect, it, vi } from 'vitest'

const words = (count: number): string => 'word '.repeat(count).trim()

/** Where events are kept. */
const kept = () => {
  const events: XEvent[] = []
  return { events, io: { send: (event: XEvent) => void events.push(event), input: () => '' } }
}

const cutsIn = (events: readonly XEvent[]) => events.filter((event) => event.type === 'historyCut')

/** A model whose answers have so many words. */
const talker = (length = 40): FunctionModel =>
  functionModel(({ messages }) => ({ content: `${messages.length}! ${words(length)}`, usage: null }))

const summarizer = (): FunctionModel => functionModel(() => ({ content: 'They counted.', usage: [100, 10], cost: 0.5 }))

const asksForSummary = ([first]: readonly ChatMessage[]): boolean =>
  typeof first?.content === 'string' && first.content.startsWith('You are given')

/** Two agents that talk. */
function pair(history: HistoryView, llmConfig = talker()) {
  const { events, io } = kept()
  const assistant = new AssistantAgent({ name: 'assistant', systemMessage: 'Count.', llmConfig, history, io })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'NEVER',
    defaultAutoReply: `next ${words(40)}`,
    io,
  })
  return { assistant, user, events, llmConfig }
}

const sent = (model: FunctionModel): readonly (readonly ChatMessage[])[] => model.calls.map(({ messages }) => messages)

/** Checks that each request begins with the one before it, but at cuts. */
function breaks(requests: readonly (readonly ChatMessage[])[]): number {
  let count = 0
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1] ?? []
    if (JSON.stringify(request.slice(0, before.length)) !== JSON.stringify(before)) count++
  }
  return count
}

describe('an agent with a history', () => {
  it('stays within its limit; what is stored is untouched', async () => {
    const { assistant, user, events, llmConfig } = pair(fit(limitTokens(1500)))
    const chat = await user.initiateChat(assistant, { message: 'begin', maxTurns: 40 })
    expect(chat.chatHistory.length).toBe(80)
    expect(assistant.chatMessages.get(user)!.length).toBe(80)
    const longest = Math.max(...sent(llmConfig).map((each) => JSON.stringify(each).length))
    expect(longest).toBeLessThan(9000)
    const cuts = cutsIn(events)
    expect(cuts.length).toBeGreaterThan(3)
    expect(breaks(sent(llmConfig))).toBe(cuts.length)
    expect(cuts[0]).toMatchObject({ agent: 'assistant', reason: 'tokens', chatId: '1', agentPath: ['assistant'] })
    for (const request of sent(llmConfig)) expect(request[0]!.content).toBe('Count.')
  })

  it('does the same blocking and streaming', async () => {
    const one = pair(fit(limitTokens(1500)))
    await one.user.initiateChat(one.assistant, { message: 'begin', maxTurns: 25 })
    const two = pair(fit(limitTokens(1500)))
    two.user.initiateChatSync(two.assistant, { message: 'begin', maxTurns: 25 })
    const three = pair(fit(limitTokens(1500)))
    await three.user.initiateChatStream(three.assistant, { message: 'begin', maxTurns: 25 }).result
    expect(sent(two.llmConfig)).toEqual(sent(one.llmConfig))
    expect(sent(three.llmConfig)).toEqual(sent(one.llmConfig))
  })

  it('pays for a summary once for each cut, in the cost of the chat', async () => {
    const model = summarizer()
    for (const view of [fit(limitTokens(1500), summarize({ model })), fit(limitTokens(1500), summarize({ model }))]) {
      const before = model.calls.length
      const { assistant, user, events } = pair(view)
      const chat =
        before === 0
          ? await user.initiateChat(assistant, { message: 'begin', maxTurns: 30 })
          : user.initiateChatSync(assistant, { message: 'begin', maxTurns: 30 })
      const cuts = cutsIn(events)
      expect(cuts.length).toBeGreaterThan(2)
      expect(model.calls.length - before).toBe(cuts.length)
      expect(chat.cost.usageIncludingCachedInference.totalCost).toBeCloseTo(cuts.length * 0.5)
    }
  })

  it('lets its own model sum up, without its tools', async () => {
    const llmConfig = functionModel(({ messages }) => ({
      content: asksForSummary(messages) ? 'They counted.' : `${messages.length} ${words(40)}`,
      usage: [10, 1],
      cost: 0.25,
    }))
    const { assistant, user, events } = pair(fit(limitTokens(1500), summarize()), llmConfig)
    const chat = await user.initiateChat(assistant, { message: 'begin', maxTurns: 20 })
    const summaries = llmConfig.calls.filter(({ messages }) => asksForSummary(messages))
    expect(summaries.length).toBe(cutsIn(events).length)
    expect(summaries.length).toBeGreaterThan(1)
    expect(chat.cost.usageIncludingCachedInference.totalCost).toBeCloseTo(llmConfig.calls.length * 0.25)
  })

  it('cuts once more when the provider refuses, and asks again', async () => {
    const llmConfig = functionModel(({ messages }) =>
      JSON.stringify(messages).length > 6000
        ? { error: new XError('model-failed', 'too long', { kind: 'context-overflow' }) }
        : `${messages.length}! ${words(40)}`,
    )
    const { assistant, user, events } = pair(fit(), llmConfig)
    const chat = await user.initiateChat(assistant, { message: 'begin', maxTurns: 30 })
    expect(chat.chatHistory.length).toBe(60)
    const cuts = cutsIn(events)
    expect(cuts.map((event) => event.type === 'historyCut' && event.reason)).toContain('overflow')
    // It has learned how much is too much.
    const refused = llmConfig.calls.filter(({ messages }) => JSON.stringify(messages).length > 6000)
    expect(refused.length).toBe(1)
  })

  it('gives the refusal of the provider when nothing can be cut', async () => {
    const llmConfig = functionModel(() => ({
      error: new XError('model-failed', 'too long', { kind: 'context-overflow' }),
    }))
    const { assistant, user } = pair(fit(), llmConfig)
    await expect(user.initiateChat(assistant, { message: 'begin', maxTurns: 2 })).rejects.toThrow('too long')
    expect(llmConfig.calls.length).toBe(1)
  })

  it('keeps the context of the last message for templates', async () => {
    const { assistant, user, llmConfig } = pair(fit(limitTokens(1500)))
    await user.initiateChat(assistant, { message: { content: 'begin', context: { a: 1 } }, maxTurns: 2 })
    expect(llmConfig.calls[0]!.params['context']).toEqual({ a: 1 })
    expect(llmConfig.calls[0]!.messages.at(-1)).not.toHaveProperty('context')
  })

  it('says its cuts on the console in a line', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    try {
      const { assistant } = pair(fit(limitTokens(1500)))
      const user = new UserProxyAgent({
        name: 'user',
        humanInputMode: 'NEVER',
        defaultAutoReply: words(40),
        io: consoleIo(),
      })
      await user.initiateChat(assistant, { message: 'begin', maxTurns: 20 })
      const lines = log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('was cut'))
      expect(lines.length).toBeGreaterThan(0)
      expect(lines[0]).toMatch(
        /^>>> the history of assistant was cut: \d+ left out \(about \d+ tokens before, \d+ after\)$/u,
      )
    } finally {
      log.mockRestore()
    }
  })
})

async function journaled(entries: readonly JournalEntry[], view: () => FittedHistory, talk = talker()) {
  const all: JournalEntry[] = []
  const { assistant, user, events } = pair(view(), talk)
  const lines = entries.map((entry) => JSON.stringify(entry)).join('\n')
  const journal = ChatJournal.parse(lines, { onEntry: (entry) => void all.push(entry) })
  const chat: ChatResult = await user.initiateChat(assistant, { message: 'begin', maxTurns: 24, journal })
  return { chat, entries: [...entries, ...all], events, talk }
}

describe('a journal', () => {
  it('keeps cuts: a chat that is resumed anywhere sends what it would have sent, and pays for no summary twice', async () => {
    const model = summarizer()
    const view = (): FittedHistory => fit(limitTokens(1500), summarize({ model }))
    const whole = await journaled([], view)
    const paid = model.calls.length
    expect(paid).toBeGreaterThan(1)
    const requests = sent(whole.talk)
    for (let count = 1; count < whole.entries.length; count++) {
      const before = model.calls.length
      const part = whole.entries.slice(0, count)
      const resumed = await journaled(part, view)
      const again = sent(resumed.talk)
      expect(again).toEqual(requests.slice(requests.length - again.length))
      const recorded = part.filter(({ kind, name }) => kind === 'job' && name === 'history').length
      expect(model.calls.length - before).toBe(paid - recorded)
      expect(resumed.chat.cost.usageIncludingCachedInference.totalCost).toBeCloseTo(paid * 0.5)
    }
  })
})

describe('a journal of a chat with a refusal', () => {
  it('keeps the cut after it', async () => {
    const refusing = (): FunctionModel =>
      functionModel(({ messages }) =>
        JSON.stringify(messages).length > 5000
          ? { error: new XError('model-failed', 'too long', { kind: 'context-overflow' }) }
          : { content: `${messages.length}! ${words(40)}`, usage: null },
      )
    const view = (): FittedHistory => fit(pin(1))
    const whole = await journaled([], view, refusing())
    const places = whole.entries.flatMap(({ kind, name, place }) => (kind === 'job' ? [`${name} at ${place}`] : []))
    // What was refused is a limit from then on.
    expect(places[0]).toMatch(/^history-again at 1\.\d+$/u)
    expect(places.filter((each) => each.startsWith('history-again')).length).toBe(1)
    const requests = sent(whole.talk)
    for (let count = 1; count < whole.entries.length; count++) {
      const resumed = await journaled(whole.entries.slice(0, count), view, refusing())
      expect(sent(resumed.talk).at(-1)).toEqual(requests.at(-1))
      expect(resumed.chat.chatHistory).toEqual(whole.chat.chatHistory)
    }
  })
})

describe('a saved state', () => {
  it('has the last cut, so that the next process sends what this one would', async () => {
    const model = summarizer()
    const one = pair(fit(limitTokens(1500), summarize({ model })))
    await one.user.initiateChat(one.assistant, { message: 'begin', maxTurns: 12 })
    const paid = model.calls.length
    const saved = JSON.parse(JSON.stringify([one.user.saveState(), one.assistant.saveState()])) as never[]
    const two = pair(fit(limitTokens(1500), summarize({ model })))
    two.user.loadState(saved[0]!, { agents: [two.assistant] })
    two.assistant.loadState(saved[1]!, { agents: [two.user] })
    for (const { user, assistant } of [one, two]) {
      await user.initiateChat(assistant, { message: 'go on', maxTurns: 1, clearHistory: false })
    }
    expect(model.calls.length).toBe(paid)
    expect(sent(two.llmConfig)[0]).toEqual(sent(one.llmConfig).at(-1))
    // What was saved is saved again, also before it was used.
    const three = pair(fit(limitTokens(1500)))
    three.assistant.loadState(saved[1]!, { agents: [three.user] })
    expect(three.assistant.saveState()).toMatchObject({
      conversations: [{ history: expect.objectContaining({ version: 1 }) }],
    })
  })
})

describe('a group', () => {
  it('lets members and the choice of speakers have histories of their own, of one view', async () => {
    const { events, io } = kept()
    const history = fit(limitTokens(1200))
    const names = ['ann', 'bob']
    let turn = 0
    const llmConfig = functionModel(({ agent, messages }) =>
      agent === 'speaker_selection_agent' ? names[turn++ % 2]! : `${messages.length} ${words(60)}`,
    )
    const members = names.map((name) => new AssistantAgent({ name, llmConfig, history, io }))
    const group = new GroupChat({ agents: members, maxRound: 24, messages: [], allowRepeatSpeaker: true })
    const manager = new GroupChatManager({ groupchat: group, llmConfig, history, io })
    await members[0]!.initiateChat(manager, { message: 'begin' })
    for (const { messages } of llmConfig.calls) expect(JSON.stringify(messages).length).toBeLessThan(9000)
    const agents = new Set(cutsIn(events).map(({ agent }) => agent))
    expect(agents).toEqual(new Set(['ann', 'bob', 'speaker_selection_agent']))
    for (const name of [...names, 'speaker_selection_agent']) {
      const own = llmConfig.calls.filter(({ agent }) => agent === name).map(({ messages }) => messages)
      const cuts = cutsIn(events).filter(({ agent }) => agent === name).length
      if (name !== 'speaker_selection_agent') expect(breaks(own)).toBe(cuts)
      expect(cuts).toBeLessThan(own.length / 2)
    }
  })
})

describe('as hooks', () => {
  it('histories serve those who transform messages, and the choice of speakers', async () => {
    const { io } = kept()
    const llmConfig = talker(60)
    const chooser = functionModel(() => 'ann')
    const ann = new AssistantAgent({ name: 'ann', llmConfig, io })
    ann.registerHook('processAllMessagesBeforeReply', historyHook(fit(limitTokens(800))))
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', defaultAutoReply: words(40), io })
    await user.initiateChat(ann, { message: 'begin', maxTurns: 20 })
    expect(ann.chatMessages.get(user)!.length).toBe(40)
    for (const request of sent(llmConfig)) expect(JSON.stringify(request).length).toBeLessThan(6500)

    const bob = new AssistantAgent({ name: 'bob', llmConfig, io })
    const selectSpeakerTransformMessages = historyHook(fit(limitTokens(600)))
    const group = new GroupChat({ agents: [ann, bob], maxRound: 16, selectSpeakerTransformMessages, io })
    await bob.initiateChat(new GroupChatManager({ groupchat: group, llmConfig: chooser, io }), { message: 'begin' })
    expect(chooser.calls.length).toBeGreaterThan(10)
    for (const { messages } of chooser.calls) expect(JSON.stringify(messages).length).toBeLessThan(5500)
  })
})

describe('other agents', () => {
  it('have histories in nested chats', async () => {
    const { events, io } = kept()
    const llmConfig = talker()
    const inner = new AssistantAgent({ name: 'inner', llmConfig, history: fit(limitTokens(1500), pin(1)), io })
    const outer = new ConversableAgent({ name: 'outer', humanInputMode: 'NEVER', defaultAutoReply: words(40), io })
    const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', io })
    outer.registerNestedChats([{ recipient: inner, maxTurns: 30, summaryMethod: 'last_msg' }], user)
    await user.initiateChat(outer, { message: 'the task', maxTurns: 1 })
    expect(cutsIn(events).length).toBeGreaterThan(1)
    expect(cutsIn(events)[0]!.agentPath).toEqual(['outer', 'inner'])
    for (const request of sent(llmConfig)) expect(request[1]!.content).toContain('the task')
  })

  it('that reason take one', () => {
    const agent = new ReasoningAgent({ name: 'thinker', llmConfig: talker(), history: fit(clearToolResults()) })
    expect(agent.name).toBe('thinker')
  })

  it('refuse what is no history', () => {
    const make = () => new AssistantAgent({ name: 'a', llmConfig: talker(), history: limitTokens(5) as never })
    expect(make).toThrow('what `fit(…)` of `@x/history` returns')
  })
})

it('a history of your own that chooses no messages is refused by name, before anything is asked', async () => {
  const history = { ...fit(), models: () => [], noteUsage() {}, save() {}, load() {} } as unknown as HistoryView
  const own: HistoryView = { ...history, choose: ({ messages }) => messages as never }
  const { assistant, llmConfig } = pair(own)
  await expect(assistant.run('Go.')).rejects.toMatchObject({
    code: 'invalid-result',
    message: expect.stringContaining('the `history` of `assistant` chose no messages') as string,
  })
  expect(llmConfig.calls).toEqual([])
})
