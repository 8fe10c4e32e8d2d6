import type { ChatMessage, ContentPart } from '@x/interfaces'
import { XError } from '@x/kernel'

/**
 * Makes the copy of a message that a group stores: frozen, with its content as text, under the name of its speaker. The
 * result of a function keeps the name of the function. A message that already has this form is returned as it is. In the
 * group of a pattern parts stay parts, so that all members see images.
 */
export function toGroupMessage(message: ChatMessage, speaker: string, ofPattern: boolean = false): ChatMessage {
  const name = message.role === 'function' ? message.name : speaker
  const content = ofPattern && Array.isArray(message.content) ? message.content : contentText(message)
  if (message.name === name && message.content === content && Object.isFrozen(message)) return message
  return Object.freeze({ ...message, content, ...(name !== undefined && { name }) })
}

/** Returns a content as text; null stays null, as beside tool calls. */
function contentText({
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

/** True if a message says something: a text that is not empty, or parts. */
export const saysSomething = ({ content }: ChatMessage): boolean =>
  (Array.isArray(content) || typeof content === 'string') && content.length > 0

/** Writes messages as a text. */
export const serializeMessages = (messages: readonly ChatMessage[]): string => JSON.stringify(messages)

/** Reads a text that {@link serializeMessages} wrote; any other text is refused. */
export function parseMessages(text: string): ChatMessage[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new XError(
      'invalid-argument',
      'cannot read the messages: the text is not JSON; give a text that `messagesToString` wrote',
      { cause },
    )
  }
  return requireMessages(value)
}

/** Returns a list of messages, and refuses any other value. */
export function requireMessages(value: unknown): ChatMessage[] {
  const wrong = Array.isArray(value)
    ? value.findIndex((each) => typeof each !== 'object' || each === null || Array.isArray(each))
    : 0
  if (Array.isArray(value) && wrong === -1) return value as ChatMessage[]
  throw new XError(
    'invalid-argument',
    Array.isArray(value)
      ? `cannot take the messages: message ${wrong} is not an object; give messages such as \`{ content: '…', name: '…' }\``
      : 'cannot take the messages: they are not a list; give a list of messages, or a text that `messagesToString` wrote',
  )
}
