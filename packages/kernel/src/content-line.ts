import type { ContentPart } from '@x/interfaces'

/** A part of a content that is not text. */
export type MediaPart = Exclude<ContentPart, { type: 'text' }>

/** Most characters of a name or URL in a line. */
const LONGEST = 200

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
export function urlOf({ image_url: image }: Extract<ContentPart, { type: 'image_url' }>): unknown {
  return typeof image === 'string' ? image : (image as { url?: unknown } | undefined)?.url
}

function urlFacts(url: unknown): string[] {
  if (typeof url !== 'string') return []
  const type = /^data:([\w.+-]+\/[\w.+-]+)/u.exec(url)?.[1]
  if (/^https?:/iu.test(url)) return [shortLine(url)]
  return [...(type === undefined ? [] : [shortLine(type)]), sizeOf(url.slice(url.indexOf(',') + 1))]
}

const sizeOf = (base64: unknown): string => `${bytesOf(typeof base64 === 'string' ? base64 : '')} bytes`

/** Returns how many bytes a base64 text stands for. */
export function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor(((base64.length - padding) * 3) / 4)
}

/** Others wrote it: without controls, brackets and line ends. */
function shortLine(text: unknown): string {
  const clean = String(text)
    .slice(0, LONGEST + 1)
    .replaceAll(/[^\P{C}]|[[\]\s]/gu, ' ')
    .trim()
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean
}
