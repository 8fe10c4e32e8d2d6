import type { ChatMessage, ToolResponse } from '@x/interfaces'
import { contentOfResult, contentText as textOfContent } from '@x/kernel/tool-content'

/** The result of a function as text: a text as it is, nothing as an empty one, parts with a line for each that is not text, everything else as JSON. */
export function textOfResult(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === null || result === undefined) return ''
  const content = contentOfResult(result)
  if (content !== undefined) return textOfContent(content)
  try {
    return JSON.stringify(result) ?? ''
  } catch {
    // A cycle or a BigInt: JSON knows neither, and a message needs a text.
    return typeof result === 'bigint' ? result.toString() : Object.prototype.toString.call(result)
  }
}

/** The texts of responses as one: what a person reads, and programs that know nothing of parts. */
export const joinedResponses = (responses: readonly ToolResponse[], between: string): string =>
  responses.map(({ content }) => textOfContent(content)).join(between)

/** Whether a message has content; an empty text or list is none. */
export const hasContent = ({ content }: ChatMessage): boolean =>
  Boolean(Array.isArray(content) ? content.length : content)

/** The text of a message, that of its parts joined. */
export function contentText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Replaces the names of a template; a name without a value stays as it is. */
export function fillTemplate(template: string, valueOf: (name: string) => unknown): string {
  return template.replaceAll(/\{\{|\}\}|\{(\w+)\}/gu, (match, name: string | undefined) => {
    if (name === undefined) return match[0]!
    const value = valueOf(name)
    return value === null || value === undefined ? match : textOfResult(value)
  })
}
