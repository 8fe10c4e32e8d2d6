import type { Agent, ChatMessage } from '@x/interfaces'
import { stateOf } from './state.ts'
import { contentText } from './text.ts'

/** The sentence of a default system message that asks the model to say when it is done. */
export const TERMINATION_REQUEST = 'When the task is done, end your message with TERMINATE.'

const WORD = 'TERMINATE'

/** Whether a message says that the chat ends, unless an agent has a check of its own: it is the word and nothing else. */
export const saysTerminate = (message: ChatMessage): boolean => contentText(message) === WORD

/**
 * Whether a message ends a chat for an agent that stands for a user: it says so, or it ends with the word that the system
 * message of its sender asks for by the default sentence.
 */
export function endsForUser(message: ChatMessage, sender: Agent | null): boolean {
  if (saysTerminate(message)) return true
  if (!contentText(message).trimEnd().endsWith(WORD)) return false
  const system = sender ? stateOf(sender)?.systemMessage.content : null
  return typeof system === 'string' && system.includes(TERMINATION_REQUEST)
}
