/** Most files of a message. */
export const MAX_FILES = 5

/** Most bytes of all files of a message. */
export const MAX_FILE_BYTES = 5_000_000

/** Most bytes of all files of a chat: each answer is asked with all of them. */
export const MAX_CHAT_FILE_BYTES = 20_000_000

/** Most characters of the name of a file. */
const MAX_NAME_LENGTH = 120

/** Kinds of files that may be attached, for people. */
export const ATTACHABLE = 'images (PNG, JPEG, GIF, WebP), PDF and text'

/** The kinds of files, which are told by their bytes alone: neither a name nor a browser is believed. */
export const ATTACHMENT_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/plain',
] as const

type AttachmentType = (typeof ATTACHMENT_TYPES)[number]

/** A file that a person has given with a message, without its bytes. */
export interface Attachment {
  /** Identifier in its chat. */
  readonly id: string
  readonly name: string
  readonly type: AttachmentType
  /** Number of bytes. */
  readonly size: number
}

/** The first bytes of each kind, in Latin-1; a dot is any byte. */
const SIGNATURES: readonly (readonly [AttachmentType, string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF....WEBP'],
  ['application/pdf', '%PDF-'],
]

/** Returns the kind of a file by its bytes; null for one that cannot be attached. */
export function typeOfBytes(bytes: Uint8Array): AttachmentType | null {
  const begins = (signature: string): boolean =>
    Array.from(signature, (sign, index) => sign === '.' || sign.charCodeAt(0) === bytes[index]).every(Boolean)
  const known = SIGNATURES.find(([, signature]) => begins(signature))
  if (known) return known[0]
  return isText(bytes) ? 'text/plain' : null
}

/** True for UTF-8 without bytes that texts do not have. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** True for a file that pages draw. */
export const isImage = ({ type }: Pick<Attachment, 'type'>): boolean => type.startsWith('image/')

/** Returns the name of a file in one line: without folders, without signs that are not to be seen or turn the line around. */
export function cleanName(name: string): string {
  const last = name.replace(/^.*[/\\]/su, '')
  const seen = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return seen.slice(0, MAX_NAME_LENGTH).toWellFormed() || 'file'
}

/** Returns a size in words, such as `120 kB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
