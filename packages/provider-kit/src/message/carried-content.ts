import type { ChatMessage, ContentPart } from '@x/interfaces'
import { partLine } from '@x/kernel/tool-content'
import { mediaOf, type Media } from './media.ts'

/** Rules of a request for the images, sounds and files of its messages. */
export interface ContentRules {
  /** Names of the provider as the owner of stored files; the first one stands in warnings. */
  readonly owners: readonly string[]
  /** Tells whether the result of a tool may carry some media; default: all. */
  readonly takesInResult?: ((media: Media) => boolean) | undefined
  readonly warn: (topic: string, text: string) => void
}

/**
 * Returns the content of a message as the request can carry it: a line of text stands for each file that another vendor
 * stores, and in results of tools for media that the model does not take. Other contents stay as they are.
 */
export function carriedContent({ role, content }: ChatMessage, rules: ContentRules): ChatMessage['content'] {
  if (!Array.isArray(content)) return content
  const readable = withoutForeignFiles(content, rules)
  return role === 'tool' || role === 'function' ? fitResult(readable, rules) : readable
}

/** Forms of identifiers of stored files, by vendor. */
const FILE_ID_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^(?:file-|cfile_|assistant-)/u, 'openai'],
  [/^file_(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{20,}$/u, 'anthropic'],
  [/^files\/|^gs:\/\/|^https:\/\/generativelanguage\.googleapis\.com\/.*\bfiles\//u, 'google'],
]

/** Replaces files that another vendor stores: the `provider` of a file, else the vendor with identifiers of that form. */
function withoutForeignFiles(content: ContentPart[], { owners, warn }: ContentRules): ContentPart[] {
  const isForeign = (vendor: string | undefined): vendor is string => vendor !== undefined && !owners.includes(vendor)
  if (!content.some((part) => isForeign(vendorOfPart(part)))) return content
  return content.map((part): ContentPart => {
    const vendor = vendorOfPart(part)
    if (!isForeign(vendor)) return part
    warn('content', `a file that \`${vendor}\` stores was replaced by a note: \`${owners[0]}\` cannot read it`)
    return { type: 'text', text: `[file that ${vendor} stores]` }
  })
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
  return FILE_ID_PATTERNS.find(([pattern]) => pattern.test(id))?.[1]
}

/** Replaces media of a result that the model does not take: a line lets it go on. */
function fitResult(content: ContentPart[], { takesInResult: takes, warn }: ContentRules): ContentPart[] {
  if (!takes) return content
  const isRefused = (part: ContentPart): part is Exclude<ContentPart, { type: 'text' }> => {
    const media = part.type === 'text' ? undefined : mediaOf(part)
    return media !== undefined && !takes(media)
  }
  if (!content.some(isRefused)) return content
  const fitted: ContentPart[] = []
  for (const part of content) {
    if (!isRefused(part)) {
      fitted.push(part)
      continue
    }
    const line = partLine(part)
    warn(
      'content',
      `\`${part.type}\` in the result of a tool was replaced by a line of text: the model does not take it`,
    )
    const last = fitted.at(-1)
    const before = last?.type === 'text' ? `${(fitted.pop() as typeof last).text}\n` : ''
    fitted.push({ type: 'text', text: `${before}${line}` })
  }
  return fitted
}

/** Returns the line that names an attachment behind a result. */
export function attachmentLine(name: string, part?: Exclude<ContentPart, { type: 'text' }>): string {
  const line = part ? partLine(part).slice(1, -1) : 'attachment'
  return `[${line}; see "${name}" below]`
}
