import type { ContentPart } from '@x/interfaces'

type Part<Type extends ContentPart['type']> = Extract<ContentPart, { type: Type }>

/** Content beside text: bytes in base64, a link, or a file stored at the provider. */
export type Media =
  | { type: 'bytes'; mediaType: string; data: string; filename?: string | undefined }
  | { type: 'link'; url: string; mediaType: string | undefined }
  | { type: 'stored'; id: string }

/** Media types by the ending of a link; without a known ending, the provider finds out. */
const BY_ENDING: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
}

/** Reads an image, a sound or a file of a message; returns undefined for other parts. */
export function mediaOf(part: Exclude<ContentPart, { type: 'text' }>): Media | undefined {
  if (part.type === 'image_url') return ofUrl(imageUrl(part))
  if (part.type === 'input_audio') return ofAudio(part)
  if (part.type === 'file') return ofFile(part)
  return undefined
}

/** Some writers give the URL without the object around it. */
function imageUrl({ image_url: image }: Part<'image_url'>): string {
  return typeof image === 'string' ? image : image.url
}

function ofAudio({ input_audio: { data, format } }: Part<'input_audio'>): Media {
  return { type: 'bytes', mediaType: format === 'mp3' ? 'audio/mp3' : 'audio/wav', data }
}

function ofFile({ file }: Part<'file'>): Media | undefined {
  if (file.file_id !== undefined) return { type: 'stored', id: file.file_id }
  if (file.file_data === undefined) return undefined
  const media = ofUrl(file.file_data)
  if (media?.type === 'link' && !/^https?:/u.test(media.url)) {
    return { type: 'bytes', mediaType: ending(file.filename ?? '') ?? 'application/octet-stream', data: media.url }
  }
  return media?.type === 'bytes' && file.filename !== undefined ? { ...media, filename: file.filename } : media
}

function ofUrl(url: string): Media | undefined {
  const inline = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*(;base64)?,/u.exec(url)
  if (!inline) return url === '' ? undefined : { type: 'link', url, mediaType: ending(url) }
  const [head, named, base64] = inline
  const body = url.slice(head.length)
  const data = base64 ? body.replaceAll(/\s/gu, '') : btoa(unescapedBytes(body))
  return { type: 'bytes', mediaType: mediaTypeOf(named, data), data }
}

/** A data URL need not be base64; then its bytes are percent-encoded. */
function unescapedBytes(text: string): string {
  return text.replaceAll(/%([\dA-Fa-f]{2})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Providers refuse a media type such as `image/jpg`, or none, where the bytes say what they are. */
function mediaTypeOf(named: string | undefined, data: string): string {
  const seen = SIGNATURES.find(([start]) => data.startsWith(start))?.[1]
  if (seen && (named === undefined || named.startsWith('image/'))) return seen
  return named === 'image/jpg' ? 'image/jpeg' : (named ?? 'text/plain')
}

/** First characters of common formats in base64. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

function ending(url: string): string | undefined {
  const name = /\.(\w+)(?:[?#].*)?$/u.exec(url)?.[1]?.toLowerCase()
  return name === undefined || !Object.hasOwn(BY_ENDING, name) ? undefined : BY_ENDING[name]
}
