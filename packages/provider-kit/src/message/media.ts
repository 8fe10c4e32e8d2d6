import type { ContentPart } from '@x/interfaces'

type Part<Type extends ContentPart['type']> = Extract<ContentPart, { type: Type }>

/** Content beside text: bytes in base64, a link, or a file stored at the provider. */
export type Media =
  | { type: 'bytes'; mediaType: string; data: string; filename?: string | undefined }
  | { type: 'link'; url: string; mediaType: string | undefined }
  | {
      type: 'stored'
      id: string
      /** By the name of the file; `image/*` for an image of unknown type, undefined if nothing tells the type. */
      mediaType: string | undefined
    }

/** Media types by the extension of a link; for other links the provider finds out. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
}

/** Reads an image, a sound or a file of a message; returns undefined for other parts. */
export function mediaOf(part: Exclude<ContentPart, { type: 'text' }>): Media | undefined {
  if (part.type === 'image_url') return mediaOfImage(imageUrl(part))
  if (part.type === 'input_audio') return mediaOfAudio(part)
  if (part.type === 'file') return mediaOfFile(part)
  return undefined
}

/** Reads the URL of an image; some writers leave out the object around it. */
function imageUrl({ image_url: image }: Part<'image_url'>): string {
  return typeof image === 'string' ? image : image.url
}

/** Ids of stored files, which some writers give in place of a URL. */
const FILE_ID_PATTERN = /^(?:(?:file[-_]|cfile_|assistant-)[\w-]+|files\/[\w-]+)$/u

function mediaOfImage(url: string): Media | undefined {
  return FILE_ID_PATTERN.test(url) ? { type: 'stored', id: url, mediaType: 'image/*' } : mediaOfUrl(url)
}

function mediaOfAudio({ input_audio: { data, format } }: Part<'input_audio'>): Media {
  return { type: 'bytes', mediaType: format === 'mp3' ? 'audio/mp3' : 'audio/wav', data }
}

function mediaOfFile({ file }: Part<'file'>): Media | undefined {
  if (file.file_id !== undefined)
    return { type: 'stored', id: file.file_id, mediaType: mediaTypeByName(file.filename ?? '') }
  if (file.file_data === undefined) return undefined
  const media = mediaOfUrl(file.file_data)
  if (media?.type === 'link' && !/^https?:/u.test(media.url)) {
    return {
      type: 'bytes',
      mediaType: mediaTypeByName(file.filename ?? '') ?? 'application/octet-stream',
      data: media.url,
    }
  }
  return media?.type === 'bytes' && file.filename !== undefined ? { ...media, filename: file.filename } : media
}

function mediaOfUrl(url: string): Media | undefined {
  const comma = /^data:/iu.test(url) ? url.indexOf(',') : -1
  if (comma === -1) return url === '' ? undefined : { type: 'link', url, mediaType: mediaTypeByName(url) }
  const [declared = '', ...params] = url.slice('data:'.length, comma).toLowerCase().split(';')
  const body = url.slice(comma + 1)
  const data = params.includes('base64') ? body.replaceAll(/\s/gu, '') : btoa(unescapedBytes(body))
  return { type: 'bytes', mediaType: mediaTypeOf(declared.includes('/') ? declared : undefined, data), data }
}

/** Decodes the body of a data URL without base64: its bytes are percent-encoded, and some writers leave letters as they are. */
function unescapedBytes(text: string): string {
  const ascii = text.replaceAll(/[^\p{ASCII}]/gu, (letter) => encodeURIComponent(letter.toWellFormed()))
  return ascii.replaceAll(/%([\dA-Fa-f]{2})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Returns the media type of bytes, by their first ones if they are an image: providers refuse `image/jpg` and a missing type. */
function mediaTypeOf(declared: string | undefined, data: string): string {
  const detected = IMAGE_SIGNATURES.find(([start]) => data.startsWith(start))?.[1]
  if (detected && (declared === undefined || declared.startsWith('image/'))) return detected
  return declared === 'image/jpg' ? 'image/jpeg' : (declared ?? 'text/plain')
}

/** First characters of image formats in base64. */
const IMAGE_SIGNATURES: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

function mediaTypeByName(url: string): string | undefined {
  const [path = ''] = url.split(/[?#]/u, 1)
  const extension = /^\w+$/u.exec(path.slice(path.lastIndexOf('.') + 1))?.[0].toLowerCase()
  return extension === undefined || !Object.hasOwn(MEDIA_TYPES, extension) ? undefined : MEDIA_TYPES[extension]
}
