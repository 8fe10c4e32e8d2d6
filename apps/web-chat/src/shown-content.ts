import type { ChatMessage, ContentPart } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import type { ShownFile } from './item.ts'

/** Most characters of the URL of a file that is sent to pages: a file of about 1.5 MB. */
export const MAX_URL_LENGTH = 2_000_000

/** Most files of a line. */
const MAX_FILES = 8

/** A `data:` URL with base64, and the kind of its bytes. */
const DATA_URL_PATTERN = /^data:([a-z]+)\/([\w.+-]+);base64,[\w+/]*={0,2}$/iu

/** Formats of images that hold no scripts. */
const IMAGE_TYPES = new Set(['png', 'jpeg', 'gif', 'webp'])

/** The parts of a content that a page shows. */
interface ShownContent {
  readonly text: string
  readonly files: { readonly files?: readonly ShownFile[] }
}

/** Returns the text of a content, and its images, sounds and files; those that are not well formed stay a line of the text. */
export function shownContent(content: ChatMessage['content']): ShownContent {
  if (!Array.isArray(content)) return { text: contentText(content), files: {} }
  const files: ShownFile[] = []
  const texts: ContentPart[] = []
  for (const part of content) {
    const file = files.length < MAX_FILES ? fileOf(part, files.length + 1) : null
    if (file) files.push(file)
    else texts.push(part)
  }
  return { text: texts.length > 0 ? contentText(texts) : '', files: files.length > 0 ? { files } : {} }
}

function fileOf(part: ContentPart, number: number): ShownFile | null {
  switch (part.type) {
    case 'text':
      return null
    case 'image_url':
      return shownFile(part.image_url.url, `image-${number}`)
    case 'input_audio':
      return shownFile(`data:audio/${part.input_audio.format};base64,${part.input_audio.data}`, `sound-${number}`)
    case 'file': {
      const { filename, file_data: data } = part.file
      return data === undefined ? null : shownFile(data, filename ?? `file-${number}`)
    }
  }
}

function shownFile(url: string, name: string): ShownFile | null {
  if (url.length > MAX_URL_LENGTH) return { name: name.slice(0, 200), url: null, isImage: false }
  if (url.startsWith('https://')) return { name: name.slice(0, 200), url, isImage: false }
  const [, kind, type = ''] = DATA_URL_PATTERN.exec(url) ?? []
  if (kind === undefined) return null
  const isImage = kind.toLowerCase() === 'image' && IMAGE_TYPES.has(type.toLowerCase())
  const full = /^(?:image|sound|file)-\d+$/u.test(name) ? `${name}.${type.toLowerCase()}` : name
  return { name: full.slice(0, 200), url, isImage }
}
