import type { ChatMessage, ContentPart } from '@x/interfaces'

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
