import type { Carryover, ChatMessage, ChatOptions, ContentPart, Reply } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { humanInput } from '../human/ask-human.steps.ts'
import { externalCall } from '../run/external-call.steps.ts'
import { textOfResult } from '../data/message.ts'
import { REPLY } from '../durability/saved-shapes.ts'
import type { Conversation, Side, State } from '../memory/state.ts'

/** The first message of a chat: given, computed, or asked of the human; null ends the chat before it begins. */
export function* firstMessage(
  { state, peer, conversation }: Side,
  { message = null, carryover, messageArgs }: Pick<ChatOptions, 'message' | 'carryover' | 'messageArgs'>,
): Steps<Reply | null> {
  if (typeof message !== 'function') return yield* generateInitMessage(state, message, carryover, conversation)
  const args = { ...messageArgs, ...(carryover !== undefined && { carryover }) }
  const label = 'the function that makes the first message'
  const call = { kind: 'message', label, shape: REPLY, agent: state.agent } as const
  return yield* externalCall(call, (context) => message(state.agent, peer.state.agent, args, context))
}

/** A message with its carryover; null asks the human. */
export function* generateInitMessage(
  state: State,
  message: Reply | null,
  carryover: Carryover | undefined,
  conversation?: Conversation,
): Steps<Reply> {
  return withCarryover(message ?? (yield* humanInput(state, '>', conversation)), carryover)
}

/** Appends a carryover to the content of a message, in a copy. */
function withCarryover(message: Reply, carryover: Carryover | undefined): Reply {
  if (!carryover || carryover.length === 0) return message
  if (typeof message === 'string') return message + carried(carryover)
  const { content } = message
  if (typeof content === 'string') return { ...message, content: content + carried(carryover) }
  if (!Array.isArray(content)) return message
  const part: ContentPart = { type: 'text', text: carried(carryover) }
  return { ...message, content: [part, ...content] }
}

function carried(carryover: Carryover): string {
  if (typeof carryover === 'string') return `\nContext: \n${carryover}`
  if (!Array.isArray(carryover)) {
    throw new XError('invalid-argument', `the carryover is a ${typeof carryover}: give a text or a list`)
  }
  return `\nContext: \n${carryover.map(itemText).join('\n')}`
}

function itemText(item: string | ChatMessage | Record<string, unknown>): string {
  if (typeof item === 'string') return item
  return textOfResult(typeof item === 'object' && item !== null && 'content' in item ? item.content : item)
}
