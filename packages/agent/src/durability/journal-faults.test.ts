import type {
  ChatMessage,
  ChatOptions,
  ChatResult,
  Journal,
  JournalEntry,
  JournalKind,
  MaybePromise,
  Run,
  ToolContext,
} from '@x/interfaces'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { ChatJournal, tool, type ConversableAgent } from '../index.ts'
import { agent, toolChat } from '../run/tool-chat.fake.ts'

const last = (messages: readonly ChatMessage[]): ChatMessage => messages.at(-1)!

type Asks = (context: { readonly run?: Run | undefined }) => MaybePromise<string>

/** Starts a chat inside a run. */
const trusting: Asks = ({ run }) => {
  const [clerk, expert] = [
    agent('clerk'),
    agent('expert', { humanInputMode: 'ALWAYS', io: { send: () => {}, input: () => 'well' } }),
  ]
  const options = { message: 'x', maxTurns: 1, run }
  if (run!.face === 'sync') return clerk.initiateChatSync(expert, options).summary as string
  return clerk.initiateChat(expert, options).then(({ summary }) => summary as string)
}

/** Starts a chat inside a run and goes on whatever becomes of it. */
const careless: Asks = (context) => {
  try {
    const asked = trusting(context)
    return asked instanceof Promise ? asked.catch(() => 'went on') : asked
  } catch {
    return 'went on'
  }
}

const after = <T>(before: MaybePromise<unknown>, value: T): MaybePromise<T> =>
  before instanceof Promise ? before.then(() => value) : value

/** A chat whose tools, functions, hooks, reply functions and executors all start chats. */
function program(asks: Asks): { user: ConversableAgent; assistant: ConversableAgent; options: ChatOptions } {
  const codeReader = {
    extractCode: (content: ChatMessage['content']) => (content === 'run ls' ? [{ language: 'sh', code: 'ls' }] : []),
    inferLang: () => 'sh',
  }
  const execute = (_: unknown, context: { readonly run?: Run | undefined }) =>
    after(asks(context), { exitCode: 0, output: 'ran' })
  const user = agent('user', {
    beforeToolCall: (_, context) => after(asks(context), 'allow' as const),
    contextVariables: { seen: 0 },
    codeExecutionConfig: {
      executor: {
        isolation: 'host',
        timeout: 1,
        codeReader,
        executeCodeBlocks: execute,
        executeCodeBlocksSync: execute,
      } as never,
    },
  })
  const calls = [{ id: 'c', type: 'function' as const, function: { name: 'ask', arguments: '{}' } }]
  const assistant = agent('assistant', {
    llmConfig: functionModel(({ messages }) => {
      const { role, content } = last(messages)
      if (role === 'tool') return 'run ls'
      if (role === 'system' && asks === careless) throw new Error('no summary today')
      return content === 'hi' ? { content: null, tool_calls: calls } : 'I see'
    }),
  })
  const parameters = { type: 'object' } as const
  const ask = (_: unknown, context: ToolContext): MaybePromise<string> => {
    user.setContext('seen', Number(user.getContext('seen')) + 1)
    return asks(context)
  }
  user.registerForExecution(tool({ name: 'ask', description: 'asks', parameters, execute: ask }))
  user.registerHook('processMessageBeforeSend', ({ message, run }) => after(asks({ run }), message))
  const critic = agent('critic')
  critic.registerReply(
    () => true,
    (_: ConversableAgent, { run }: { readonly run?: Run | undefined }) =>
      after(asks({ run }), [true, 'fine'] as [boolean, string]),
  )
  const summaryMethod: ChatOptions['summaryMethod'] = (_, __, ___, context) =>
    after(asks(context), 'the function says so')
  user.registerNestedChats(
    [
      {
        recipient: critic,
        maxTurns: 1,
        message: (_, { run }) => after(asks({ run }), 'look'),
        carryoverConfig: { summaryMethod: (_, __, ___, context) => after(asks(context), 'carried') },
        summaryMethod,
      },
    ],
    assistant,
    { position: 99 },
  )
  const options: ChatOptions = {
    message: (_, __, ___, context) => after(asks(context), 'hi'),
    maxTurns: 4,
    summaryMethod: 'reflection_with_llm',
  }
  return { user, assistant, options }
}

const KINDS: readonly JournalKind[] = [
  'begin',
  'message',
  'hook',
  'model',
  'vetting',
  'tool',
  'code',
  'human',
  'reply',
  'carryover',
  'summary',
]

const FACES = {
  promise: ({ user, assistant, options }, journal) => user.initiateChat(assistant, { ...options, journal }),
  stream: async ({ user, assistant, options }, journal) => {
    const stream = user.initiateChatStream(assistant, { ...options, journal })
    for await (const _ of stream);
    return await stream.result
  },
  blocking: async ({ user, assistant, options }, journal) => user.initiateChatSync(assistant, { ...options, journal }),
} satisfies Record<string, (its: ReturnType<typeof program>, journal: Journal) => Promise<ChatResult>>

/** Whether the store fails at once or gives a promise that rejects. */
const LATE = { promise: [false, true], stream: [true], blocking: [false] } as const

const METHODS = ['enter', 'leave', 'length', 'recall', 'lastPlace', 'keep'] as const
type Method = (typeof METHODS)[number]

/** A journal of which one call of one method fails, and every other does what it should. */
class FailingJournal implements Journal {
  readonly calls: Record<Method, number> = { enter: 0, leave: 0, length: 0, recall: 0, lastPlace: 0, keep: 0 }
  readonly kept: ChatJournal
  readonly #fault: {
    readonly method?: Method
    readonly call?: number
    readonly error?: unknown
    readonly late?: boolean
  }

  constructor(kept: ChatJournal, fault: { method?: Method; call?: number; error?: unknown; late?: boolean } = {}) {
    this.kept = kept
    this.#fault = fault
  }

  #called(method: Method): Promise<never> | undefined {
    const { method: failing, call, error, late } = this.#fault
    if (this.calls[method]++ !== call || method !== failing) return undefined
    if (!late) throw error
    return Promise.reject(error)
  }

  get length(): number {
    void this.#called('length')
    return this.kept.length
  }

  enter(): () => void {
    void this.#called('enter')
    const leave = this.kept.enter()
    return () => {
      leave()
      void this.#called('leave')
    }
  }

  recall(place: string): readonly JournalEntry[] {
    void this.#called('recall')
    return this.kept.recall(place)
  }

  lastPlace(place: string): number {
    void this.#called('lastPlace')
    return this.kept.lastPlace(place)
  }

  keep(entry: JournalEntry): MaybePromise<void> {
    return this.#called('keep') ?? this.kept.keep(entry)
  }
}

/** The entries of a journal, without what is random: the identifier of the run. */
const entriesIn = (journal: ChatJournal): unknown[] =>
  journal
    .saveState()
    .entries.map(({ checksum, value, ...entry }) => (entry.place === '0' ? entry : { ...entry, checksum, value }))

it.each([
  ['promise', 'catches', careless],
  ['stream', 'catches', careless],
  ['blocking', 'catches', careless],
  ['promise', 'throws', trusting],
  ['blocking', 'throws', trusting],
] as const)(
  'a journal that fails at any call of any method ends the run (%s, code inside %s)',
  async (face, _, asks) => {
    const run = FACES[face]
    const whole = new FailingJournal(new ChatJournal())
    const result = await run(program(asks), whole)
    expect(JSON.stringify(result.chatHistory)).not.toContain('went on')
    const kinds = new Set(whole.kept.saveState().entries.map(({ kind }) => kind))
    for (const kind of KINDS) expect(kinds).toContain(kind)
    const error = new Error('the store is away')
    for (const method of METHODS) {
      const calls = whole.calls[method]
      // Every entry; of the thousands of readings some.
      const step = method === 'keep' ? 1 : Math.max(1, Math.floor(calls / 5))
      for (let call = 0; call < calls; call += step) {
        const lates = method !== 'keep' ? [false] : asks === careless ? LATE[face] : LATE[face].slice(0, 1)
        for (const late of lates) {
          const journal = new FailingJournal(new ChatJournal(), { method, call, error, late })
          await expect(run(program(asks), journal), `${method} ${call}`).rejects.toBe(error)
          // Nothing was kept that was not an answer, and the chat goes on from there.
          const { length } = journal.kept
          expect(entriesIn(journal.kept)).toEqual(entriesIn(whole.kept).slice(0, length))
          if (method === 'keep') expect(length).toBe(call)
          if (call % 4 > 0) continue
          const resumed = ChatJournal.load(JSON.parse(JSON.stringify(journal.kept.saveState())))
          expect(await run(program(asks), resumed)).toEqual(result)
        }
      }
    }
  },
)

/** A chat whose tool starts a chat in which a tool needs an approval, and another one after it. */
function approvals(catches: boolean): ReturnType<typeof program> {
  const parameters = { type: 'object' } as const
  const asking = (name: string): ReturnType<typeof functionModel> =>
    functionModel(({ messages }) => {
      const { role, content } = last(messages)
      const calls = [{ id: 'c', type: 'function' as const, function: { name, arguments: '{}' } }]
      return role === 'tool' ? `it said: ${content as string}` : { content: null, tool_calls: calls }
    })
  const pairOf = (name: string, execute: (context: ToolContext) => MaybePromise<string>) => {
    const [user, assistant] = [agent(`${name}-user`), agent(`${name}-assistant`, { llmConfig: asking(name) })]
    const needsApproval = name === 'delicate'
    const run = (_: unknown, context: ToolContext): MaybePromise<string> => execute(context)
    user.registerForExecution(tool({ name, description: name, parameters, needsApproval, execute: run }))
    return { user, assistant, options: { message: 'hi', maxTurns: 2 } as ChatOptions }
  }
  return pairOf('outer', ({ run }) => {
    const { user, assistant, options } = pairOf('delicate', () => 'done')
    if (run!.face !== 'sync') {
      const chat = user.initiateChat(assistant, { ...options, run }).then(({ summary }) => summary as string)
      return catches ? chat.catch(() => 'went on') : chat
    }
    try {
      return user.initiateChatSync(assistant, { ...options, run }).summary as string
    } catch (error) {
      if (catches) return 'went on'
      throw error
    }
  })
}

it.each([
  ['promise', true],
  ['stream', true],
  ['blocking', true],
  ['promise', false],
  ['blocking', false],
] as const)(
  'a journal that fails at a question or a decision ends the run, and nothing is approved by that (%s, code inside catches: %s)',
  async (face, catches) => {
    /** Runs the chat, deciding what it asks, until it ends. */
    const decided = async (journal: FailingJournal): Promise<ChatResult> => {
      for (;;) {
        const result = await FACES[face](approvals(catches), journal)
        if (result.terminationReason !== 'suspended') return result
        for (const { id } of journal.kept.pending) await journal.kept.decide(id, { allow: true })
      }
    }
    const whole = new FailingJournal(new ChatJournal())
    const result = await decided(whole)
    expect(result.summary).toBe('it said: it said: done')
    const kinds = whole.kept.saveState().entries.map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['question', 'decision']))
    const error = new Error('the store is away')
    for (const method of METHODS) {
      const step = method === 'keep' ? 1 : Math.max(1, Math.floor(whole.calls[method] / 4))
      for (let call = 0; call < whole.calls[method]; call += step) {
        for (const late of method === 'keep' ? LATE[face] : [false]) {
          const journal = new FailingJournal(new ChatJournal(), { method, call, error, late })
          await expect(decided(journal), `${method} ${call}`).rejects.toBe(error)
          expect(entriesIn(journal.kept)).toEqual(entriesIn(whole.kept).slice(0, journal.kept.length))
          const resumed = ChatJournal.load(JSON.parse(JSON.stringify(journal.kept.saveState())))
          expect(await decided(new FailingJournal(resumed))).toEqual(result)
        }
      }
    }
  },
)

it('the journal of a chat inside a tool, refused, is not taken for an answer of the tool', async () => {
  const inner = new ChatJournal()
  const start = ({ run }: ToolContext): Promise<ChatResult> =>
    agent('clerk').initiateChat(agent('expert', { defaultAutoReply: 'well' }), {
      message: 'x',
      maxTurns: 1,
      journal: inner,
      version: '2',
      run,
    })
  const begin = { message: 'x', maxTurns: 1, journal: inner, version: '1' }
  await agent('clerk').initiateChat(agent('expert', { defaultAutoReply: 'well' }), begin)
  const journal = new ChatJournal()
  const { error } = await toolChat(start, { journal })
  expect(error).toMatchObject({ code: 'invalid-state', message: expect.stringContaining('`version` is `1`') as string })
  expect(journal.saveState().entries.filter(({ kind }) => kind === 'tool')).toEqual([])
})
