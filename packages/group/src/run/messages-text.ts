import type { ChatMessage } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Reads messages that {@link messagesText} wrote; a text that is no JSON, or no list of messages, is refused. */
export function readMessagesText(text: string): ChatMessage[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new XError(
      'invalid-argument',
      'the messages cannot be read: the text is no JSON; give what `messagesToString` wrote',
      {
        cause,
      },
    )
  }
  return requireMessages(value)
}

/** Refuses what is no list of messages. */
export function requireMessages(value: unknown): ChatMessage[] {
  const wrong = Array.isArray(value)
    ? value.findIndex((each) => typeof each !== 'object' || each === null || Array.isArray(each))
    : 0
  if (Array.isArray(value) && wrong === -1) return value as ChatMessage[]
  throw new XError(
    'invalid-argument',
    Array.isArray(value)
      ? `the messages cannot be taken: message ${wrong} is no object; give messages such as \`{ content: '…', name: '…' }\``
      : 'the messages cannot be taken: they are no list; give a list of messages, or what `messagesToString` wrote',
  )
}

/** Writes messages as a text. */
export const messagesText = (messages: readonly ChatMessage[]): string => JSON.stringify(messages)
