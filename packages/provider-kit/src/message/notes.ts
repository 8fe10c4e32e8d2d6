import type { ChatMessage, ContentPart } from '@x/interfaces'
import { isRecord } from '../json/is-record.ts'
import { listOf } from '../json/wire-values.ts'
import { mediaOf, type Media } from './media.ts'

/**
 * Returns the lines that stand for parts of a message that only its provider can read, such as uses of that provider's
 * tools. `own` names a provider that is sent the parts themselves.
 */
export function notesOf({ provider_metadata: all, content }: ChatMessage, own?: string): string[] {
  if (!all) return NONE
  // Images that stand in the content need no line.
  const isShown = Array.isArray(content) && content.some(({ type }) => type !== 'text')
  return Object.entries(all).flatMap(([provider, data]) => {
    if (provider === own || !isRecord(data)) return []
    const notes = [...listOf(data['notes']), ...(isShown ? [] : listOf(data['media_notes']))]
    return notes.filter((note): note is string => typeof note === 'string')
  })
}

/** Tells data of a provider that holds nothing but notes. */
export const hasOnlyNotes = (data: unknown): boolean =>
  isRecord(data) && Object.keys(data).every((key) => key === 'notes' || key === 'media_notes')

const NONE: string[] = []

/** Returns a line for each part of a content that the assistant must not send: images, sounds and files. */
export function mediaNotes(content: ChatMessage['content']): string[] {
  if (!Array.isArray(content)) return NONE
  return content.flatMap((part) => {
    const media = part.type === 'text' ? undefined : mediaOf(part)
    return media ? [mediaNote(media)] : []
  })
}

/** Returns the line that stands for an image, a sound or a file of the assistant. */
export function mediaNote(media: Media): string {
  const type = media.type === 'stored' ? undefined : media.mediaType
  const kind = /^(?:image|audio|video)(?=\/)/u.exec(type ?? '')?.[0] ?? 'file'
  return `[${kind} of the assistant${type === undefined ? '' : ` (${type})`}]`
}

/** Returns a content with further lines behind it. */
export function withNotes(content: ChatMessage['content'], notes: readonly string[]): ChatMessage['content'] {
  if (notes.length === 0) return content
  const text = notes.join('\n')
  if (Array.isArray(content)) return [...content, { type: 'text', text } satisfies ContentPart]
  return typeof content === 'string' && content !== '' ? `${content}\n\n${text}` : text
}

/** Keys of a part that say nothing to a reader. */
const MUTE = /^(?:type|status|signature|thoughtSignature|data|.*id|encrypted_.*)$/u

/** Most characters of a text inside a note, and of a whole one. */
const MOST_TEXT = 200
const MOST = 500

/** Returns a line that stands for a part in conversations with providers that cannot read it. */
export function noteOf(kind: string, part: object): string {
  const facts = JSON.stringify(part, (key, value: unknown) => {
    if (key !== '' && MUTE.test(key)) return undefined
    return typeof value === 'string' && value.length > MOST_TEXT ? `${value.slice(0, MOST_TEXT)}…` : value
  })
  const shown = facts.length > MOST ? `${facts.slice(0, MOST)}…` : facts
  return shown === '{}' ? `[${kind}]` : `[${kind}: ${shown}]`
}
