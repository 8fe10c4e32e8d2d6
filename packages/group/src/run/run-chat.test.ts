import { UserProxyAgent } from '@x/agent'
import type { Model, TerminationReason, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { calling, groupOf, lines, member, members, quiet, recordingIo } from '../fakes.fake.ts'

describe('the reason why a group chat ended', () => {
  const ends = (reply: string): ReturnType<typeof member> => member('b', { defaultAutoReply: reply })

  it.each<[TerminationReason, () => ReturnType<typeof groupOf>]>([
    ['max-rounds', () => groupOf(members('a', 'b'))],
    ['max-rounds', () => groupOf(members('a', 'b'), { maxRound: 0 })],
    ['termination-message', () => groupOf([member('a'), ends('TERMINATE')])],
    ['no-next-speaker', () => groupOf(members('a', 'b'), { speakerSelectionMethod: () => null })],
    ['termination-message', () => groupOf([member('a'), member('b', { isTerminationMsg: () => true })])],
    ['max-consecutive-auto-reply', () => groupOf([member('a'), member('b', { maxConsecutiveAutoReply: 0 })])],
    ['human-exit', () => groupOf([member('a'), member('b', { humanInputMode: 'ALWAYS', io: recordingIo(['exit']) })])],
  ])('is %s', async (reason, make) => {
    for (const face of ['sync', 'async'] as const) {
      const { group, manager } = make()
      const a = group.agents[0]!
      const chat =
        face === 'sync'
          ? a.initiateChatSync(manager, { message: 'hi' })
          : await a.initiateChat(manager, { message: 'hi' })
      expect(chat.terminationReason).toBe(reason)
    }
  })
})

describe('a group that runs', () => {
  it('refuses a second run before any change', async () => {
    const [a, b] = members('a', 'b')
    let second: unknown
    const { group, manager } = groupOf([a!, b!], { maxRound: 2 })
    a!.registerReply(manager, async () => {
      second = await b!.initiateChat(manager, { message: 'again' }).catch((error: unknown) => error)
      return [true, 'well']
    })
    await member('x').initiateChat(manager, { message: 'hi' })
    expect(second).toMatchObject({ code: 'conversation-busy' })
    expect(lines(group.messages)).toEqual(['x: "hi"', 'a: "well"'])
    expect(lines(b!.chatMessages.get(manager)!)).toEqual(['x: "hi"', 'a: "well"'])
  })

  it('cannot be started by a member inside it, with and without its run', async () => {
    const b = member('b')
    const codes: unknown[] = []
    const { group, manager } = groupOf([member('a'), b], { maxRound: 2 })
    b.registerReply(manager, async (_, { run }) => {
      for (const options of [{ run }, {}]) {
        const again = member('y').initiateChat(manager, { message: 'again', ...options })
        codes.push(
          await again.then(
            () => 'went on',
            (error: XError) => error.code,
          ),
        )
      }
      return [true, 'well']
    })
    await group.agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(codes).toEqual(['conversation-busy', 'conversation-busy'])
    expect(lines(group.messages)).toEqual(['a: "hi"', 'b: "well"'])
  })

  it('can be started again after a failure', async () => {
    const b = member('b')
    const { group, manager } = groupOf([member('a'), b], { maxRound: 2 })
    let fails = true
    b.registerReply(manager, () => {
      if (fails) throw new Error('broken')
      return [true, 'well']
    })
    const start = async (): Promise<unknown> => await group.agents[0]!.initiateChat(manager, { message: 'hi' })
    await expect(start()).rejects.toThrow('broken')
    expect(lines(group.messages)).toEqual(['a: "hi"'])
    fails = false
    await start()
    expect(lines(group.messages)).toEqual(['a: "hi"', 'b: "well"'])
  })

  it('cannot have conversations of its own', async () => {
    const { group, manager } = groupOf(members('a', 'b'))
    const chat = group.agents[0]!.initiateChat(manager, { message: 'hi', conversation: 'own' })
    await expect(chat).rejects.toMatchObject({ code: 'conversation-busy' })
  })

  it('stops on abort, and leaves no call without an answer', async () => {
    const stop = new AbortController()
    const slow = (): Promise<string> => {
      stop.abort()
      return new Promise(() => {})
    }
    const executor = member('b', { functionMap: { quick: () => 'done', slow } })
    const { group, manager } = groupOf([member('a'), executor, member('c')], { maxRound: 3 })
    const message = calling('quick', 'slow')
    const chat = group.agents[0]!.initiateChat(manager, { message, signal: stop.signal })
    await expect(chat).rejects.toMatchObject({ code: 'aborted' })
    const answers = ['done', 'Error: the call was stopped before it answered']
    const histories = group.agents.flatMap((agent) => [
      agent.chatMessages.get(manager),
      manager.chatMessages.get(agent),
    ])
    for (const history of [...histories, group.messages]) {
      expect(history).toHaveLength(2)
      expect(history!.at(-1)!.tool_responses?.map(({ content }) => content)).toEqual(answers)
    }
  })

  it('restores the caches of the members, whatever happens', async () => {
    const b = member('b')
    const own = { name: 'own', get: () => undefined, set: () => {} }
    b.clientCache = own
    b.registerReply(
      () => true,
      () => {
        throw new Error('broken')
      },
    )
    const { group, manager } = groupOf([member('a'), b])
    const cache = { ...own, name: 'of the chat' }
    await expect(group.agents[0]!.initiateChat(manager, { message: 'hi', cache })).rejects.toThrow('broken')
    expect(b.clientCache).toBe(own)
  })

  it('uses the cache of the chat for its members', async () => {
    const cache = { name: 'c', get: () => undefined, set: () => {} }
    const asked: unknown[] = []
    const model = functionModel(() => 'hello').createModel()
    const create: Model['create'] = async (request, options) => {
      asked.push(request.cache)
      return await model.create(request, options)
    }
    const llmConfig = { config: {}, createModel: () => ({ create, totalUsageSummary: null }) } as never
    const { group, manager } = groupOf([member('a'), member('b', { llmConfig })], { maxRound: 2 })
    await group.agents[0]!.initiateChat(manager, { message: 'hi', cache })
    await group.agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(asked).toEqual([cache, undefined])
  })

  it('introduces the members once, in an empty group', () => {
    const { group, manager } = groupOf(members('a', 'b'), { maxRound: 1, sendIntroductions: true })
    const [a] = group.agents
    a!.initiateChatSync(manager, { message: 'hi' })
    a!.initiateChatSync(manager, { message: 'again', clearHistory: false })
    const introductions = a!.chatMessages.get(manager)!.filter((each) => lines([each])[0]!.includes('b knows b'))
    expect(introductions).toHaveLength(1)
    expect(lines(group.messages)).toEqual(['a: "hi"', 'a: "again"'])
  })

  it('has an empty summary, and not its introductions, if nobody answers', async () => {
    for (const isMember of [true, false]) {
      const [starter, mute] = [member('a'), member('b', { isTerminationMsg: () => true })]
      const { manager } = groupOf(isMember ? [starter, mute] : [mute, member('c')], { sendIntroductions: true })
      const chat = await starter.initiateChat(manager, { message: 'What is 2 + 2?' })
      expect(chat).toMatchObject({ summary: '', terminationReason: 'termination-message' })
    }
  })

  it('has its messages in the result, also for an initiator who is no member', async () => {
    const { group, manager } = groupOf(members('a', 'b'), { maxRound: 3 })
    const chat = await member('x').initiateChat(manager, { message: 'hi' })
    expect(lines(chat.chatHistory)).toEqual(['x: "hi"'])
    expect(lines(chat.messages!)).toEqual(['x: "hi"', 'a: "from a"', 'b: "from b"'])
    await member('x').initiateChat(manager, { message: 'again' })
    expect(lines(group.messages)[0]).toBe('x: "again"')
    expect(lines(chat.messages!)[0]).toBe('x: "hi"')
  })

  it('lets a nested group reply with its last message', async () => {
    const inner = groupOf(members('c', 'd'), { maxRound: 3 }, { name: 'inner' })
    const outer = groupOf([member('a'), inner.manager], { maxRound: 3 })
    const chat = await outer.group.agents[0]!.initiateChat(outer.manager, { message: 'hi' })
    expect(lines(inner.group.messages)).toEqual(['manager: "hi"', 'c: "from c"', 'd: "from d"'])
    expect(lines(chat.chatHistory)).toEqual(['a: "hi"', 'inner: "from d"', 'a: "from a"'])
  })

  it('replies nothing to a manager that begins the chat', () => {
    const inner = groupOf(members('c', 'd'), { maxRound: 2 }, { name: 'inner' })
    const outer = groupOf([inner.manager, member('a')], { maxRound: 2 })
    const chat = inner.manager.initiateChatSync(outer.manager, { message: 'hi' })
    expect(lines(chat.chatHistory)).toEqual(['inner: "hi"', 'a: "from a"'])
  })

  it('runs no group but its own', () => {
    const [{ group, manager }, other] = [groupOf(members('a', 'b')), groupOf(members('c', 'd'))]
    const request = { messages: [{ content: 'hi', role: 'user' as const }], sender: group.agents[0]! }
    expect(manager.runChatSync({ ...request, config: group })).toEqual([true, null])
    expect(() => manager.runChatSync({ ...request, config: other.group })).toThrow(/not the group that it manages/u)
    expect(other.group.messages).toEqual([])
  })

  it('counts the usage of all members once, nested groups included', async () => {
    const priced = (model: string): ReturnType<typeof functionModel> => functionModel(() => 'well', { model })
    const shared = member('c', { llmConfig: priced('shared') })
    const inner = groupOf([shared, member('d')], { maxRound: 2 }, { name: 'inner' })
    const outer = groupOf([member('a'), inner.manager, shared, member('e', { llmConfig: priced('own') })], {
      maxRound: 4,
    })
    const chat = await outer.group.agents[0]!.initiateChat(outer.manager, { message: 'hi' })
    const { models } = chat.cost.usageIncludingCachedInference
    expect(Object.keys(models).toSorted()).toEqual(['own', 'shared'])
  })

  it('ends with the budget of its chat', async () => {
    const left = { calls: 2 }
    const budget = {
      spent: { cost: 0, tokens: 0, calls: 0 },
      reserve: () => {
        if (left.calls-- > 0) return { settle: () => {}, release: () => {} }
        throw new XError('budget-exceeded', 'no more calls')
      },
    }
    const llmConfig = functionModel(() => 'well')
    const agents = ['a', 'b', 'c'].map((name) => member(name, { llmConfig }))
    const { group, manager } = groupOf(agents, { maxRound: 9 })
    const chat = await agents[0]!.initiateChat(manager, { message: 'hi', budget: budget })
    expect(chat.terminationReason).toBe('budget')
    expect(group.messages).toHaveLength(3)
  })

  it('sends the next speaker and the reason as an event in the reply of the manager', async () => {
    const io = recordingIo()
    const { group, manager } = groupOf(members('a', 'b', 'c'), { maxRound: 2 })
    const asks = member('a', { io })
    const stream = asks.initiateChatStream(manager, { message: 'hi' })
    const events: XEvent[] = []
    for await (const event of stream) events.push(event)
    expect(events.filter(({ type }) => type === 'groupChatRunChat')).toMatchObject([
      { agent: 'a', speaker: 'a', round: 2, reason: 'round_robin', agentPath: ['manager', 'a'] },
    ])
    expect(group.messages).toHaveLength(2)
    expect(events.find(({ type, agent }) => type === 'replyStart' && agent === 'a')?.agentPath).toEqual([
      'manager',
      'a',
    ])
  })

  it('reads calls without types and with nulls like plain calls', () => {
    const b = member('b', { functionMap: { f: () => 'done' } })
    const { group, manager } = groupOf([member('a'), b, member('c')], { maxRound: 2 })
    const message = {
      content: null,
      function_call: null,
      tool_calls: [{ id: '1', function: { name: 'f', arguments: '{}' } }],
    }
    group.agents[0]!.initiateChatSync(manager, { message: message as never })
    expect(group.messages.at(-1)?.content).toBe('done')
  })

  it('answers a `run` with what was said last, and with nothing when nobody has spoken', async () => {
    const answers = [2, 1].map(async (maxRound) => await groupOf(members('a', 'b'), { maxRound }).manager.run('Hi.'))
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(['from a', ''])
  })

  it('says how a function chooses a member, when it returns a name', () => {
    const { group, manager } = groupOf(members('a', 'b'), { speakerSelectionMethod: (() => 'b') as never })
    const begin = () => group.agents[0]!.initiateChatSync(manager, { message: 'hi' })
    expect(begin).toThrow('return the agent to choose that member')
  })

  it('works with a person among its members', () => {
    const person = new UserProxyAgent({ name: 'person', humanInputMode: 'ALWAYS', io: recordingIo(['I say', 'exit']) })
    const { group, manager } = groupOf([member('a'), person], { maxRound: 9 }, { io: quiet })
    const chat = group.agents[0]!.initiateChatSync(manager, { message: 'hi', silent: true })
    expect(lines(group.messages)).toEqual(['a: "hi"', 'person: "I say"', 'a: "from a"'])
    expect(chat.terminationReason).toBe('human-exit')
  })
})
