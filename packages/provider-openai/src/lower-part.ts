import type { ContentPart } from '@x/interfaces'
import { mediaOf, type Media } from '@x/provider-kit'

/**
 * Returns a part of a message as the endpoint takes it: bytes with their exact media type, a file with a name, and a file
 * of text, which it does not take, as its text.
 */
export function lowerPart(part: ContentPart): ContentPart {
  if (part.type !== 'image_url' && part.type !== 'file') return part
  if (part.type === 'file' && part.file.provider !== undefined) {
    const { provider: _provider, ...file } = part.file
    return lowerPart({ ...part, file })
  }
  const media = mediaOf(part)
  if (media?.type !== 'bytes')
    return part.type === 'image_url' && media?.type === 'link' ? linked(part, media.url) : part
  if (part.type === 'image_url') return linked(part, dataUrl(media))
  const { filename = `file.${media.mediaType.replace(/^.*\//u, '')}` } = part.file
  if (media.mediaType.startsWith('text/')) return { type: 'text', text: `${filename}:\n${textOf(media)}` }
  return { ...part, file: { ...part.file, filename, file_data: dataUrl(media) } }
}

/** Some writers give the URL without the object around it. */
function linked(part: Extract<ContentPart, { type: 'image_url' }>, url: string): ContentPart {
  const image: unknown = part.image_url
  return { ...part, image_url: typeof image === 'string' ? { url } : { ...part.image_url, url } }
}

type Bytes = Extract<Media, { type: 'bytes' }>

const dataUrl = ({ mediaType, data }: Bytes): string => `data:${mediaType};base64,${data}`

const textOf = ({ data }: Bytes): string =>
  new TextDecoder().decode(Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0)))
