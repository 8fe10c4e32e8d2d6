import type { ContentPart } from '@x/interfaces'
import { mediaOf, type Media, type LowerContext } from '@x/provider-kit'
import type { OpenAIKeys } from './config.ts'
import type { NamedProfile } from './endpoint-profiles.ts'

/**
 * Returns a part of a message as the endpoint takes it: bytes with their exact media type, a file with a name, and a text
 * file, which the endpoint does not take, as text.
 */
export function lowerPart(part: ContentPart): ContentPart {
  if (part.type !== 'image_url' && part.type !== 'file') return part
  if (part.type === 'file' && part.file.provider !== undefined) {
    const { provider: _provider, ...file } = part.file
    return lowerPart({ ...part, file })
  }
  const media = mediaOf(part)
  if (media?.type !== 'bytes') {
    if (part.type !== 'image_url' || !media) return part
    return withUrl(part, media.type === 'link' ? media.url : media.id)
  }
  if (part.type === 'image_url') return withUrl(part, dataUrl(media))
  const { filename = `file.${media.mediaType.replace(/^.*\//u, '')}` } = part.file
  if (media.mediaType.startsWith('text/')) return { type: 'text', text: `${filename}:\n${textOf(media)}` }
  return { ...part, file: { ...part.file, filename, file_data: dataUrl(media) } }
}

/** Returns an image with a URL; some writers leave out the object around it. */
function withUrl(part: Extract<ContentPart, { type: 'image_url' }>, url: string): ContentPart {
  const image: unknown = part.image_url
  return { ...part, image_url: typeof image === 'string' ? { url } : { ...part.image_url, url } }
}

type Bytes = Extract<Media, { type: 'bytes' }>

const dataUrl = ({ mediaType, data }: Bytes): string => `data:${mediaType};base64,${data}`

const textOf = ({ data }: Bytes): string =>
  new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))

/** Endpoints where models see images, unless the catalogue says otherwise. */
const IMAGE_ENDPOINTS: ReadonlySet<string> = new Set(['openai', 'azure'])

/** Endpoints of chat completions that take files in messages of the user. */
const FILE_ENDPOINTS: ReadonlySet<string> = new Set(['openai', 'azure', 'openrouter'])

/**
 * Makes the rule for the images, sounds and files that a model gets from results of tools; text always passes. By the
 * Responses API models read images and PDFs, by chat completions all that a user may send (`ResponseFunctionCallOutputItem`
 * and `ChatCompletionContentPart` of the SDK; https://platform.openai.com/docs/guides/function-calling).
 */
export function resultMediaRule(
  api: 'chat' | 'responses',
  { toolImages }: Pick<OpenAIKeys, 'toolImages'>,
  { name }: Pick<NamedProfile, 'name'>,
  abilities: LowerContext['abilities'],
): (media: Media) => boolean {
  const seesImages = toolImages ?? abilities?.includes('images') ?? IMAGE_ENDPOINTS.has(name)
  const takesFiles = api === 'responses' || FILE_ENDPOINTS.has(name)
  return (media) => {
    if (media.type === 'stored') return seesImages && takesFiles
    if (media.type === 'link') return seesImages && (takesFiles || media.mediaType !== 'application/pdf')
    const { mediaType } = media
    if (mediaType.startsWith('text/')) return true
    if (mediaType.startsWith('audio/')) return api === 'chat' && abilities?.includes('audio') === true
    if (mediaType === 'application/pdf') return seesImages && takesFiles
    return seesImages && mediaType.startsWith('image/')
  }
}
