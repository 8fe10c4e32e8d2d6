import type { ContentBlock } from '@modelcontextprotocol/client'
import type { ContentPart } from '@x/interfaces'
import { partLine } from '@x/kernel/tool-content'
import { plainLine, plainText } from './plain-text.ts'

/** Media types that a server may send. */
const MEDIA_TYPE_PATTERN = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/u

/** Audio formats that models take, by media type. */
const AUDIO_FORMATS: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

/** Converts a block of a result for a model: its text, image, sound or file, or a line for an unsupported block. */
export function toContentPart(block: ContentBlock): ContentPart {
  return (
    (block.type === 'image' || block.type === 'audio' ? toMediaPart(block.mimeType, block.data) : undefined) ??
    (block.type === 'resource' && 'blob' in block.resource
      ? toMediaPart(block.resource.mimeType, block.resource.blob, block.resource.uri)
      : undefined) ?? { type: 'text', text: blockText(block) }
  )
}

function toMediaPart(mimeType: string | undefined, data: string, uri?: string): ContentPart | undefined {
  const type = mimeType?.toLowerCase() ?? ''
  if (!MEDIA_TYPE_PATTERN.test(type)) return undefined
  const url = `data:${type};base64,${data}`
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const format = Object.hasOwn(AUDIO_FORMATS, type) ? AUDIO_FORMATS[type] : undefined
  if (format) return { type: 'input_audio', input_audio: { data, format } }
  if (uri === undefined || !(type === 'application/pdf' || type.startsWith('text/'))) return undefined
  const filename =
    plainLine(decodeUri(uri), 2000)
      .replace(/^.*[/\\]|^attachment:/u, '')
      .slice(0, 100) || 'file'
  return { type: 'file', file: { filename, file_data: url } }
}

/** Decodes an address for people; a malformed one stays as it is. */
function decodeUri(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}

/** Returns the text of a block, or a line that describes it. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}: ${plainText(block.mimeType, 100)}, ${byteLength(block.data)} bytes]`
    case 'resource_link':
      return `[resource: ${plainText(block.name, 200)} at ${plainText(block.uri, 2000)}]`
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return resource.text
      return `[resource: ${plainText(resource.uri, 2000)}, ${byteLength(resource.blob)} bytes]`
    }
    default:
      return ''
  }
}

const byteLength = (base64: string): number => Math.floor((base64.length * 3) / 4)

/** Converts a part of the content of a tool to a block for clients. */
export function toContentBlock(part: ContentPart): ContentBlock {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'input_audio') {
    const { data, format } = part.input_audio
    return { type: 'audio', mimeType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav', data }
  }
  const url = part.type === 'image_url' ? part.image_url.url : part.file.file_data
  const inline = /^data:([^;,]+);base64,/u.exec(url?.slice(0, 500) ?? '')
  if (inline && url) {
    const [head, mimeType = ''] = inline
    const data = url.slice(head.length)
    if (part.type === 'image_url') return { type: 'image', mimeType, data }
    const uri = `attachment:${encodeURIComponent(part.file.filename ?? 'file')}`
    return { type: 'resource', resource: { uri, mimeType, blob: data } }
  }
  if (url?.startsWith('https:'))
    return { type: 'resource_link', uri: url, name: part.type === 'file' ? 'file' : 'image' }
  return { type: 'text', text: partLine(part) }
}
