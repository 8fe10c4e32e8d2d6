import type { AnswerSource } from '@x/interfaces'
import { isRecord, hasContent, joinedBase64, listOf, textAs, type AnswerBuilder } from '@x/provider-kit'
import { citationOf } from '../citation.ts'
import { logprobsOf, olderLogprobs } from '../logprobs.ts'

type Fields = Record<string, unknown>

/** The sound of a message while it is read. */
export interface OpenMedia {
  audio: { id: string; pieces: string[]; transcript: string } | undefined
}

/** Reads the fields of one answer that are neither text nor calls, in pieces or whole. */
export class DetailReader {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: DetailReader = new DetailReader(undefined)
  readonly #audioFormat: unknown
  /** Values of the latest chunk: most are repeated in each. */
  #latest: Fields | undefined
  #annotations: Set<string> | undefined
  #pages: Map<string, AnswerSource> | undefined

  /** `audioFormat` is the format of sounds in the request. */
  constructor(audioFormat: unknown) {
    this.#audioFormat = audioFormat
  }

  /** Reads fields of the answer, or of one of its chunks. */
  answer(fields: object, builder: AnswerBuilder): void {
    for (const key in fields) {
      if (READ_ANSWER_FIELDS.has(key)) continue
      const value = (fields as Fields)[key]
      if (!hasContent(value) || value === this.#latest?.[key]) continue
      ;(this.#latest ??= {})[key] = value
      if (key === 'search_results' || key === 'citations') this.#addSources(value, builder)
      else builder.extra({ [key]: value })
    }
  }

  /** Reads fields of a choice. */
  choice(fields: object, index: number, builder: AnswerBuilder): void {
    for (const key in fields) {
      if (READ_CHOICE_FIELDS.has(key)) continue
      const value = (fields as Fields)[key]
      if (!hasContent(value)) continue
      if (key === 'logprobs') addLogprobs(value, index, builder)
      else if (key === 'native_finish_reason') addFinishReason(value, fields, index, builder)
      else if (key === 'stop_reason' && typeof value === 'string')
        builder.details({ finish_details: { stop: value } }, index)
      else if (key === 'content_filter_results') {
        builder.details({ finish_details: { safety: value } }, index)
      } else builder.details({ extra: { [key]: value } }, index)
    }
  }

  /** Reads fields of a message, or of a piece of one. */
  message(fields: object, open: OpenMedia, index: number, builder: AnswerBuilder): void {
    for (const key in fields) {
      if (READ_MESSAGE_FIELDS.has(key)) continue
      const value = (fields as Fields)[key]
      if (!hasContent(value)) continue
      if (key === 'annotations') this.#addCitations(value, index, builder)
      else if (key === 'images') addImages(value, index, builder)
      else if (key === 'audio' && isRecord(value)) addAudio(value, open, index, builder)
      else builder.details({ extra: { [key]: value } }, index)
    }
  }

  /** Adds the sound of a choice that has ended. */
  end({ audio }: OpenMedia, index: number, builder: AnswerBuilder): void {
    if (!audio) return
    const format = typeof this.#audioFormat === 'string' ? this.#audioFormat : 'wav'
    const media_type = `audio/${format === 'mp3' ? 'mpeg' : format}`
    const data = joinedBase64(audio.pieces)
    const url = data === '' ? undefined : `data:${media_type};base64,${data}`
    const { id, transcript } = audio
    builder.media(
      { type: 'audio', media_type, ...textAs('url', url), ...textAs('id', id), ...textAs('transcript', transcript) },
      index,
    )
  }

  /** Adds the annotations that come for the first time. */
  #addCitations(list: unknown, index: number, builder: AnswerBuilder): void {
    const known = (this.#annotations ??= new Set())
    const isNew = (annotation: Fields): boolean => {
      const text = JSON.stringify(annotation)
      return !known.has(text) && Boolean(known.add(text))
    }
    const citations = listOf(list).filter((item): item is Fields => isRecord(item) && isNew(item))
    if (citations.length > 0) builder.details({ citations: citations.map(citationOf) }, index)
  }

  /** Adds pages; some endpoints list a page twice: by its address, and with its title. */
  #addSources(list: unknown, builder: AnswerBuilder): void {
    const pages = (this.#pages ??= new Map())
    for (const page of listOf(list)) {
      const { url, title, snippet }: Fields = isRecord(page) ? page : { url: page }
      if (typeof url !== 'string') continue
      const facts = { ...textAs('title', title), ...textAs('text', snippet) }
      const earlier = pages.get(url)
      if (earlier) {
        Object.assign(earlier, facts)
        continue
      }
      const source: AnswerSource = { type: 'url', url, ...facts }
      pages.set(url, source)
      builder.details({ sources: [source] })
    }
  }
}

/** Adds the images among some parts of a message. */
export function addImages(value: unknown, index: number, builder: AnswerBuilder): void {
  for (const part of listOf(value)) {
    const image = isRecord(part) ? part['image_url'] : undefined
    const url = isRecord(image) ? image['url'] : image
    if (typeof url !== 'string' || url === '') continue
    builder.media({ type: 'image', url, ...textAs('media_type', /^data:([^;,]+)/u.exec(url)?.[1]) }, index)
  }
}

/** Adds a piece of a sound; its transcript is the text of the message. */
function addAudio(piece: Fields, open: OpenMedia, index: number, builder: AnswerBuilder): void {
  const { id, data, transcript } = piece
  open.audio ??= { id: '', pieces: [], transcript: '' }
  if (typeof id === 'string') open.audio.id ||= id
  if (typeof data === 'string') open.audio.pieces.push(data)
  if (typeof transcript !== 'string') return
  open.audio.transcript += transcript
  builder.text(transcript, index)
}

/** Fields of an answer that are read elsewhere, or that pad a chunk. */
const READ_ANSWER_FIELDS: ReadonlySet<string> = new Set(
  'id object created model choices usage error obfuscation x_groq type'.split(' '),
)

/** Fields of a choice that are read elsewhere. */
const READ_CHOICE_FIELDS: ReadonlySet<string> = new Set('index delta message text finish_reason usage'.split(' '))

/** Fields of a message that are read elsewhere. */
const READ_MESSAGE_FIELDS: ReadonlySet<string> = new Set(
  'role content refusal reasoning_content reasoning reasoning_details function_call tool_calls'.split(' '),
)

function addFinishReason(reason: unknown, fields: object, index: number, builder: AnswerBuilder): void {
  if (typeof reason !== 'string' || reason === (fields as Fields)['finish_reason']) return
  builder.details({ finish_details: { reason } }, index)
}

function addLogprobs(value: unknown, index: number, builder: AnswerBuilder): void {
  if (!isRecord(value)) return
  const logprobs = [...logprobsOf(value['content']), ...logprobsOf(value['refusal']), ...olderLogprobs(value)]
  if (logprobs.length > 0) builder.details({ logprobs }, index)
}
