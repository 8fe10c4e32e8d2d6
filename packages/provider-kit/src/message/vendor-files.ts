import type { ChatMessage, ContentPart } from '@x/interfaces'

/** Vendors by the form of the identifiers that they give to files. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^(?:file-|cfile_|assistant-)/u, 'openai'],
  [/^file_(?=.*[A-Z])[A-Za-z0-9]{20,}$/u, 'anthropic'],
  [/^files\/|^gs:\/\/|^https:\/\/generativelanguage\.googleapis\.com\/.*\bfiles\//u, 'google'],
]

/**
 * Returns a content without the files that another vendor stores, which the provider cannot read: a note stands for each.
 * `names` are those of the provider. A file belongs to whom its `provider` names, else to the vendor whose identifiers look
 * like its own; others pass.
 */
export function ownFiles(
  content: ChatMessage['content'],
  names: readonly string[],
  warn: (topic: string, text: string) => void,
): ChatMessage['content'] {
  if (!Array.isArray(content) || !content.some((part) => isForeign(part, names))) return content
  return content.map((part): ContentPart => {
    const vendor = vendorOfPart(part)
    if (vendor === undefined || names.includes(vendor)) return part
    warn('content', `a file that \`${vendor}\` stores was replaced by a note: \`${names[0]}\` cannot read it`)
    return { type: 'text', text: `[file that ${vendor} stores]` }
  })
}

function isForeign(part: ContentPart, names: readonly string[]): boolean {
  const vendor = vendorOfPart(part)
  return vendor !== undefined && !names.includes(vendor)
}

function vendorOfPart(part: ContentPart): string | undefined {
  if (part.type === 'image_url') {
    const image: unknown = part.image_url
    return vendorOfId(typeof image === 'string' ? image : part.image_url?.url)
  }
  if (part.type !== 'file') return undefined
  const { provider, file_id: id, file_data: data } = part.file
  return id === undefined ? vendorOfId(data) : (provider ?? vendorOfId(id))
}

function vendorOfId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id.startsWith('data:')) return undefined
  return FORMS.find(([form]) => form.test(id))?.[1]
}
