import type { ChatMessage, ContentPart } from '@x/interfaces'
import { partLine } from '@x/kernel/tool-content'
import { mediaOf, type Media } from './media.ts'

/** Rules of a request for images, sounds and files in results of tools. */
export interface ResultRules {
  /** Tells whether a request may carry them; default: all. */
  readonly takesInResult?: ((media: Media) => boolean) | undefined
  readonly warn: (topic: string, text: string) => void
}

/**
 * Returns the content of a tool's result without the images, sounds and files that the request cannot carry: a line of text
 * stands for each, since a model that cannot read them is better told than refused. Other contents are the same objects.
 */
export function fitResult(
  content: ChatMessage['content'],
  { takesInResult: takes, warn }: ResultRules,
): ChatMessage['content'] {
  if (!takes || !Array.isArray(content)) return content
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

/** Stands before attachments, which some providers take from the user alone. */
export const ATTACHMENTS = 'Attachments of the results of tools. The user did not write or send them.'

/** Returns the line of a result that names an attachment behind it. */
export function attachmentLine(name: string, part?: Exclude<ContentPart, { type: 'text' }>): string {
  const line = part ? partLine(part).slice(1, -1) : 'attachment'
  return `[${line}; see "${name}" below]`
}
