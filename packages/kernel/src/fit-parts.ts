import type { ContentPart } from '@x/interfaces'
import { bytesOf, partLine, urlOf, type MediaPart } from './content-line.ts'

/** Most bytes of an image: 5 MB in base64, which is what Anthropic takes. */
const MOST_OF_IMAGE = 3_750_000

/** Most bytes of a file or sound. */
const MOST_OF_FILE = 10_000_000

/** Most bytes of all parts of a result: providers take requests of about 30 MB in base64. */
const MOST_BYTES = 15_000_000

/** Most images, sounds and files of a result. */
const MOST_PARTS = 20

/** Most characters of a URL. */
const MOST_OF_URL = 8192

/** Image formats that every provider takes, by the first characters of their base64. */
const IMAGES: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/u, 'image/png'],
  [/^\/9j\//u, 'image/jpeg'],
  [/^R0lGOD[dl]h/u, 'image/gif'],
  [/^UklGR.{6}XRUJQ/u, 'image/webp'],
]

/** What has been taken of a result so far. */
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
export function fitParts(parts: readonly ContentPart[]): ContentPart[] {
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
  const more = `a result has at most ${MOST_PARTS} of them with ${MOST_BYTES} bytes`
  if (taken.count === MOST_PARTS || taken.bytes + bytes > MOST_BYTES) {
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
  if (!url.startsWith('data:')) return isSecureUrl(url) ? { part: withUrl(url), bytes: 0 } : WRONG_URL
  const read = readData(url, MOST_OF_IMAGE)
  if (typeof read === 'string') return read
  const type = IMAGES.find(([start]) => start.test(read.data))?.[1]
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
    return isSecureUrl(data) ? { part: { type: 'file', file: { ...named, file_data: data } }, bytes: 0 } : WRONG_URL
  }
  const read = readData(data, MOST_OF_FILE)
  if (typeof read === 'string') return read
  const whole = read.type === undefined ? read.data : `data:${read.type};base64,${read.data}`
  return { part: { type: 'file', file: { ...named, file_data: whole } }, bytes: bytesOf(read.data) }
}

function fitSound({ input_audio: sound }: Extract<ContentPart, { type: 'input_audio' }>): Fit {
  if (sound?.format !== 'wav' && sound?.format !== 'mp3') return 'its format is not WAV or MP3'
  if (typeof sound.data !== 'string') return 'it has no data'
  const read = readData(sound.data, MOST_OF_FILE)
  if (typeof read === 'string') return read
  const part: MediaPart = { type: 'input_audio', input_audio: { data: read.data, format: sound.format } }
  return { part, bytes: bytesOf(read.data) }
}

const WRONG_URL = 'only `https:` and `data:` URLs can be sent'

const isSecureUrl = (url: string): boolean =>
  url.length <= MOST_OF_URL && /^https:\/\//iu.test(url) && URL.canParse(url)

/** Reads the base64 of a data URL, or of a text without one. */
function readData(text: string, most: number): { readonly type: string | undefined; readonly data: string } | string {
  const head = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/u.exec(text.slice(0, 500))
  if (!head && text.startsWith('data:')) return 'its data is not base64'
  // Whatever is not read is not cleaned either.
  if (text.length > most * 2) return `it has more than ${most} bytes`
  const plain = text.slice(head?.[0].length ?? 0).replaceAll(/\s/gu, '')
  const bare = plain.replace(/={1,2}$/u, '')
  if (!/^[A-Za-z0-9+/]+$/u.test(bare) || bare.length % 4 === 1) return 'its data is not base64'
  const data = bare.padEnd(Math.ceil(bare.length / 4) * 4, '=')
  return bytesOf(data) > most ? `it has more than ${most} bytes` : { type: head?.[1], data }
}
