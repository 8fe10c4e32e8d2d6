import type { ContentPart, ToolContent } from '@x/interfaces'
import { XError } from './x-error.ts'

/** No JSON has it: what a tool has read from elsewhere is never taken for images. */
const TOOL_CONTENT_MARK = Symbol.for('@x/tool-content')

const PART_TYPES: ReadonlySet<unknown> = new Set<ContentPart['type']>(['text', 'image_url', 'input_audio', 'file'])

/**
 * Makes the result of a tool that gives more than text: texts, images, sounds and files, as messages of users have them.
 * A part that cannot be sent to models becomes a line that says why: data that is not base64, an image that is not a PNG, JPEG, GIF
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
  return Object.freeze({ parts: Object.freeze(fitParts(parts)), [TOOL_CONTENT_MARK]: true })
}

/** Returns what a message has as the content of a result that `toolContent` made; undefined for every other result. */
export function contentOfResult(result: unknown): string | ContentPart[] | undefined {
  if (typeof result !== 'object' || result === null || !(TOOL_CONTENT_MARK in result)) return undefined
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
  if (!PART_TYPES.has(type)) return false
  const its = part[type as string]
  return type === 'text' ? typeof its === 'string' : typeof its === 'object' ? its !== null : typeof its === 'string'
}

/** Most bytes of an image: 5 MB in base64, which is what Anthropic takes. */
const MAX_IMAGE_BYTES = 3_750_000

/** Most bytes of a file or sound. */
const MAX_FILE_BYTES = 10_000_000

/** Most bytes of all parts of a result: providers take requests of about 30 MB in base64. */
const MAX_RESULT_BYTES = 15_000_000

/** Most images, sounds and files of a result. */
const MAX_RESULT_PARTS = 20

/** Most characters of a URL. */
const MAX_URL_LENGTH = 8192

/** Image formats that every provider takes, by the first characters of their base64. */
const IMAGE_FORMATS: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/u, 'image/png'],
  [/^\/9j\//u, 'image/jpeg'],
  [/^R0lGOD[dl]h/u, 'image/gif'],
  [/^UklGR.{6}XRUJQ/u, 'image/webp'],
]

/** Number and bytes of the media parts of a result so far. */
interface Taken {
  count: number
  bytes: number
}

/**
 * Returns parts that can be sent to models: base64 without blanks, images under the type of their bytes, neighbouring texts
 * as one. A line of text with the reason stands for what cannot: data that is not base64, an image of a format that models do
 * not take, a URL other than `https:`, and what exceeds 3,750,000 bytes (an image), 10,000,000 (a file), 15,000,000 or 20
 * parts (a result).
 */
function fitParts(parts: readonly ContentPart[]): ContentPart[] {
  const taken: Taken = { count: 0, bytes: 0 }
  const fitted: ContentPart[] = []
  for (const part of parts) {
    const next = part.type === 'text' ? part : fitMedia(part, taken)
    const last = fitted.at(-1)
    if (next.type === 'text' && last?.type === 'text') fitted[fitted.length - 1] = joined(last.text, next.text)
    else fitted.push(next)
  }
  return fitted
}

const joined = (first: string, second: string): ContentPart => ({ type: 'text', text: `${first}\n${second}` })

function fitMedia(part: MediaPart, taken: Taken): ContentPart {
  const fit = part.type === 'image_url' ? fitImage(part) : part.type === 'file' ? fitFile(part) : fitSound(part)
  if (typeof fit === 'string') return { type: 'text', text: partLine(part, fit) }
  const { bytes, part: fitted } = fit
  const more = `a result has at most ${MAX_RESULT_PARTS} of them with ${MAX_RESULT_BYTES} bytes`
  if (taken.count === MAX_RESULT_PARTS || taken.bytes + bytes > MAX_RESULT_BYTES) {
    return { type: 'text', text: partLine(fitted, more) }
  }
  taken.count++
  taken.bytes += bytes
  return fitted
}

/** A part as it is sent with its size, or the reason why it cannot be. */
type Fit = { readonly part: MediaPart; readonly bytes: number } | string

function fitImage(part: Extract<ContentPart, { type: 'image_url' }>): Fit {
  const url = urlOf(part)
  const detail = part.image_url?.detail
  const withUrl = (fitted: string): MediaPart => ({
    type: 'image_url',
    image_url: { url: fitted, ...(detail !== undefined && { detail }) },
  })
  if (typeof url !== 'string') return 'it has no URL'
  if (!url.startsWith('data:')) return isSecureUrl(url) ? { part: withUrl(url), bytes: 0 } : UNSUPPORTED_URL_TEXT
  const read = readData(url, MAX_IMAGE_BYTES)
  if (typeof read === 'string') return read
  const type = IMAGE_FORMATS.find(([start]) => start.test(read.data))?.[1]
  if (type === undefined) return 'its bytes are not those of a PNG, JPEG, GIF or WebP'
  return { part: withUrl(`data:${type};base64,${read.data}`), bytes: bytesOf(read.data) }
}

function fitFile({ file }: Extract<ContentPart, { type: 'file' }>): Fit {
  const { filename, file_data: data, file_id: id, provider } = file ?? {}
  const named = typeof filename === 'string' ? { filename } : {}
  if (typeof id === 'string') {
    const stored = { ...named, file_id: id, ...(provider !== undefined && { provider }) }
    return { part: { type: 'file', file: stored }, bytes: 0 }
  }
  if (typeof data !== 'string') return 'it has no data'
  if (/^[a-z][\w+.-]*:/iu.test(data) && !data.startsWith('data:')) {
    return isSecureUrl(data)
      ? { part: { type: 'file', file: { ...named, file_data: data } }, bytes: 0 }
      : UNSUPPORTED_URL_TEXT
  }
  const read = readData(data, MAX_FILE_BYTES)
  if (typeof read === 'string') return read
  const whole = read.type === undefined ? read.data : `data:${read.type};base64,${read.data}`
  return { part: { type: 'file', file: { ...named, file_data: whole } }, bytes: bytesOf(read.data) }
}

function fitSound({ input_audio: sound }: Extract<ContentPart, { type: 'input_audio' }>): Fit {
  if (sound?.format !== 'wav' && sound?.format !== 'mp3') return 'its format is not WAV or MP3'
  if (typeof sound.data !== 'string') return 'it has no data'
  const read = readData(sound.data, MAX_FILE_BYTES)
  if (typeof read === 'string') return read
  const part: MediaPart = { type: 'input_audio', input_audio: { data: read.data, format: sound.format } }
  return { part, bytes: bytesOf(read.data) }
}

const UNSUPPORTED_URL_TEXT = 'only `https:` and `data:` URLs can be sent'

const isSecureUrl = (url: string): boolean =>
  url.length <= MAX_URL_LENGTH && /^https:\/\//iu.test(url) && URL.canParse(url)

/** Characters of a data URL in which its type stands. */
const MAX_HEAD_LENGTH = 500

/** Reads the base64 of a data URL, or of a text without one. */
function readData(text: string, most: number): { readonly type: string | undefined; readonly data: string } | string {
  const head = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/u.exec(text.slice(0, MAX_HEAD_LENGTH))
  if (!head && text.startsWith('data:')) return 'its data is not base64'
  // Whatever is not read is not cleaned either.
  if (text.length > most * 2) return `it has more than ${most} bytes`
  const plain = text.slice(head?.[0].length ?? 0).replaceAll(/\s/gu, '')
  const bare = plain.replace(/={1,2}$/u, '')
  // V8 stops optimizing regular expressions in programs that have many, and a repetition then overflows at some megabytes.
  if (bare === '' || /[^A-Za-z0-9+/]/u.test(bare) || bare.length % 4 === 1) return 'its data is not base64'
  const data = bare.padEnd(Math.ceil(bare.length / 4) * 4, '=')
  return bytesOf(data) > most ? `it has more than ${most} bytes` : { type: head?.[1], data }
}

/** A part of a content that is not text. */
export type MediaPart = Exclude<ContentPart, { type: 'text' }>

/** Most characters of a name or URL in a line. */
const MAX_LINE_LENGTH = 200

/** Returns the line of text that stands for an image, a sound or a file, with the reason why it was left out. */
export function partLine(part: MediaPart, why?: string): string {
  const facts = factsOf(part).join(', ')
  const kind = part.type === 'image_url' ? 'image' : part.type === 'input_audio' ? 'audio' : 'file'
  return `[${kind}${facts && `: ${facts}`}${why === undefined ? '' : `; left out: ${why}`}]`
}

/** Returns a content as text: its texts, and a line for each other part. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: ContentPart) => (part.type === 'text' ? part.text : partLine(part))).join('\n')
}

function factsOf(part: MediaPart): string[] {
  if (part.type === 'input_audio') {
    const { data, format } = part.input_audio ?? {}
    return [`audio/${format === 'mp3' ? 'mp3' : 'wav'}`, sizeOf(data)]
  }
  if (part.type === 'image_url') return urlFacts(urlOf(part))
  // A content that others stored may have less than its type says.
  const { filename, file_data: data, file_id: id } = part.file ?? {}
  const name = filename === undefined ? [] : [shortLine(filename)]
  if (id !== undefined) return [...name, shortLine(id)]
  return [...name, ...urlFacts(data)]
}

/** The URL of an image; some writers give it without the object around it. */
function urlOf({ image_url: image }: Extract<ContentPart, { type: 'image_url' }>): unknown {
  return typeof image === 'string' ? image : (image as { url?: unknown } | undefined)?.url
}

function urlFacts(url: unknown): string[] {
  if (typeof url !== 'string') return []
  const type = /^data:([\w.+-]+\/[\w.+-]+)/u.exec(url.slice(0, MAX_HEAD_LENGTH))?.[1]
  if (/^https?:/iu.test(url)) return [shortLine(url)]
  return [...(type === undefined ? [] : [shortLine(type)]), sizeOf(url.slice(url.indexOf(',') + 1))]
}

const sizeOf = (base64: unknown): string => `${bytesOf(typeof base64 === 'string' ? base64 : '')} bytes`

/** Returns how many bytes a base64 text stands for. */
function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor(((base64.length - padding) * 3) / 4)
}

/** Others wrote it: without controls, brackets and line ends. */
function shortLine(text: unknown): string {
  const clean = String(text)
    .slice(0, MAX_LINE_LENGTH + 1)
    .replaceAll(/[^\P{C}]|[[\]\s]/gu, ' ')
    .trim()
  return clean.length > MAX_LINE_LENGTH ? `${clean.slice(0, MAX_LINE_LENGTH)}…` : clean
}
