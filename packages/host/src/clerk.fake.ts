import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import { functionModel } from '@x/testing'
import { defineChat } from './define-chat.ts'
import type { DefinedChat } from './defined-chat.ts'

/** Listeners for the calls of a test chat. */
export interface ClerkLog {
  /** Called when a model is asked, with the last message. */
  asked?(id: string, content: string): void | Promise<void>
  /** Called when a tool runs, with the key of the call. */
  paid?(id: string, key: string): void | Promise<void>
}

/** Input of the clerk. */
export interface Order {
  readonly order: string
  readonly euros: number
}

/** A clerk that looks an order up, pays it back (above 10 euros with an approval), and reports. */
export function clerkChat(log: ClerkLog = {}, version = '1'): DefinedChat<Order, string> {
  const chat = defineChat({
    name: 'clerk',
    version,
    input: {
      type: 'object',
      properties: { order: { type: 'string' }, euros: { type: 'number' } },
      required: ['order', 'euros'],
    },
    async run({ id, input, run }) {
      const { order, euros } = input as unknown as Order
      const llmConfig = functionModel(async ({ messages }) => {
        const last = messages.at(-1) as { content: string; role: string }
        await log.asked?.(id, last.content)
        if (last.role !== 'tool') return call('look', { order })
        const results = messages.filter(({ role }) => role === 'tool').length
        return results === 1 ? call('pay', { euros }) : `done: ${last.content}`
      })
      const look = tool({
        name: 'look',
        description: 'Looks.',
        parameters: ANY_PARAMETERS,
        execute: () => `order ${order}`,
      })
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        parameters: ANY_PARAMETERS,
        needsApproval: ({ euros: sum }) => Number(sum) > 10,
        async execute(args, { key }) {
          await log.paid?.(id, key)
          return `${String((args as { euros: unknown }).euros)} euros`
        },
      })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
      const { text } = await clerk.run(`Order ${order} came broken.`, { tools: [look, pay], run })
      return text
    },
  })
  return chat as unknown as DefinedChat<Order, string>
}

/** A chat that asks a person, in its program and by an agent, and returns the answers. */
export const askingChat = (log: ClerkLog = {}): DefinedChat<Record<string, unknown>> =>
  defineChat({
    name: 'asking',
    version: '1',
    async run({ id, io, run, receive }) {
      const first = await receive()
      const llmConfig = functionModel(async ({ messages }) => {
        const { content } = messages.at(-1) as { content: string }
        await log.asked?.(id, content)
        return `you said ${content}`
      })
      const person = new UserProxyAgent({ name: 'person', io, humanInputMode: 'ALWAYS', codeExecutionConfig: false })
      const assistant = new AssistantAgent({ name: 'assistant', llmConfig })
      const { chatHistory } = await person.initiateChat(assistant, { message: 'Hello.', maxTurns: 2, run })
      return { first, heard: chatHistory.map(({ content }) => content), last: await receive() }
    },
  })

const ANY_PARAMETERS = { type: 'object' } as const

const call = (name: string, args: object) => ({
  tool_calls: [{ id: name, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }],
})
