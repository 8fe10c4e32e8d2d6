import { AssistantAgent, tool } from '@x/agent'
import type { ChatMessage } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { defineChat } from './define-chat.ts'
import type { ClerkLog } from './clerk.fake.ts'
import type { DefinedChat } from './index.ts'

/** State of the conversation of a test. */
interface Talk {
  readonly count: number
  /** The last answers. */
  readonly answers: readonly string[]
}

/** Calls a tool, and then tells how many messages it was sent and what the tool has said. */
function answer(messages: readonly ChatMessage[]): string | object {
  const last = messages.at(-1)!
  const text = last.content as string
  if (last.role === 'tool') return `${messages.length} messages, ${text}`
  const call = { name: 'pay', arguments: JSON.stringify({ sum: text }) }
  return { tool_calls: [{ id: `call-${text}`, type: 'function', function: call }] }
}

/**
 * A conversation that pays what a message says, with an approval if that is `much`, and ends with its state and usage at
 * `end`. Its agent keeps the last 8 messages, and counts the payments in a context variable.
 */
export const talkChat = ({ asked, paid }: ClerkLog = {}): DefinedChat =>
  defineChat({
    name: 'talk',
    version: '1',
    state: { count: 0, answers: [] } as Talk,
    async onMessage(state, message, run, chat) {
      if (message === 'end') return chat.end({ ...state, cost: chat.usage().totalCost })
      const llmConfig = functionModel(async ({ messages }) => {
        await asked?.(chat.id, messages.at(-1)!.content as string)
        return { ...asReply(answer(messages)), usage: [10, 1], cost: 0.25 }
      })
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig })
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        parameters: { type: 'object' },
        needsApproval: ({ sum }) => String(sum).startsWith('much'),
        async execute({ sum }, { key }) {
          await paid?.(chat.id, key)
          clerk.setContext('payments', Number(clerk.getContext('payments') ?? 0) + 1)
          return `${String(sum)} is payment ${String(clerk.getContext('payments'))}`
        },
      })
      const { text } = await clerk.run(String(message), { tools: pay, conversation: 'shared', run })
      clerk.clearHistory(null, { nrMessagesToPreserve: 8 })
      return { count: state.count + 1, answers: [...state.answers, text].slice(-6) }
    },
  }) as DefinedChat

const asReply = (reply: string | object): object => (typeof reply === 'string' ? { content: reply } : reply)

/** The messages of a test: every seventh needs an approval. */
export const talkMessages = (count: number): string[] => [
  ...Array.from({ length: count }, (_, n) => (n % 7 === 3 ? `much ${n}` : `sum ${n}`)),
  'end',
]

/** The value of the conversation. */
export function talkValue(count: number): object {
  const all = talkMessages(count).slice(0, -1)
  // The clerk sees its instructions, at most 8 messages from before, the question and two of the payment.
  const answers = all.map((sum, n) => `${Math.min(4 * n, 8) + 4} messages, ${sum} is payment ${n + 1}`)
  return { count, answers: answers.slice(-6), cost: count * 0.5 }
}
