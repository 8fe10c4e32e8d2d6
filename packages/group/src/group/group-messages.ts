import type { ChatMessage, ContentPart } from '@x/interfaces'
import { XError } from '@x/kernel'

/**
 * A message as a group keeps it: under the name of its speaker (the result of a function keeps the function's), with its
 * content as text. It is a frozen copy; a message that is like this already is kept as it is.
 */
export function groupMessage(message: ChatMessage, speaker: string): ChatMessage {
  const name = message.role === 'function' ? message.name : speaker
  const content = textOf(message)
  if (message.name === name && message.content === content && Object.isFrozen(message)) return message
  return Object.freeze({ ...message, content, ...(name !== undefined && { name }) })
}

/** A content as text; nothing, as beside calls, stays nothing. */
function textOf({
  content,
  context,
}: {
  readonly content?: unknown
  readonly context?: object | undefined
}): string | null {
  if (typeof content === 'string') return content
  if (content === null || content === undefined) return null
  if (Array.isArray(content)) return (content as readonly ContentPart[]).map(partText).join('')
  if (typeof content === 'number' || typeof content === 'boolean') return String(content)
  if (typeof content === 'function') return (content as (context: object) => string)(context ?? {})
  return JSON.stringify(content) ?? null
}

const partText = (part: ContentPart): string =>
  part.type === 'text' ? part.text : part.type === 'image_url' ? '<image>' : `<${part.type}>`

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
