import { scriptedModel } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  AssistantAgent,
  ConversableAgent,
  initiateChats,
  tool,
  UserProxyAgent,
  type ConversableAgentOptions,
} from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const call = (name: string): object => ({
  content: null,
  tool_calls: [{ id: 'c1', function: { name, arguments: '{}' } }],
})

const askHelper = tool({
  name: 'ask_helper',
  description: 'Asks a helper.',
  parameters: { type: 'object' },
  async execute(_, { run }) {
    const [clerk, helper] = ['clerk', 'helper'].map(
      (name) => new ConversableAgent({ name, humanInputMode: 'NEVER', defaultAutoReply: 'help' }),
    )
    return (await clerk!.initiateChat(helper!, { message: 'help', maxTurns: 1, run })).summary
  },
})

/** Two agents that do all that is printed: messages, calls, code, warnings, a chat in a tool. */
function busyPair(options: Partial<ConversableAgentOptions> = {}): { user: UserProxyAgent; bot: AssistantAgent } {
  const codeReader = {
    extractCode: (text: unknown) => (text === 'run' ? [{ language: 'sh', code: 'ls' }] : []),
    inferLang: () => 'sh',
  }
  const runner = { useDocker: false, codeReader, runCode: () => [0, 'ran', null] as [number, string, null] }
  const llmConfig = scriptedModel([call('ask_helper'), 'run', { content: null }, 'so', 'so'], {
    repeatLast: true,
  })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'NEVER',
    codeExecutionConfig: { runner },
    ...options,
  })
  const bot = new AssistantAgent({ name: 'bot', llmConfig, ...options })
  bot.registerForLlm(askHelper)
  user.registerForExecution(askHelper)
  return { user, bot }
}

const chat = { message: 'hi', maxTurns: 5 }

/** All that is done with a pair; `silent` is the option of each operation. */
const programs: Record<string, (pair: ReturnType<typeof busyPair>, silent?: boolean) => unknown> = {
  initiateChat: ({ user, bot }, silent) => user.initiateChat(bot, { ...chat, silent }),
  initiateChats: ({ user, bot }, silent) =>
    initiateChats([
      { chatId: 1, sender: user, recipient: bot, ...chat, silent },
      { chatId: 2, sender: user, recipient: bot, ...chat, silent, prerequisites: [1] },
    ]),
  send: ({ user, bot }, silent) => user.send('hi', bot, { requestReply: true, silent }),
  run: ({ bot }, silent) => bot.run('hi', { tools: askHelper, silent: silent ?? null }),
  'run for a result': ({ bot }, silent) =>
    bot.run('hi', { result: { type: 'object' }, tools: askHelper, silent: silent ?? null }).catch(() => {}),
}

const EMPTY_ANSWER = 'the model of `bot` answered nothing'
const EMPTY_REPLIES = '`user` has nothing to say to `bot` for the second time in a row'

/** The warnings of money and correctness that each program gives, however silent it is. */
const unsilenced: Record<string, readonly string[]> = {
  initiateChat: [EMPTY_ANSWER, EMPTY_REPLIES],
  initiateChats: [EMPTY_ANSWER, EMPTY_REPLIES, EMPTY_REPLIES],
  send: [],
  run: [],
  'run for a result': [EMPTY_ANSWER],
}

describe('silence', () => {
  const printed: string[] = []
  const methods = ['log', 'warn', 'info', 'error'] as const
  beforeEach(() => {
    printed.length = 0
    for (const method of methods) {
      vi.spyOn(console, method).mockImplementation((...given: unknown[]) => void printed.push(given.join(' ')))
    }
  })
  afterEach(() => void vi.restoreAllMocks())

  describe.each(Object.entries(programs))('%s', (name, program) => {
    const expectWarnings = (): void => {
      expect(printed).toEqual(unsilenced[name]!.map((text) => expect.stringContaining(`warning: ${text}`)))
    }

    it('prints by default', async () => {
      await program(busyPair())
      expect(printed.join('\n')).toMatch(/hi[\s\S]*calls ask_helper/u)
    })

    it('prints only what concerns money or correctness if the operation is silent', async () => {
      await program(busyPair(), true)
      expectWarnings()
    })

    it('prints only what concerns money or correctness if the agents are silent', async () => {
      await program(busyPair({ silent: true }))
      expectWarnings()
    })
  })

  it('prints all of these kinds in a chat that is not silent', async () => {
    const { user, bot } = busyPair()
    await user.initiateChat(bot, chat)
    const text = printed.join('\n')
    for (const part of ['>>> user calls ask_helper', 'clerk (to helper)', 'runs code block', 'answered nothing']) {
      expect(text).toContain(part)
    }
    expect(text).toContain('for the second time in a row')
  })

  it('of one agent covers what happens in its replies, and nothing of the other', async () => {
    const { user, bot } = busyPair()
    const quiet = busyPair({ silent: true }).user
    quiet.registerForExecution(askHelper)
    await quiet.initiateChat(bot, chat)
    expect(printed.filter((line) => !line.startsWith('bot (to user)') && !line.includes('`bot`'))).toEqual([])
    expect(printed.length).toBeGreaterThan(0)
    expect(user.silent).toBeNull()
  })

  it.each([
    [true, false],
    [false, true],
  ])('of the agents (%s) covers their nested chats', async (silent, isPrinted) => {
    const { user, bot } = busyPair({ silent })
    const nested = new ConversableAgent({ name: 'nested', humanInputMode: 'NEVER', defaultAutoReply: 'well' })
    bot.registerNestedChats([{ recipient: nested, message: 'hm', maxTurns: 1 }], user)
    const { summary } = await user.initiateChat(bot, { message: 'hi', maxTurns: 1 })
    expect([summary, printed.some((line) => line.startsWith('nested (to bot)'))]).toEqual(['well', isPrinted])
  })

  it('covers operations of one agent and what is said while it is built', async () => {
    const { user, bot } = busyPair({ silent: true })
    user.registerForExecution(askHelper)
    bot.registerForLlm(askHelper)
    await user.executeFunction({ name: 'ask_helper', arguments: '{}' }, { verbose: true })
    await user.executeCodeBlocks([{ language: 'sh', code: 'ls' }])
    await user.generateReply({ messages: [{ content: 'run', role: 'user' }], sender: bot })
    bot.clearHistory(user, { nrMessagesToPreserve: 1 })
    expect(printed).toEqual([])
    bot.printUsageSummary()
    expect(printed.join('\n')).toContain("Agent 'bot'")
  })

  it('leaves the events of an `io` and an `emit` of the caller’s', async () => {
    const io = recordingIo()
    const { user, bot } = busyPair({ silent: true, io })
    await user.initiateChat(bot, { ...chat, silent: true })
    const kinds = new Set(io.events.map(({ type }) => type))
    expect([...kinds]).toEqual(expect.arrayContaining(['executeFunction', 'executeCodeBlock', 'warning']))
    const seen = new Set<string>()
    const again = busyPair({ silent: true })
    await again.user.initiateChat(again.bot, { ...chat, silent: true, emit: ({ type }) => void seen.add(type) })
    expect([...seen]).toEqual(expect.arrayContaining(['executeFunction', 'executeCodeBlock', 'warning']))
    expect(printed).toEqual([])
  })
})
