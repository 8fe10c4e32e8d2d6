import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { fit, limitTokens } from '@x/history'
import { createHost, defineChat, sqlite, type DefinedChat } from '@x/host'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'

/** Lets a conversation take messages, with one worker or a new one for each message; returns its value. */
async function converse(program: DefinedChat, messages: readonly string[], isOneWorker: boolean): Promise<unknown> {
  const host = createHost({ chats: [program], at: sqlite(':memory:') })
  await host.submit(program, {} as never, { id: 'a' })
  const rested = async (): Promise<void> =>
    await expect.poll(async () => (await host.get('a'))!.state, { interval: 2 }).toMatch(/suspended|done|failed/u)
  const works = (): (() => Promise<void>) => {
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    return async () => {
      stop.abort()
      await work
    }
  }
  let end = works()
  for (const message of messages) {
    await rested()
    await host.send('a', message)
    await rested()
    if (isOneWorker) continue
    await end()
    end = works()
  }
  const value = await host.result('a')
  await end()
  await host.close()
  return value
}

const llmConfig = (name: string) =>
  functionModel(({ messages }) => ({ content: `${name} read ${messages.length}`, usage: [10, 1], cost: 0.5 }))

/** A conversation with a group: its members keep their histories. */
const panel = (): DefinedChat =>
  defineChat({
    name: 'panel',
    version: '1',
    state: { said: [] as unknown[] },
    async onMessage({ said }, message, run, { end, usage }) {
      if (message === 'end') return end({ said, cost: usage().totalCost })
      const agents = ['ann', 'bob'].map((name) => new AssistantAgent({ name, llmConfig: llmConfig(name) }))
      const groupchat = new GroupChat({ agents, messages: [], maxRound: 3, speakerSelectionMethod: 'round_robin' })
      const manager = new GroupChatManager({ groupchat, llmConfig: false })
      const person = new UserProxyAgent({ name: 'person', humanInputMode: 'NEVER', codeExecutionConfig: false })
      const options = { message: String(message), clearHistory: false, maxTurns: 1, run }
      const { chatHistory } = await person.initiateChat(manager, options)
      const used = agents.map((agent) => agent.getActualUsage()?.totalCost ?? null)
      return { said: [...said, [chatHistory.length, groupchat.messages.map(({ content }) => content), used]] }
    },
  }) as DefinedChat

/** A conversation whose agent has a window, and variables that a hook counts. */
const windowed = (): DefinedChat =>
  defineChat({
    name: 'windowed',
    version: '1',
    state: { said: [] as unknown[] },
    async onMessage({ said }, message, run, { end }) {
      if (message === 'end') return end({ said })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig: llmConfig('clerk'), history: fit(limitTokens(160)) })
      const { text } = await clerk.run(String(message), { conversation: 'shared', run })
      clerk.setContext('turns', Number(clerk.getContext('turns') ?? 0) + 1)
      return { said: [...said, [text, clerk.getContext('turns')]] }
    },
  }) as DefinedChat

const MESSAGES = [...Array.from({ length: 6 }, (_, n) => `message ${n}`), 'end']

it.each([
  [
    'the members of a group, and what they have used',
    panel,
    [6, expect.arrayContaining(['ann read 17', 'bob read 18']), [3, 3]],
  ],
  ['the cuts of a history, and the variables', windowed, ['clerk read 4', 6]],
])('a conversation goes on with %s, whether its worker is a new one or not', async (_, program, last) => {
  const value = (await converse(program(), MESSAGES, true)) as { said: unknown[] }
  expect(value.said.at(-1)).toEqual(last)
  expect(await converse(program(), MESSAGES, false)).toEqual(value)
})
