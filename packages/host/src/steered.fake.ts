import { createAgent, tool } from '@x/agent'
import type { ChatMessage } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { defineChat } from './define-chat.ts'
import type { DefinedChat } from './index.ts'

/** Questions and deeds of the agents of a steered chat. */
export interface SteeredLog {
  /** Called with the messages of each request to a model. */
  readonly asked?: (messages: readonly string[]) => unknown
  /** Called while a tool runs. */
  readonly looks?: (callId: string) => unknown
}

const said = ({ role, content }: ChatMessage): string => `${role}: ${typeof content === 'string' ? content : 'call'}`

/**
 * A conversation whose agent looks `n` times for the message `n`, one call of a tool after the other, and whose state is the
 * list of the messages that the agent has. It ends with that at `end`.
 */
export const steeredChat = ({ asked, looks }: SteeredLog = {}): DefinedChat =>
  defineChat({
    name: 'steered',
    version: '1',
    state: { messages: [] as readonly string[] },
    async onMessage(state, message, run, chat) {
      if (message === 'end') return chat.end(state.messages)
      const model = functionModel(async ({ messages }) => {
        const own = messages.filter(({ role }) => role !== 'system')
        await asked?.(own.map(said))
        const since = own.length - own.findLastIndex(({ content }) => content === message)
        const count = own.slice(-since).filter(({ role }) => role === 'tool').length
        if (count >= Number(message)) return `done ${String(message)}`
        const call = { name: 'look', arguments: '{}' }
        return { content: null, tool_calls: [{ id: `c${own.length}`, type: 'function', function: call }] }
      })
      const agent = createAgent({ name: 'helper', model, instructions: 'Look.' })
      const look = tool({
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object' },
        async execute(_, { callId = '' }) {
          await looks?.(callId)
          return 'seen'
        },
      })
      const { messages } = await agent.run(String(message), { tools: look, run })
      return { messages: [...state.messages, ...messages.map(said)] }
    },
  }) as DefinedChat
