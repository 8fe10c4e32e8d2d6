import type { AnswerDetails, AnswerSource, Citation } from '@x/interfaces'
import { isRecord, hasContent, joinedBase64, listOf, textAs, type AnswerBuilder } from '@x/provider-kit'

type TokenLogprob = NonNullable<AnswerDetails['logprobs']>[number]

type Fields = Readonly<Record<string, unknown>>

/** Fields of a candidate that are read elsewhere. */
const READ_FIELDS: ReadonlySet<string> = new Set('index content finishReason tokenCount partial'.split(' '))

/** Collects the fields of a candidate beside its content; most come once, some in each chunk. */
export function collectDetails(candidate: object, into: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(candidate) as [string, unknown][]) {
    if (READ_FIELDS.has(key) || !hasContent(value)) continue
    const earlier = into[key]
    into[key] = isRecord(value) && isRecord(earlier) ? joinFields(earlier, value, key === 'logprobsResult') : value
  }
}

/** Joins two pieces of an object: later fields win, but lists of tokens grow. */
function joinFields(earlier: Fields, later: Fields, growing: boolean): Fields {
  if (!growing) return { ...earlier, ...later }
  const lists = Object.entries(later).map(([key, value]) => [
    key,
    Array.isArray(value) ? [...listOf(earlier[key]), ...(value as unknown[])] : value,
  ])
  return { ...earlier, ...Object.fromEntries(lists) }
}

/** Adds the collected fields of a candidate to the answer; `text` is the whole text of the candidate. */
export function readDetails(collected: Fields, text: string, answer: AnswerBuilder, index: number): void {
  for (const [key, value] of Object.entries(collected)) {
    if (key === 'groundingMetadata' && isRecord(value)) readGrounding(value, text, answer, index)
    else if (key === 'citationMetadata' && isRecord(value)) {
      const citations = [...listOf(value['citationSources']), ...listOf(value['citations'])].filter(isRecord)
      answer.details({ citations: citations.map((raw) => citationOf(raw, text)) }, index)
    } else if (key === 'urlContextMetadata' && isRecord(value)) {
      const sources = listOf(value['urlMetadata']).flatMap((page): AnswerSource[] =>
        isRecord(page) && typeof page['retrievedUrl'] === 'string' ? [{ type: 'url', url: page['retrievedUrl'] }] : [],
      )
      answer.details({ sources, extra: { urlContextMetadata: value } }, index)
    } else if (key === 'logprobsResult' && isRecord(value)) answer.details({ logprobs: logprobsOf(value) }, index)
    else if (key === 'safetyRatings') answer.details({ finish_details: { safety: value } }, index)
    else if (key === 'finishMessage' && typeof value === 'string') {
      answer.details({ finish_details: { message: value } }, index)
    } else answer.details({ extra: { [key]: value } }, index)
  }
}

function readGrounding(grounding: Fields, text: string, answer: AnswerBuilder, index: number): void {
  const { webSearchQueries: queries, groundingChunks: chunks, groundingSupports: supports, ...rest } = grounding
  const pages = listOf(chunks).map(pageOf)
  const sources = [
    ...listOf(queries).flatMap((query): AnswerSource[] =>
      typeof query === 'string' ? [{ type: 'search', text: query }] : [],
    ),
    ...pages.flatMap((page) => page ?? []),
  ]
  const citations = listOf(supports).flatMap((support): Citation[] => {
    if (!isRecord(support)) return []
    const { segment, groundingChunkIndices: indices } = support
    const place = isRecord(segment) ? placeOf(segment, text) : {}
    return listOf(indices).map((at) => {
      const { url, title } = (typeof at === 'number' && pages[at]) || {}
      return { ...place, ...textAs('url', url), ...textAs('title', title), raw: support }
    })
  })
  answer.details({ sources, citations }, index)
  if (hasContent(rest)) answer.details({ extra: { groundingMetadata: rest } }, index)
}

function pageOf(chunk: unknown): AnswerSource | undefined {
  const page = isRecord(chunk) ? Object.values(chunk).find(isRecord) : undefined
  if (!page) return undefined
  const { uri, title, text } = page
  return { type: 'url', ...textAs('url', uri), ...textAs('title', title), ...textAs('text', text) }
}

function citationOf(raw: Record<string, unknown>, text: string): Citation {
  return { ...placeOf(raw, text), ...textAs('url', raw['uri']), ...textAs('title', raw['title']), raw }
}

/** Returns the place of a segment in a text; the provider counts bytes of UTF-8. */
function placeOf({ startIndex = 0, endIndex, text: quote }: Fields, text: string): { start?: number; end?: number } {
  if (typeof startIndex !== 'number' || typeof endIndex !== 'number') return {}
  const [start, end] = [indexOfByte(text, startIndex), indexOfByte(text, endIndex)]
  if (typeof quote !== 'string' || quote === '' || text.slice(start, end) === quote) return { start, end }
  const place = text.indexOf(quote)
  return place === -1 ? { start, end } : { start: place, end: place + quote.length }
}

function indexOfByte(text: string, bytes: number): number {
  let left = bytes
  let at = 0
  while (left > 0 && at < text.length) {
    const code = text.codePointAt(at)!
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
    at += code < 0x1_0000 ? 1 : 2
  }
  return at
}

function logprobsOf({ chosenCandidates: chosen, topCandidates: tops }: Fields): TokenLogprob[] {
  return listOf(chosen).flatMap((candidate, at): TokenLogprob[] => {
    const token = logprobOf(candidate)
    const top = listOf(tops)[at]
    const others = (isRecord(top) ? listOf(top['candidates']) : []).flatMap((other) => logprobOf(other) ?? [])
    return token ? [{ ...token, ...(others.length > 0 && { top_logprobs: others }) }] : []
  })
}

function logprobOf(value: unknown): TokenLogprob | undefined {
  if (!isRecord(value)) return undefined
  const { token, logProbability: logprob } = value
  return typeof token === 'string' && typeof logprob === 'number' ? { token, logprob } : undefined
}

/** Sound of a candidate that arrives in pieces. */
export interface OpenSound {
  readonly type: string
  readonly pieces: string[]
}

/**
 * Reads a part that is neither text nor a call: an image, a piece of a sound, or a part that only the provider can read.
 * Returns whether it is a whole part; the pieces of a sound become one at its end.
 */
export function readPart(
  part: Fields,
  open: { sound: OpenSound | undefined },
  answer: AnswerBuilder,
  index: number,
): boolean {
  const { inlineData: inline, fileData: file } = part
  if (isRecord(inline) && typeof inline['data'] === 'string') {
    const { data, mimeType } = inline
    const type = typeof mimeType === 'string' ? mimeType : 'image/png'
    if (!type.startsWith('audio/')) {
      answer.media({ type: kindOf(type), url: `data:${type};base64,${data}`, media_type: type }, index)
      return true
    }
    ;(open.sound ??= { type, pieces: [] }).pieces.push(data)
    return false
  }
  if (isRecord(file) && typeof file['fileUri'] === 'string') {
    const { fileUri: url, mimeType } = file
    const type = typeof mimeType === 'string' ? mimeType : ''
    answer.media({ type: kindOf(type), url, ...textAs('media_type', type) }, index)
    return true
  }
  const { thought: _, thoughtSignature: __, ...fields } = part
  const kind = Object.keys(fields)[0]
  if (kind !== undefined) answer.part(kind, { [kind]: fields[kind] }, index)
  return true
}

const kindOf = (type: string): 'image' | 'audio' | 'video' | 'file' =>
  (/^(?:image|audio|video)(?=\/)/u.exec(type)?.[0] as 'image' | 'audio' | 'video' | undefined) ?? 'file'

/** Adds the whole sound of a candidate; returns it as one part. */
export function endSound(
  open: { sound: OpenSound | undefined },
  answer: AnswerBuilder,
  index: number,
): Fields | undefined {
  const { sound } = open
  open.sound = undefined
  if (!sound) return undefined
  const data = joinedBase64(sound.pieces)
  answer.media({ type: 'audio', url: `data:${sound.type};base64,${data}`, media_type: sound.type }, index)
  return { inlineData: { mimeType: sound.type, data } }
}
