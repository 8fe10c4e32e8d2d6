import type {
  ChatResult,
  Io,
  JournalEntry,
  ReplyInput,
  ReplyOutcome,
  ToolCall,
  ToolContext,
  XEvent,
} from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ChatJournal, ConversableAgent, tool, type ConversableAgentOptions } from '../index.ts'

const io: Io = { send: () => {}, input: () => 'exit' }
const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({ name, io, humanInputMode: 'NEVER', ...options })

const calls = (...names: string[]): { content: null; tool_calls: ToolCall[] } => ({
  content: null,
  tool_calls: names.map((name, index) => ({
    id: `${name}-${index}`,
    type: 'function',
    function: { name, arguments: '{}' },
  })),
})

interface Given {
  readonly tools: Record<string, (context: ToolContext, user: ConversableAgent) => unknown>
  readonly asks: readonly string[]
  readonly user?: Partial<ConversableAgentOptions>
}

/** A chat whose assistant asks tools at once, then says what they answered. */
function program({ tools, asks, user: own }: Given) {
  const user = agent('user', own)
  const assistant = agent('assistant', {
    llmConfig: functionModel(({ messages }) => {
      const last = messages.at(-1)!
      return last.role === 'tool'
        ? messages.flatMap(({ role, content }) => (role === 'tool' ? [content as string] : [])).join(', ')
        : calls(...asks)
    }),
  })
  for (const [name, execute] of Object.entries(tools)) {
    user.registerForExecution(
      tool({
        name,
        description: name,
        parameters: { type: 'object' },
        needsApproval: name === 'delicate',
        execute: (_, context) => execute(context, user),
      }),
    )
  }
  return { user, assistant }
}

const options = { message: 'hi', maxTurns: 2 }

/** The chat from each of its entries on, built anew; gives what came out each time, first without any. */
async function fromEachEntry(build: () => ReturnType<typeof program>) {
  const outcomes: { result: ChatResult; user: ConversableAgent }[] = []
  let entries: readonly JournalEntry[] = []
  for (let length = 0; length <= entries.length; length++) {
    const { user, assistant } = build()
    const saved = { version: 3, kind: 'chat', entries: entries.slice(0, length) }
    const journal = ChatJournal.load(JSON.parse(JSON.stringify(saved)))
    const result = await user.initiateChat(assistant, { ...options, journal })
    outcomes.push({ result, user })
    if (length === 0) ({ entries } = journal.saveState())
  }
  return outcomes
}

describe('a chat that goes on from each of its entries', () => {
  it('lets tools make agents of the same names for each call', async () => {
    const ask = async ({ run }: ToolContext): Promise<unknown> => {
      const helper = agent('helper', { llmConfig: functionModel(() => 'helped') })
      const { summary } = await agent('user').initiateChat(helper, { message: 'help', maxTurns: 1, run })
      const { text } = await helper.run('help', { run })
      return [summary, text]
    }
    const outcomes = await fromEachEntry(() => program({ tools: { ask }, asks: ['ask', 'ask'] }))
    for (const { result } of outcomes) expect(result).toEqual(outcomes[0]!.result)
    expect(outcomes[0]!.result.summary).toBe('["helped","helped"], ["helped","helped"]')
  })

  it('counts what an agent of the chat used inside a tool', async () => {
    const llmConfig = () => functionModel(() => ({ content: 'thought', usage: [3, 2], cost: 0.5 }))
    const think = async ({ run }: ToolContext, user: ConversableAgent): Promise<unknown> =>
      await user.generateOaiReply({ messages: [{ role: 'user', content: 'think' }], run })
    const outcomes = await fromEachEntry(() =>
      program({ tools: { think }, asks: ['think', 'think'], user: { llmConfig: llmConfig() } }),
    )
    for (const { result } of outcomes) expect(result).toEqual(outcomes[0]!.result)
    expect(outcomes[0]!.result.cost.usageIncludingCachedInference.totalCost).toBeGreaterThanOrEqual(1)
  })

  it('still says whose price is not known', async () => {
    const outcomes = await fromEachEntry(() => {
      const its = program({ tools: { look: () => 'seen' }, asks: ['look'] })
      const critic = agent('critic', { llmConfig: functionModel(() => ({ content: 'well', cost: null })) })
      return { ...its, assistant: critic }
    })
    for (const { result } of outcomes) expect(result).toEqual(outcomes[0]!.result)
    expect(outcomes[0]!.result.cost.usageIncludingCachedInference.unpriced).toEqual(['scripted'])
  })

  it('has the context variables as the last answer left them, whichever call comes first', async () => {
    // The first call answers last.
    const build = () => {
      const note = (name: string, user: ConversableAgent): string => {
        user.setContext('notes', [...(user.getContext('notes') as string[]), name])
        return name
      }
      const slow = async (_: ToolContext, user: ConversableAgent): Promise<string> => {
        while (!(user.getContext('notes') as string[]).includes('quick')) await new Promise(setImmediate)
        return note('slow', user)
      }
      const quick = (_: ToolContext, user: ConversableAgent): string => note('quick', user)
      const tools = { slow, quick }
      return program({ tools, asks: ['slow', 'quick'], user: { contextVariables: { notes: [] } } })
    }
    const whole = await fromEachEntry(build)
    const complete = whole.at(-1)!
    expect(complete.user.getContext('notes')).toEqual(['quick', 'slow'])
    expect(complete.result).toEqual(whole[0]!.result)
  })

  it('keeps a failure that the chat went on after, and does not ask again', async () => {
    let asked = 0
    const beforeToolCall = async (): Promise<'allow'> => {
      if (++asked === 1) throw new Error('the policy is away')
      return await Promise.resolve('allow')
    }
    const outcomes = await fromEachEntry(() =>
      program({ tools: { look: () => 'seen' }, asks: ['look'], user: { beforeToolCall } }),
    )
    const [first, ...later] = outcomes.map(({ result }) => result.summary)
    expect(first).toContain('the policy is away')
    // Before the failure was kept, it is asked again.
    expect(later.indexOf(first!)).toBeGreaterThan(0)
    expect(new Set(later.slice(later.indexOf(first!)))).toEqual(new Set([first]))
  })

  it('goes on without a summary that could not be made', async () => {
    let asked = 0
    const build = (): ReturnType<typeof program> => {
      const { user, assistant } = program({ tools: { look: () => 'seen' }, asks: ['look'] })
      const critic = agent('critic', {
        llmConfig: functionModel(({ messages }) =>
          messages.at(-1)!.role === 'system' && ++asked === 1 ? { error: 'server' } : 'well',
        ),
      })
      const nested = { recipient: critic, maxTurns: 1, message: 'so?', summaryMethod: 'reflection_with_llm' as const }
      assistant.registerNestedChats([nested], user, { position: 99 })
      assistant.registerReply(
        () => true,
        (_: ConversableAgent, { messages }: ReplyInput): ReplyOutcome => [messages.length > 2, 'the end'],
      )
      return { user: assistant, assistant: user }
    }
    const results = (await fromEachEntry(build)).map(({ result }) => result)
    expect(results.slice(-3)).toEqual([results[0], results[0], results[0]])
  })
})

describe('an approval inside a tool', () => {
  const delicate = (): string => 'done'
  const careless = async ({ run }: ToolContext): Promise<unknown> => {
    const inner = program({ tools: { delicate }, asks: ['delicate'] })
    try {
      return (await inner.user.initiateChat(inner.assistant, { ...options, run })).summary
    } catch {
      return 'something went wrong'
    }
  }

  it('suspends the chat, whatever the code of the tool makes of that', async () => {
    const build = (): ReturnType<typeof program> => program({ tools: { careless }, asks: ['careless'] })
    const journal = new ChatJournal()
    const first = build()
    const suspended = await first.user.initiateChat(first.assistant, { ...options, journal })
    expect(suspended.terminationReason).toBe('suspended')
    await journal.decide(journal.pending[0]!.id, { allow: true })
    const next = build()
    const result = await next.user.initiateChat(next.assistant, { ...options, journal })
    expect(result.summary).toBe('done')
  })
})

describe('a journal that cannot write', () => {
  it('has not kept what it could not write', async () => {
    for (const late of [false, true]) {
      const written: JournalEntry[] = []
      let ran = 0
      let full = true
      const onEntry = (entry: JournalEntry): void | Promise<void> => {
        if (full && entry.name === 'look') {
          full = false
          const error = new Error('the disk is full')
          if (late) return Promise.reject(error)
          throw error
        }
        written.push(entry)
      }
      const journal = new ChatJournal({ onEntry })
      const build = (): ReturnType<typeof program> =>
        program({ tools: { look: () => `seen ${++ran}` }, asks: ['look'] })
      const first = build()
      await expect(first.user.initiateChat(first.assistant, { ...options, journal })).rejects.toThrow(
        'the disk is full',
      )
      expect(journal.saveState().entries).toEqual(written)
      // What could not be written may be there all the same: only what was written says how the chat goes on.
      const next = build()
      await expect(next.user.initiateChat(next.assistant, { ...options, journal })).rejects.toMatchObject({
        code: 'invalid-state',
        message: expect.stringContaining('load the journal again') as string,
      })
      const reloaded = ChatJournal.load({ version: 3, kind: 'chat', entries: [...written] }, { onEntry })
      const result = await next.user.initiateChat(next.assistant, { ...options, journal: reloaded })
      expect(result.summary).toBe('seen 2')
      expect(reloaded.saveState().entries).toEqual(written)
      const events: XEvent[] = []
      const again = build()
      const loaded = ChatJournal.load({ version: 3, kind: 'chat', entries: written })
      const emit = (event: XEvent): void => void events.push(event)
      expect(await again.user.initiateChat(again.assistant, { ...options, journal: loaded, emit })).toEqual(result)
    }
  })
})

describe('a chat that fails in its middle', () => {
  it('leaves no call without an answer, in any face', async () => {
    for (const face of ['sync', 'async'] as const) {
      const { user, assistant } = program({ tools: { look: () => 'seen' }, asks: ['look'] })
      user.registerHook('processLastReceivedMessage', () => {
        throw new Error('the hook fails')
      })
      user.registerHook('processAllMessagesBeforeReply', () => {
        throw new Error('the hook fails')
      })
      const chat = async (): Promise<unknown> =>
        face === 'sync' ? user.initiateChatSync(assistant, options) : await user.initiateChat(assistant, options)
      await expect(chat()).rejects.toThrow('the hook fails')
      for (const [one, other] of [
        [user, assistant],
        [assistant, user],
      ] as const) {
        expect(one.chatMessages.get(other)?.at(-1)).toMatchObject({ tool_responses: [{ tool_call_id: 'look-0' }] })
      }
    }
  })

  it('tells all that comes behind its failure when it goes on, with the same journal or with the saved one', async () => {
    for (const isSaved of [false, true]) {
      let isDown = true
      const journal = new ChatJournal()
      const tell = async (its: ChatJournal): Promise<string[]> => {
        const told: string[] = []
        const { user, assistant } = program({ tools: { look: () => 'seen' }, asks: ['look'] })
        assistant.registerHook('processAllMessagesBeforeReply', (messages) => {
          if (isDown && messages.length > 1) throw new Error('down')
          return messages
        })
        const emit = ({ type }: XEvent): void => void told.push(type)
        await user.initiateChat(assistant, { ...options, maxTurns: 3, journal: its, emit }).catch(() => {})
        return told
      }
      await tell(journal)
      isDown = false
      const rest = await tell(isSaved ? ChatJournal.load(journal.saveState()) : journal)
      expect(rest.slice(-3)).toEqual(['replyEnd', 'receivedMessage', 'chatEnd'])
    }
  })
})
