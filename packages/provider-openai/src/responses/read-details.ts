import type { AnswerSource } from '@x/interfaces'
import { isRecord, hasContent, textAs, type AnswerBuilder } from '@x/provider-kit'
import { citationOf } from '../citation.ts'
import { logprobsOf } from '../logprobs.ts'
import { recordsIn, without, type Item } from './own-items.ts'
import type { WireResponse } from './wire-types.ts'

/** Reads what stands beside the texts of a message; `before` is the length of the texts of earlier ones. */
export function readMessage(parts: readonly Item[], before: number, answer: AnswerBuilder): void {
  let at = before
  for (const part of parts) {
    const { text, annotations, logprobs } = part
    const citations = recordsIn(annotations).map((raw) => {
      const { start, end, ...rest } = citationOf(raw)
      return { ...(start !== undefined && { start: start + at }), ...(end !== undefined && { end: end + at }), ...rest }
    })
    if (citations.length > 0) answer.details({ citations })
    const tokens = logprobsOf(logprobs)
    if (tokens.length > 0) answer.details({ logprobs: tokens })
    if (typeof text === 'string') at += text.length
  }
}

/** Reads an item that is neither a message nor reasoning nor a call of the caller's tools. */
export function readItem(item: Item, answer: AnswerBuilder): void {
  const type = String(item['type'])
  const sources = sourcesOf(item)
  if (sources.length > 0) answer.details({ sources })
  for (const { url } of recordsIn(item['outputs'])) {
    if (typeof url === 'string') answer.media({ type: 'image', url, ...textAs('media_type', mediaTypeOf(url)) })
  }
  const { result, output_format: format, id } = item
  if (type !== 'image_generation_call' || typeof result !== 'string') {
    answer.part(type, item)
    return
  }
  const media_type = `image/${typeof format === 'string' ? format : 'png'}`
  answer.media({ type: 'image', url: `data:${media_type};base64,${result}`, media_type, ...textAs('id', id) })
  // The image itself is part of the content.
  answer.details({ provider_parts: [without(item, 'result')] })
}

const mediaTypeOf = (url: string): string | undefined => /^data:([^;,]+)/u.exec(url)?.[1]

function sourcesOf({ type, action, queries, results }: Item): AnswerSource[] {
  if (type === 'web_search_call' && isRecord(action)) {
    const { query, sources, url } = action
    return [
      ...(typeof query === 'string' && query !== '' ? [{ type: 'search', text: query }] : []),
      ...[...recordsIn(sources), ...(url === undefined ? [] : [{ url }])].flatMap(
        ({ url: page, title }): AnswerSource[] =>
          typeof page === 'string' ? [{ type: 'url', url: page, ...textAs('title', title) }] : [],
      ),
    ]
  }
  if (type !== 'file_search_call') return []
  const asked: unknown[] = Array.isArray(queries) ? queries : []
  return [
    ...asked.flatMap((text): AnswerSource[] => (typeof text === 'string' ? [{ type: 'search', text }] : [])),
    ...recordsIn(results).map(({ file_id: file, filename, text }) => ({
      type: 'file',
      ...textAs('file_id', file),
      ...textAs('title', filename),
      ...textAs('text', text),
    })),
  ]
}

/** Fields of an answer that are read elsewhere, or that repeat the request. */
const READ: ReadonlySet<string> = new Set(
  `id object created_at completed_at model status output output_text error incomplete_details usage instructions tools
  tool_choice parallel_tool_calls temperature top_p top_logprobs max_output_tokens max_tool_calls previous_response_id
  presence_penalty frequency_penalty reasoning store text truncation user metadata prompt prompt_cache_key
  prompt_cache_retention safety_identifier background include input`.split(/\s+/u),
)

/** Adds the fields of an answer that have no place of their own. */
export function readRest(response: WireResponse, answer: AnswerBuilder): void {
  for (const [key, value] of Object.entries(response)) {
    if (!READ.has(key) && hasContent(value)) answer.extra({ [key]: value })
  }
}
