import type { ChatRequest, ServerReply } from '@x/testing'

/** Model calls of one chat: the first answer calls a tool, the second one ends the chat. */
export const CALLS_PER_CHAT = 2

/** Name of the tool that every chat calls. */
export const TOOL_NAME = 'lookup'

/** Last answer of every chat. */
export const ANSWER =
  'The order left the warehouse yesterday and will arrive on Friday before noon, as the note to it says. TERMINATE'

/** Returns the first message of a chat. */
export const question = (chat: number): string => `#${chat}: where is my order?`

/** Returns the result of the tool. */
export const lookedUp = (order: unknown): { order: unknown; state: string } => ({ order, state: 'on its way' })

/**
 * Returns the milliseconds that the model takes for a call, between half of `think` and three halves of it. They follow from the
 * number of the chat, so that server and client know them without communication.
 */
export function thinking(chat: number, call: number, think: number): number {
  const mixed = Math.imul((chat * CALLS_PER_CHAT + call + 1) ^ 0x9e3779b9, 0x85ebca6b) >>> 0
  return Math.round(think * (0.5 + mixed / 2 ** 32))
}

/** Returns the number of the chat of a request, and the number of the call in the chat, from 0. */
export function placeOf({ messages }: Pick<ChatRequest, 'messages'>): { chat: number; call: number } {
  const first = messages.find(({ role }) => role === 'user')?.['content']
  const chat = Number(/^#(\d+)/u.exec(typeof first === 'string' ? first : '')?.[1] ?? 0)
  return { chat, call: messages.at(-1)?.['role'] === 'tool' ? 1 : 0 }
}

/** Returns the reply of the model in a call of a chat. */
export function replyTo(chat: number, call: number): Extract<ServerReply, { content?: unknown }> {
  if (call > 0) return { content: ANSWER }
  const called = { name: TOOL_NAME, arguments: JSON.stringify({ order: chat }) }
  return { content: null, tool_calls: [{ id: `call_${chat}`, type: 'function', function: called }] }
}
