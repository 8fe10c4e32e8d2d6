import type { RunOptions, ToolContext } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { initiateChats } from '../index.ts'
import { agent, callsOf, endless, toolChat } from './tool-chat.fake.ts'

type Operation = (options: Pick<RunOptions, 'signal' | 'emit'>) => Promise<unknown>

const drained = async (stream: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of stream);
}

const CHAT = { message: 'go', maxTurns: 20 }

/** The operations that a tool may start, each of which talks to a model. */
const operations: Record<string, Operation> = {
  async initiateChat(options) {
    const [clerk, expert] = endless()
    await clerk.initiateChat(expert, { ...CHAT, ...options })
  },
  // eslint-disable-next-line @typescript-eslint/require-await -- an operation gives a promise
  async initiateChatSync(options) {
    const [clerk, expert] = endless()
    clerk.initiateChatSync(expert, { ...CHAT, ...options })
  },
  async initiateChats(options) {
    const [sender, recipient] = endless()
    await initiateChats([{ sender, recipient, ...CHAT }], options)
  },
  async run(options) {
    await endless()[1].run('go', { maxTurns: 20, userInput: false, ...options })
  },
  async send(options) {
    const [clerk, expert] = endless()
    await clerk.send('go', expert, { requestReply: true, ...options })
  },
  async generateReply(options) {
    await endless()[1].generateReply({ messages: [{ role: 'user', content: 'go' }], ...options })
  },
  async generateReplyStream(options) {
    await drained(endless()[1].generateReplyStream({ messages: [{ role: 'user', content: 'go' }], ...options }))
  },
}

const forgets: Record<string, (context: ToolContext) => RunOptions> = {
  'the signal': ({ signal }) => ({ signal }),
  'the emit': ({ emit }) => ({ emit }),
  'the signal of the run': ({ run }) => ({ signal: run!.signal }),
  'the emit of the run': ({ run }) => ({ emit: run!.emit }),
  both: ({ signal, emit }) => ({ signal, emit }),
}

const cases = Object.keys(operations).flatMap((operation) =>
  Object.keys(forgets).map((what) => [operation, what] as const),
)

describe('what a tool starts without its `run`', () => {
  it.each(cases)('ends the chat, though the tool catches: %s with %s', async (operation, what) => {
    const budget = callsOf(50)
    let caught: unknown
    const { result, error } = await toolChat(
      async (context) => {
        await operations[operation]!(forgets[what]!(context)).catch((reason: unknown) => (caught = reason))
        return 'went on'
      },
      { budget },
    )
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('`{ run }`') as string })
    if (caught !== undefined) expect(caught).toBe(error)
    expect(budget.spent.calls).toBe(1)
  })

  it('ends the chat within a time-out as well', async () => {
    const { error } = await toolChat(
      async ({ signal }) => {
        await operations['initiateChat']!({ signal }).catch(() => {})
        return 'went on'
      },
      { timeout: 60 },
    )
    expect(error).toMatchObject({ code: 'invalid-argument' })
  })

  it('ends the chat at the first event of the foreign one, when its `emit` is wrapped', async () => {
    const { error, events } = await toolChat(async ({ emit }) => {
      const [clerk, expert] = endless()
      await clerk.initiateChat(expert, { ...CHAT, emit: (event) => emit!(event) }).catch(() => {})
      return 'went on'
    })
    expect(error).toMatchObject({ code: 'invalid-argument' })
    expect(events.filter(({ chatId }) => chatId !== '1')).toEqual([])
  })

  it('may be a chat of its own, with neither', async () => {
    const { answer } = await toolChat(
      async () => {
        const [clerk, expert] = endless()
        return (await clerk.initiateChat(expert, { message: 'go', maxTurns: 3 })).terminationReason
      },
      { budget: callsOf(2) },
    )
    expect(answer).toBe('max-turns')
  })

  it('is told apart in chats inside chats: all of them end', async () => {
    const { error } = await toolChat(async ({ run }) => {
      const expert = agent('expert')
      expert.registerReply(
        () => true,
        async (_, { signal }) => {
          await operations['initiateChat']!({ signal }).catch(() => {})
          return [true, 'went on']
        },
      )
      const chat = agent('clerk').initiateChat(expert, { message: 'go', maxTurns: 1, run })
      return await chat.then(String, String)
    })
    expect(error).toMatchObject({ code: 'invalid-argument' })
  })
})
