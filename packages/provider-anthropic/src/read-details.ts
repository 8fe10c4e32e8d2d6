import type { AnswerSource, Citation } from '@x/interfaces'
import { isRecord, hasContent, textAs, type AnswerBuilder } from '@x/provider-kit'
import type { Block } from './wire-types.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the citations of a block of text, from its first character to behind its last. */
export function citationsOf(citations: readonly Fields[], start: number, end: number): Citation[] {
  return citations.map((raw) => {
    const { url, source, title, document_title: document, file_id: file, cited_text: quote } = raw
    return {
      start,
      end,
      ...textAs('url', url ?? source),
      ...textAs('title', title ?? document),
      ...textAs('file_id', file),
      ...textAs('quote', quote),
      raw,
    }
  })
}

/** Reads a block that is neither text nor thinking nor a call of the caller's tools. */
export function readBlock(block: Block, answer: AnswerBuilder): void {
  const { type, content, input } = block
  const found = Array.isArray(content) ? content.filter(isRecord) : isRecord(content) ? [content] : []
  const query = isRecord(input) ? input['query'] : undefined
  const sources: AnswerSource[] = [
    ...(typeof query === 'string' && query !== '' ? [{ type: 'search', text: query }] : []),
    ...found.flatMap(({ url, title, content: page }): AnswerSource[] => {
      const named = title ?? (isRecord(page) ? page['title'] : undefined)
      return typeof url === 'string' ? [{ type: 'url', url, ...textAs('title', named) }] : []
    }),
  ]
  if (sources.length > 0) answer.details({ sources })
  for (const file of found.flatMap((each) =>
    Array.isArray(each['content']) ? each['content'].filter(isRecord) : [],
  )) {
    if (typeof file['file_id'] === 'string') answer.media({ type: 'file', id: file['file_id'] })
  }
  answer.part(type, block)
}

/** Fields of a message that are read elsewhere, or as details of its end. */
const READ: ReadonlySet<string> = new Set('id type role model content stop_reason usage error'.split(' '))

/** Reads what a message, or an event about it, says beside its content. */
export function readRest(message: object, answer: AnswerBuilder): void {
  for (const [key, value] of Object.entries(message) as [string, unknown][]) {
    if (READ.has(key) || !hasContent(value)) continue
    if (key === 'stop_sequence' && typeof value === 'string') answer.details({ finish_details: { stop: value } })
    else if (key === 'stop_details' && isRecord(value)) {
      const { explanation } = value
      answer.details({ finish_details: { ...textAs('message', explanation), raw: value } })
    } else answer.extra({ [key]: value })
  }
}
