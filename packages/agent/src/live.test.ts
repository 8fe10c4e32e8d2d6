import type { Budget, ChatMessage, ChatResult, Io, ReplyInput, ReplyOutcome, Spending, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { functionModel, type ScriptedReply } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConversableAgent, tool, type ConversableAgentOptions } from './index.ts'
import { comparable } from './recording-io.fake.ts'

const io: Io = { send: () => {}, input: () => 'exit' }
const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({ name, io, humanInputMode: 'NEVER', ...options })

const call = (id: string, name: string): NonNullable<ChatMessage['tool_calls']>[number] => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})

/** A chat whose assistant asks two tools at once, one of which asks an agent; its user asks a critic in a nested chat. */
function program(asked: string[] = []) {
  const model = (name: string, reply: (last: ChatMessage) => ScriptedReply) => ({
    llmConfig: functionModel(({ messages }) => {
      asked.push(name)
      return reply(messages.at(-1)!)
    }),
  })
  const user = agent('user')
  const assistant = agent(
    'assistant',
    model('assistant', ({ role }) =>
      role === 'tool' ? 'all done' : { content: null, tool_calls: [call('a', 'clock'), call('b', 'ask')] },
    ),
  )
  const [critic, expert] = [
    agent(
      'critic',
      model('critic', () => 'go on'),
    ),
    agent(
      'expert',
      model('expert', () => 'yes'),
    ),
  ]
  const none = z.object({})
  user.registerForExecution(
    tool({
      name: 'clock',
      description: 'The time.',
      parameters: none,
      execute: async () => await Promise.resolve('noon'),
    }),
  )
  user.registerForExecution(
    tool({
      name: 'ask',
      description: 'Asks the expert.',
      parameters: none,
      execute: async (_, { run }) =>
        (await agent('clerk').initiateChat(expert, { message: 'well?', maxTurns: 1, run })).summary,
    }),
  )
  user.registerNestedChats([{ recipient: critic, maxTurns: 1 }], assistant, { position: 99 })
  return { user, assistant, critic, expert, agents: [user, assistant, critic, expert] }
}

async function drained(stream: AsyncGenerator<XEvent, ChatResult>): Promise<{ events: XEvent[]; result: ChatResult }> {
  const events: XEvent[] = []
  for (;;) {
    const item = await stream.next()
    if (item.done) return { events, result: item.value }
    events.push(item.value)
  }
}

const openCalls = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.filter(({ tool_calls: calls }, index) => {
    const answers = messages[index + 1]?.tool_responses?.map(({ tool_call_id: id }) => id) ?? []
    return calls?.some(({ id }) => !answers.includes(id)) ?? false
  })

const histories = (agents: readonly ConversableAgent[]): (readonly ChatMessage[])[] =>
  agents.flatMap(({ chatMessages }) => [...chatMessages.values()])

const options = { message: 'hi', maxTurns: 3 }

describe('a stream', () => {
  it('tells of every event in which chat it was sent, and in whose reply', async () => {
    const { user, assistant } = program()
    const { events, result } = await drained(user.initiateChatStream(assistant, options))
    const origins = events.map(({ type, chatId, agentPath }) => `${type} ${chatId ?? '-'} ${agentPath?.join('/')}`)
    expect(origins).toEqual(
      expect.arrayContaining([
        'receivedMessage 1 user',
        'textDelta 1 assistant',
        'executeFunction 1 user',
        expect.stringMatching(/^receivedMessage 1\.[\d.]+ user\/clerk$/u),
        expect.stringMatching(/^textDelta 1\.[\d.]+ user\/expert$/u),
        expect.stringMatching(/^textDelta 1\.[\d.]+ user\/critic$/u),
      ]),
    )
    expect(events.every(({ chatId, agentPath }) => chatId !== undefined && agentPath!.length > 0)).toBe(true)
    const chats = new Set(events.map(({ chatId }) => chatId))
    expect(chats.size).toBe(3)
    expect(JSON.parse(JSON.stringify(events))).toEqual(events)
    const again = program()
    expect(result).toEqual(await again.user.initiateChat(again.assistant, options))
  })

  it('has the same events in every face, but for what a model says piece by piece', async () => {
    const [streamed, asked] = [program(), program()]
    const { events } = await drained(streamed.user.initiateChatStream(streamed.assistant, options))
    const heard: XEvent[] = []
    await asked.user.initiateChat(asked.assistant, { ...options, emit: (event) => void heard.push(event) })
    expect(comparable(events)).toEqual(comparable(heard))
  })

  it('is made no faster than it is read', async () => {
    let made = 0
    const slow = agent('slow')
    const fast = agent('fast')
    fast.registerReply(
      () => true,
      async (_: ConversableAgent, { emit }: ReplyInput): Promise<ReplyOutcome> => {
        for (; made < 1000; made++) await emit!({ type: 'warning', agent: null, topic: 'count', text: String(made) })
        return [true, 'counted']
      },
    )
    const stream = slow.initiateChatStream(fast, { message: 'count', maxTurns: 1 })
    for (let read = 0; read < 50; read++) {
      await stream.next()
      await new Promise((resolve) => setImmediate(resolve))
      expect(made).toBeLessThanOrEqual(read + 1)
    }
    await stream.return(undefined as never)
  })
})

describe('one abort signal', () => {
  /** Calls that hang: each says when it is asked and whether its signal fired, and answers too late. */
  const hangs = (
    hung: (signal: AbortSignal | undefined) => Promise<never>,
  ): Record<string, () => ReturnType<typeof program>> => ({
    'a model': () => {
      const its = program()
      its.assistant.registerReply(
        () => true,
        async (_: ConversableAgent, { signal }: ReplyInput) => await hung(signal),
      )
      return its
    },
    'one of two tools': () => {
      const its = program()
      its.user.registerFunction({
        clock: async (_: never, { signal }: { signal?: AbortSignal | undefined }) => await hung(signal),
      })
      return its
    },
    'an agent that a tool asks': () => {
      const its = program()
      its.expert.registerReply(
        () => true,
        async (_: ConversableAgent, { signal }: ReplyInput) => await hung(signal),
      )
      return its
    },
    'a nested chat': () => {
      const its = program()
      its.critic.registerReply(
        () => true,
        async (_: ConversableAgent, { signal }: ReplyInput) => await hung(signal),
      )
      return its
    },
    'a human': () => {
      const its = program()
      const asking = new ConversableAgent({
        name: 'user',
        humanInputMode: 'ALWAYS',
        io: { send: () => {}, input: (_, given) => hung(given?.signal) },
      })
      return { ...its, user: asking, agents: [asking, its.assistant] }
    },
  })

  const kinds = Object.keys(hangs(async () => await new Promise<never>(() => {})))

  it.each(kinds)('stops %s at once, and leaves a history that can be sent again', async (kind) => {
    const asked = Promise.withResolvers<void>()
    let fired = false
    const late = Promise.withResolvers<never>()
    const its = hangs(async (signal) => {
      signal?.addEventListener('abort', () => (fired = true))
      asked.resolve()
      return await late.promise
    })[kind]!()
    const stop = new AbortController()
    let settled: unknown
    const otherTool = Promise.withResolvers<void>()
    const emit = (event: XEvent): void => {
      if (event.type === 'toolEnd' && event.name === 'ask') otherTool.resolve()
    }
    const chat = its.user.initiateChat(its.assistant, { ...options, signal: stop.signal, emit })
    chat.then(
      () => (settled = 'a result'),
      (error: unknown) => (settled = error),
    )
    await asked.promise
    if (kind === 'one of two tools') await otherTool.promise
    await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(settled).toMatchObject({ code: 'aborted' })
    expect(fired).toBe(true)
    const stopped = structuredClone(histories(its.agents))
    expect(stopped.flatMap(openCalls)).toEqual([])
    late.resolve('too late' as never)
    await new Promise((resolve) => setImmediate(resolve))
    expect(histories(its.agents)).toEqual(stopped)
    if (kind === 'one of two tools') {
      const answers = JSON.stringify(stopped)
      expect(answers).toContain('stopped before it answered')
      expect(answers).toContain('yes')
    }
  })
})

/** A budget of a number of calls. */
function callsOf(limit: number): Budget & { readonly most: () => number } {
  const spent: Spending = { cost: 0, tokens: 0, calls: 0 }
  let most = 0
  return {
    spent,
    most: () => most,
    reserve() {
      if (spent.calls >= limit) throw new XError('budget-exceeded', `the budget of ${limit} calls is used up`)
      most = Math.max(most, ++spent.calls)
      let open = true
      return {
        settle: () => (open = false),
        release() {
          if (open) spent.calls--
          open = false
        },
      }
    },
  }
}

describe('a budget', () => {
  it('is shared by a chat, its nested chats and the agents of its tools, and ends it whole', async () => {
    const asked: string[] = []
    const whole = program(asked)
    await whole.user.initiateChat(whole.assistant, options)
    expect(new Set(asked)).toEqual(new Set(['assistant', 'critic', 'expert']))
    for (let limit = 0; limit <= asked.length; limit++) {
      const calls: string[] = []
      const its = program(calls)
      const budget = callsOf(limit)
      const result = await its.user.initiateChat(its.assistant, { ...options, budget })
      expect(calls).toHaveLength(limit)
      expect(result.terminationReason).toBe(limit < asked.length ? 'budget' : 'max-turns')
      if (limit < asked.length) expect(histories(its.agents).flatMap(openCalls)).toEqual([])
      expect(result.chatHistory.length).toBeGreaterThan(0)
    }
  })

  it('holds for 50 chats at once', async () => {
    const calls: string[] = []
    const budget = callsOf(77)
    const results = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { user, assistant } = program(calls)
        return await user.initiateChat(assistant, { ...options, budget })
      }),
    )
    expect(calls).toHaveLength(77)
    expect(budget.most()).toBe(77)
    expect(results.some(({ terminationReason }) => terminationReason === 'budget')).toBe(true)
  })

  it('holds beside a smaller one of a chat inside', async () => {
    const [outer, inner] = [callsOf(10), callsOf(1)]
    const [user, critic] = [agent('user'), program().critic]
    const assistant = agent('assistant', { llmConfig: functionModel(() => 'well') })
    user.registerNestedChats([{ recipient: critic, maxTurns: 3, budget: inner }], assistant, { position: 2 })
    await user.initiateChat(assistant, { ...options, budget: outer })
    expect(inner.spent.calls).toBe(1)
    expect(outer.spent.calls).toBeGreaterThan(1)
  })
})
