import type { ContentPart, ToolContent } from '@x/interfaces'
import { fitParts } from './fit-parts.ts'
import { XError } from './x-error.ts'

/** No JSON has it: what a tool has read from elsewhere is never taken for images. */
const MARK = Symbol.for('@x/tool-content')

const TYPES: ReadonlySet<unknown> = new Set<ContentPart['type']>(['text', 'image_url', 'input_audio', 'file'])

/**
 * Makes the result of a tool that gives more than text: texts, images, sounds and files, as messages of users have them.
 * What cannot be sent to models becomes a line that says why: data that is not base64, an image that is not a PNG, JPEG, GIF
 * or WebP, a URL other than `https:` and `data:`, images above 3,750,000 bytes, files above 10,000,000, more than 20 of
 * them or 15,000,000 bytes in one result. Fails with `invalid-argument` for something that is not a list of parts.
 */
export function toolContent(parts: readonly ContentPart[]): ToolContent {
  const at = Array.isArray(parts) ? parts.findIndex((part) => !isPart(part)) : 0
  if (at !== -1) {
    throw new XError(
      'invalid-argument',
      `cannot make a tool's content: part ${at} is not a part; give a list such as [{ type: 'text', text: '…' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,…' } }]`,
      { details: { part: at } },
    )
  }
  return Object.freeze({ parts: Object.freeze(fitParts(parts)), [MARK]: true })
}

/** Returns what a message has as the content of a result that `toolContent` made; undefined for every other result. */
export function contentOfResult(result: unknown): string | ContentPart[] | undefined {
  if (typeof result !== 'object' || result === null || !(MARK in result)) return undefined
  const { parts } = result as unknown as ToolContent
  if (parts.length === 0) return ''
  const [first] = parts
  return parts.length === 1 && first!.type === 'text' ? first!.text : [...parts]
}

/** Tells a content of parts from other lists. */
export const isParts = (value: unknown): value is ContentPart[] =>
  Array.isArray(value) && value.length > 0 && value.every(isPart)

function isPart(value: unknown): value is ContentPart {
  if (typeof value !== 'object' || value === null) return false
  const part = value as Record<string, unknown>
  const { type } = part
  if (!TYPES.has(type)) return false
  const its = part[type as string]
  return type === 'text' ? typeof its === 'string' : typeof its === 'object' ? its !== null : typeof its === 'string'
}
