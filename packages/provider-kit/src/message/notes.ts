import type { ChatMessage, ContentPart } from '@x/interfaces'
import { isRecord, listOf } from '../json/wire-values.ts'
import { mediaOf, type Media } from './media.ts'

const NO_NOTES: string[] = []

/**
 * Returns the notes of a message: lines that stand for parts that only one provider can read, such as uses of its tools.
 * `except` names a provider that gets the parts themselves.
 */
export function notesOf({ provider_metadata: metadata, content }: ChatMessage, except?: string): string[] {
  if (!metadata) return NO_NOTES
  // Images that stand in the content need no line.
  const showsMedia = Array.isArray(content) && content.some(({ type }) => type !== 'text')
  return Object.entries(metadata).flatMap(([provider, data]) => {
    if (provider === except || !isRecord(data)) return []
    const notes = [...listOf(data['notes']), ...(showsMedia ? [] : listOf(data['media_notes']))]
    return notes.filter((note): note is string => typeof note === 'string')
  })
}

/** Tells whether data of a provider holds nothing but notes. */
export const hasOnlyNotes = (data: unknown): boolean =>
  isRecord(data) && Object.keys(data).every((key) => key === 'notes' || key === 'media_notes')

/**
 * Returns the content of a message with its notes behind it. Only the user may send images, sounds and files: those of the
 * assistant become notes, too.
 */
export function withNotes(message: ChatMessage): ChatMessage['content'] {
  const isAssistant = message.role === 'assistant'
  const content = isAssistant ? textsOf(message.content) : message.content
  const notes = isAssistant ? [...mediaNotes(message.content), ...notesOf(message)] : notesOf(message)
  if (notes.length === 0) return content
  const text = notes.join('\n')
  if (Array.isArray(content)) return [...content, { type: 'text', text } satisfies ContentPart]
  return typeof content === 'string' && content !== '' ? `${content}\n\n${text}` : text
}

function textsOf(content: ChatMessage['content']): ChatMessage['content'] {
  if (!Array.isArray(content) || content.every(({ type }) => type === 'text')) return content
  const texts = content.filter(({ type }) => type === 'text')
  return texts.length > 0 ? texts : ''
}

function mediaNotes(content: ChatMessage['content']): string[] {
  if (!Array.isArray(content)) return NO_NOTES
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

/** Keys of a part that tell a reader nothing. */
const OMITTED_KEY_PATTERN = /^(?:type|status|signature|thoughtSignature|data|.*id|encrypted_.*)$/u

/** Characters of one text inside a note. */
const MAX_TEXT_CHARS = 200

/** Characters of the facts of a note. */
const MAX_NOTE_CHARS = 500

/** Returns a line that stands for a part in conversations with providers that cannot read it. */
export function noteOf(kind: string, part: object): string {
  const facts = JSON.stringify(part, (key, value: unknown) => {
    if (key !== '' && OMITTED_KEY_PATTERN.test(key)) return undefined
    return typeof value === 'string' && value.length > MAX_TEXT_CHARS ? `${value.slice(0, MAX_TEXT_CHARS)}…` : value
  })
  const shortened = facts.length > MAX_NOTE_CHARS ? `${facts.slice(0, MAX_NOTE_CHARS)}…` : facts
  return shortened === '{}' ? `[${kind}]` : `[${kind}: ${shortened}]`
}
