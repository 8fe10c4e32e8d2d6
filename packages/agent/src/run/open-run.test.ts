import type { Run, RunOptions, ToolContext, XEvent } from '@x/interfaces'
import { scopeOf } from '@x/kernel/run'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ChatJournal, initiateChats } from '../index.ts'
import { agent, callsOf, endless, says, toolChat } from './tool-chat.fake.ts'

const CHAT = { message: 'go', maxTurns: 20 }

/** Starts an endless chat in a tool, with options that the tool makes of its context. */
const inside =
  (options: (context: ToolContext) => RunOptions) =>
  async (context: ToolContext): Promise<string> => {
    const [clerk, expert] = endless()
    return (await clerk.initiateChat(expert, { ...CHAT, ...options(context) })).terminationReason
  }

const chatsOf = (events: readonly XEvent[]): unknown[] => [...new Set(events.map(({ chatId }) => chatId))]

describe('a chat that a tool starts with its `run`', () => {
  const wrapped = ({ run }: ToolContext): RunOptions => ({ run, emit: (event) => run!.emit(event) })

  it('has the budget, the journal and the places of the outer one, its `emit` wrapped or not', async () => {
    const outcomes = []
    for (const options of [({ run }: ToolContext): RunOptions => ({ run }), wrapped]) {
      const [budget, journal] = [callsOf(5), new ChatJournal()]
      const { result, events } = await toolChat(inside(options), { budget, journal, runId: 'r' })
      expect(budget.spent.calls).toBe(5)
      outcomes.push({
        reason: result?.terminationReason,
        chats: chatsOf(events),
        entries: journal.saveState().entries,
        events: events.map(({ type }) => type),
      })
    }
    expect(outcomes[1]).toEqual(outcomes[0])
    expect(outcomes[0]?.chats).toHaveLength(2)
  })

  it('suspends the outer one for an approval', async () => {
    const journal = new ChatJournal()
    const ask = async (context: ToolContext): Promise<unknown> => {
      const [clerk, expert] = [agent('clerk', { beforeToolCall: () => 'ask' }), agent('expert', says('x'))]
      expert.registerReply(
        () => true,
        () => [
          true,
          { content: null, tool_calls: [{ id: 'd', type: 'function', function: { name: 'do', arguments: '{}' } }] },
        ],
      )
      clerk.registerFunction({ do: () => 'done' })
      return (await clerk.initiateChat(expert, { message: 'go', maxTurns: 2, ...wrapped(context) })).summary
    }
    const { result } = await toolChat(ask, { journal })
    expect(result?.terminationReason).toBe('suspended')
    expect(journal.pending).toMatchObject([{ agent: 'clerk', action: { name: 'do' } }])
  })

  it('sends to its own `emit` only, and a stream to its reader only', async () => {
    const own: XEvent[] = []
    const { events } = await toolChat(
      inside(({ run }) => ({ run, emit: (event) => void own.push(event) })),
      { budget: callsOf(5) },
    )
    expect(chatsOf(events)).toEqual(['1'])
    expect(chatsOf(own)).toEqual([expect.stringMatching(/^1\./u)])
    const read: XEvent[] = []
    const streamed = await toolChat(
      async ({ run }) => {
        const [clerk, expert] = endless()
        const stream = clerk.initiateChatStream(expert, { ...CHAT, maxTurns: 2, run })
        for await (const event of stream) read.push(event)
        return (await stream.result).terminationReason
      },
      { budget: callsOf(9) },
    )
    expect(streamed.answer).toBe('max-turns')
    expect(chatsOf(streamed.events)).toEqual(['1'])
    expect(chatsOf(read)).toHaveLength(1)
  })

  it('is stopped by its own signal and by that of the run', async () => {
    const stoppedBy =
      (own: AbortController, controller: AbortController) =>
      async (context: ToolContext): Promise<unknown> => {
        const [clerk, expert] = endless()
        clerk.registerReply(
          () => true,
          () => {
            controller.abort()
            return [true, 'go on']
          },
        )
        const options = { ...CHAT, run: context.run, signal: own.signal }
        const error: unknown = await clerk.initiateChat(expert, options).catch((reason: unknown) => reason)
        return (error as { code?: string }).code
      }
    const [own, other, outer] = [new AbortController(), new AbortController(), new AbortController()]
    expect((await toolChat(stoppedBy(own, own))).answer).toBe('aborted')
    expect((await toolChat(stoppedBy(other, outer), { signal: outer.signal })).error).toMatchObject({ code: 'aborted' })
  })

  it('sends without waiting when it blocks inside a stream', async () => {
    const [user, assistant] = [agent('user'), agent('assistant')]
    let inner = ''
    assistant.registerReply(
      () => true,
      (_, { run }) => {
        const [clerk, expert] = endless()
        inner = clerk.initiateChatSync(expert, { message: 'go', maxTurns: 2, run }).terminationReason
        return [true, 'done']
      },
    )
    const stream = user.initiateChatStream(assistant, { message: 'hi', maxTurns: 1 })
    const events: XEvent[] = []
    for await (const event of stream) events.push(event)
    expect(inner).toBe('max-turns')
    expect(chatsOf(events)).toHaveLength(2)
  })

  it('is stopped with its tool when the time of the tool is over', async () => {
    const stopped = Promise.withResolvers<unknown>()
    const { answer } = await toolChat(
      async ({ run }) => {
        const expert = agent('expert')
        expert.registerReply(
          () => true,
          () => new Promise<never>(() => {}),
        )
        const chat = agent('clerk').initiateChat(expert, { message: 'go', maxTurns: 1, run })
        chat.then(stopped.resolve, stopped.resolve)
        return await chat
      },
      { timeout: 0.01 },
    )
    expect(answer).toContain('gave no result within 0.01 s')
    expect(await stopped.promise).toMatchObject({ code: 'aborted' })
  })

  it('is stopped when the tool does not wait for it, and nothing starts with the run later', async () => {
    const left: { run?: Run | undefined; chat?: Promise<unknown> } = {}
    const { answer } = await toolChat(({ run }) => {
      const expert = agent('expert')
      expert.registerReply(
        () => true,
        () => new Promise<never>(() => {}),
      )
      left.run = run
      left.chat = agent('clerk').initiateChat(expert, { message: 'go', maxTurns: 1, run })
      left.chat.catch(() => {})
      return 'at once'
    })
    expect(answer).toBe('at once')
    await expect(left.chat).rejects.toMatchObject({ code: 'invalid-state' })
    const [clerk, expert] = endless()
    const late = { ...CHAT, run: left.run }
    await expect(clerk.initiateChat(expert, late)).rejects.toMatchObject({ code: 'invalid-state' })
    expect(() => clerk.initiateChatSync(expert, late)).toThrow(expect.objectContaining({ code: 'invalid-state' }))
    await expect(
      initiateChats([{ sender: clerk, recipient: expert, message: 'go' }], { run: left.run }),
    ).rejects.toThrow('has ended')
  })
})

describe('a run', () => {
  it('shows nothing of what it hides, and no copy of it is taken', async () => {
    let checked = 0
    const { result } = await toolChat(async ({ run }) => {
      expect(Object.keys(run!)).toEqual([])
      expect(Reflect.ownKeys(run!)).toEqual([])
      expect(JSON.stringify(run)).toBe('{}')
      expect(inspect(run, { depth: 9, showHidden: true })).not.toMatch(/scope|part|journal|budget/iu)
      expect({ ...run }).toEqual({})
      expect(() => structuredClone(run?.emit)).toThrow()
      expect(scopeOf(run!)?.chatId).toBe('1')
      const copies = [
        { ...run! },
        Object.create(run!) as Run,
        Object.assign(Object.create(Object.getPrototypeOf(run)), run) as Run,
        { face: run!.face, signal: run!.signal, emit: run!.emit },
        new Proxy(run!, {}),
      ]
      for (const copy of copies) {
        const [clerk, expert] = endless()
        const error: unknown = await clerk
          .initiateChat(expert, { ...CHAT, run: copy })
          .catch((reason: unknown) => reason)
        expect(error).toMatchObject({ code: 'invalid-argument' })
        checked++
      }
      return 'fine'
    })
    expect(checked).toBe(5)
    expect(result?.summary).toBe('fine')
  })
})

type Place = (start: (run: Run | undefined) => Promise<string>, budget: ReturnType<typeof callsOf>) => Promise<unknown>

/** Every kind of function that is given a run, in a chat with a budget. */
const places: Record<string, Place> = {
  'a reply function': async (start, budget) => {
    const other = agent('other')
    other.registerReply(
      () => true,
      async (_, { run }) => [true, await start(run)],
    )
    await agent('user').initiateChat(other, { message: 'hi', maxTurns: 1, budget })
  },
  processLastReceivedMessage: async (start, budget) => {
    const other = agent('other', says('x'))
    other.registerHook('processLastReceivedMessage', async (content, { run }) => {
      await start(run)
      return content
    })
    await agent('user').initiateChat(other, { message: 'hi', maxTurns: 1, budget })
  },
  processMessageBeforeSend: async (start, budget) => {
    const user = agent('user')
    user.registerHook('processMessageBeforeSend', async ({ message, run }) => {
      await start(run)
      return message
    })
    await user.initiateChat(agent('other', says('x')), { message: 'hi', maxTurns: 1, budget })
  },
  processAllMessagesBeforeReply: async (start, budget) => {
    const other = agent('other', says('x'))
    other.registerHook('processAllMessagesBeforeReply', async (messages, { run }) => {
      await start(run)
      return messages
    })
    await agent('user').initiateChat(other, { message: 'hi', maxTurns: 1, budget })
  },
  updateAgentState: async (start, budget) => {
    const other = agent('other', says('x'))
    other.registerHook('updateAgentState', async (_, __, { run }) => void (await start(run)))
    await agent('user').initiateChat(other, { message: 'hi', maxTurns: 1, budget })
  },
  'a first message': async (start, budget) =>
    await agent('user').initiateChat(agent('other', says('x')), {
      message: async (_, __, ___, { run }) => await start(run),
      maxTurns: 1,
      budget,
    }),
  'a summary': async (start, budget) =>
    await agent('user').initiateChat(agent('other', says('x')), {
      message: 'hi',
      maxTurns: 1,
      budget,
      summaryMethod: async (_, __, ___, { run }) => await start(run),
    }),
}

describe.each(Object.keys(places))('a chat that is started in %s', (name) => {
  it('counts against the budget', async () => {
    const budget = callsOf(6)
    let starts = 0
    const start = async (run: Run | undefined): Promise<string> => {
      const [clerk, expert] = endless()
      starts++
      expect(run).toBeDefined()
      return (await clerk.initiateChat(expert, { message: 'go', maxTurns: 3, run })).terminationReason
    }
    await places[name]!(start, budget)
    expect(starts).toBeGreaterThan(0)
    expect(budget.spent.calls).toBeGreaterThanOrEqual(3)
  })
})
