import type { ChatMessage, ContentPart } from '@x/interfaces'
import { mediaOf, type LowerContext } from '@x/provider-kit'
import { lowerPart } from '../lower-part.ts'
import type { Item } from './own-items.ts'

type Content = ChatMessage['content']
type Warn = LowerContext['warn']

/** Returns the content of a message as the endpoint takes it: a text, or parts; sounds are left out with a warning. */
export function lowerContent(content: Content, warn: Warn): string | Item[] {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.flatMap((part): Item[] => {
    const lowered = inputPart(part, warn)
    return lowered ? [lowered] : []
  })
}

/** Returns the text of a content, without its other parts. */
export function textOf(content: Content): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.map((part) => (part.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('')
}

/** Returns a content without the parts that are not text: only the user sends those. */
export function textsOf(content: Content): Content {
  return Array.isArray(content) ? content.filter(({ type }) => type === 'text') : content
}

/**
 * Returns the result of a call: a text, or parts when there is more than text (`ResponseFunctionCallOutputItem` of the SDK;
 * https://platform.openai.com/docs/guides/function-calling).
 */
export function resultOf(content: Content, warn: Warn): string | Item[] {
  if (!Array.isArray(content) || content.every(({ type }) => type === 'text')) return textOf(content)
  const parts = lowerContent(content, warn)
  return parts.length > 0 ? parts : ''
}

function inputPart(part: ContentPart, warn: Warn): Item | undefined {
  const given = part as unknown as Item
  // A part in the endpoint's own form passes.
  if (['input_text', 'input_image', 'input_file'].includes(part.type)) return given
  const point = given['prompt_cache_breakpoint']
  const more = point === undefined ? {} : { prompt_cache_breakpoint: point }
  const whole = part.type === 'file' ? mediaOf(part) : undefined
  if (whole?.type === 'link') return { type: 'input_file', file_url: whole.url, ...more }
  const plain = lowerPart(part)
  if (plain.type === 'text') return { type: 'input_text', text: plain.text, ...more }
  if (plain.type === 'image_url') {
    const { url, detail = 'auto' } = plain.image_url
    return { type: 'input_image', image_url: url, detail, ...more }
  }
  if (plain.type === 'file') {
    const { file_id: id, filename, file_data: data } = plain.file
    return id === undefined
      ? { type: 'input_file', filename, file_data: data, ...more }
      : { type: 'input_file', file_id: id, ...more }
  }
  warn('content', `a part of type \`${part.type}\` was left out: the Responses API does not take it`)
  return undefined
}
