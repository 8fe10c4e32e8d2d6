import type { ChatMessage } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Gives the text of a message's content: text parts joined, an image part as `<image>`, an empty text for no content. */
export function contentText(content: ChatMessage['content']): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw unreadable(content)
  return content.map(partText).join('')
}

function partText(part: unknown): string {
  const { type, text } = (typeof part === 'object' && part !== null ? part : {}) as { type?: unknown; text?: unknown }
  if (type === 'text' && typeof text === 'string') return text
  if (type === 'image_url') return '<image>'
  if (typeof type === 'string') return ''
  throw unreadable(part)
}

const unreadable = (value: unknown): XError =>
  new XError(
    'invalid-argument',
    `cannot read code from content of type \`${typeof value}\`: give text or content parts`,
  )
