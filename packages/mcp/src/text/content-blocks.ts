import type { ContentBlock } from '@modelcontextprotocol/client'
import type { ContentPart } from '@x/interfaces'
import { partLine } from '@x/kernel/tool-content'
import { plainLine, plainText } from './plain-text.ts'

/** Media types as a server may write them. */
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/u

/** Formats of sounds that models take. */
const SOUNDS: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

/** Returns what a model is given of a block of a result: its text, its image, sound or file, or a line for what it cannot be. */
export function partOf(block: ContentBlock): ContentPart {
  return (
    (block.type === 'image' || block.type === 'audio' ? bytesPart(block.mimeType, block.data) : undefined) ??
    (block.type === 'resource' && 'blob' in block.resource
      ? bytesPart(block.resource.mimeType, block.resource.blob, block.resource.uri)
      : undefined) ?? { type: 'text', text: blockText(block) }
  )
}

function bytesPart(mimeType: string | undefined, data: string, uri?: string): ContentPart | undefined {
  const type = mimeType?.toLowerCase() ?? ''
  if (!MEDIA_TYPE.test(type)) return undefined
  const url = `data:${type};base64,${data}`
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const format = Object.hasOwn(SOUNDS, type) ? SOUNDS[type] : undefined
  if (format) return { type: 'input_audio', input_audio: { data, format } }
  if (uri === undefined || !(type === 'application/pdf' || type.startsWith('text/'))) return undefined
  const filename =
    plainLine(decoded(uri), 2000)
      .replace(/^.*[/\\]|^attachment:/u, '')
      .slice(0, 100) || 'file'
  return { type: 'file', file: { filename, file_data: url } }
}

/** An address as a person reads it, where it is one. */
function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}

/** Returns the text of a block, or the line that stands for it. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}: ${plainText(block.mimeType, 100)}, ${bytesOf(block.data)} bytes]`
    case 'resource_link':
      return `[resource: ${plainText(block.name, 200)} at ${plainText(block.uri, 2000)}]`
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return resource.text
      return `[resource: ${plainText(resource.uri, 2000)}, ${bytesOf(resource.blob)} bytes]`
    }
    default:
      return ''
  }
}

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4)

/** Returns the block of a result that a part of a tool's content is for clients. */
export function blockOf(part: ContentPart): ContentBlock {
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
