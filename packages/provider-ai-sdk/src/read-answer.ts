import type { AnswerDetails } from '@x/interfaces'
import {
  isRecord,
  modelFailure,
  normalizeUsage,
  parseJson,
  type AnswerBuilder,
  type AnswerReader,
  type LowerContext,
} from '@x/provider-kit'
import { failureOf } from './errors.ts'
import type { GenerateResult, Part, PartUsage, ResponseFacts } from './model-types.ts'
import { withOptions, type OwnData, type Place } from './own-data.ts'

/** Reads one answer: the parts of a stream, or a complete answer. `model` names the model that own data goes back to. */
export function createReader(model: string, warn: LowerContext['warn']): AnswerReader {
  return new PartReader(model, warn)
}

/** A place while its part is read. */
type OpenPlace = { text: number; options?: unknown } | { opaque: Part } | CallPlace

/** The place of a call. */
interface CallPlace {
  readonly call: true
  options?: unknown
}

/** A call of which pieces have arrived. */
interface OpenCall {
  readonly place: CallPlace
  /** Number of the call in the answer; undefined until its arguments are known to be JSON. */
  readonly call: number | undefined
  /** Its arguments so far. */
  input: string
}

class PartReader implements AnswerReader {
  readonly #model: string
  readonly #warn: LowerContext['warn']
  readonly #places: OpenPlace[] = []
  /** Texts and reasoning that are open, by the ids of the stream. */
  readonly #open = new Map<unknown, { place: OpenPlace; start: number }>()
  readonly #calls = new Map<unknown, OpenCall>()
  /** Number of characters of the text so far. */
  #length = 0

  constructor(model: string, warn: LowerContext['warn']) {
    this.#model = model
    this.#warn = warn
  }

  whole(body: unknown, answer: AnswerBuilder): void {
    const { content, finishReason, usage, providerMetadata, response, warnings } = body as GenerateResult
    this.#warnings(warnings)
    start(response ?? {}, answer)
    for (const part of content ?? []) this.push(part, answer)
    this.#finish({ finishReason, usage, providerMetadata }, answer)
  }

  push(frame: unknown, answer: AnswerBuilder): boolean {
    const part = frame as Part
    switch (part.type) {
      case 'stream-start':
        this.#warnings(part['warnings'])
        return false
      case 'response-metadata':
        start(part as ResponseFacts, answer)
        return false
      case 'finish':
        this.#finish(part as GenerateResult, answer)
        return true
      case 'error':
        throw failureOf(part['error'])
      default:
        if (part.type.startsWith('text') || part.type.startsWith('reasoning')) this.#pushText(part, answer)
        else if (part.type.startsWith('tool-')) this.#pushCall(part, answer)
        else this.#pushOther(part, answer)
        return false
    }
  }

  #pushText(part: Part, answer: AnswerBuilder): void {
    const { type, id } = part
    switch (type) {
      case 'text':
      case 'reasoning':
        this.#begin(part, answer, this.#length)
        this.#add(part, part['text'], answer)
        this.#end(part, answer)
        return
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part, answer, this.#length)
        return
      case 'text-delta':
      case 'reasoning-delta':
        if (!this.#open.has(id)) this.#begin(part, answer, this.#length)
        this.#add(part, part['delta'], answer)
        return
      case 'text-end':
      case 'reasoning-end':
        this.#end(part, answer)
        return
      case 'reasoning-file':
        this.#places.push({ opaque: returned(part) })
    }
  }

  #begin({ type, id, providerMetadata }: Part, answer: AnswerBuilder, at: number): void {
    const place: OpenPlace = type.startsWith('text') ? { text: 0 } : { opaque: { type: 'reasoning', text: '' } }
    this.#places.push(place)
    this.#open.set(id, { place, start: at })
    this.#addOptions(place, providerMetadata)
    // A text that stays empty is a beginning, too.
    answer.start({})
  }

  #add({ id, providerMetadata }: Part, piece: unknown, answer: AnswerBuilder): void {
    const { place } = this.#open.get(id)!
    const text = typeof piece === 'string' ? piece : ''
    if ('text' in place) {
      place.text += text.length
      this.#length += text.length
      answer.text(text)
    } else if ('opaque' in place) {
      place.opaque = { ...place.opaque, text: String(place.opaque['text']) + text }
      answer.reasoning(text)
    }
    this.#addOptions(place, providerMetadata)
  }

  #end({ id, providerMetadata, citations }: Part, answer: AnswerBuilder): void {
    const open = this.#open.get(id)
    if (!open) return
    this.#open.delete(id)
    this.#addOptions(open.place, providerMetadata)
    if (Array.isArray(citations) && citations.length > 0) {
      answer.details({ citations: citations.filter(isRecord).map((each) => citationOf(each, open.start)) })
    }
  }

  /** Sets metadata of a part, which goes back as its options; each later one is whole. */
  #addOptions(place: OpenPlace, metadata: unknown): void {
    if (!isRecord(metadata)) return
    if ('opaque' in place) place.opaque = withOptions(place.opaque, metadata)
    else place.options = metadata
  }

  #pushCall(part: Part, answer: AnswerBuilder): void {
    const { type, id, toolName } = part
    const isOurs = part['providerExecuted'] !== true
    switch (type) {
      case 'tool-input-start': {
        if (!isOurs) return
        const place: CallPlace = { call: true }
        this.#places.push(place)
        // Arguments that are no JSON come with the call.
        const isJson = part['inputEncoding'] !== 'text'
        const call = isJson ? answer.callStart({ id: textOf(id), name: textOf(toolName) }) : undefined
        this.#calls.set(id, { place, call, input: '' })
        this.#addOptions(place, part['providerMetadata'])
        return
      }
      case 'tool-input-delta': {
        const open = this.#calls.get(id)
        if (open?.call !== undefined) addInput(open.call, open, textOf(part['delta']), answer)
        return
      }
      // The call follows with its whole input.
      case 'tool-input-end':
        return
      case 'tool-call':
        if (isOurs) this.#callOf(part, answer)
        else this.#opaque(returned(part), part, answer)
        return
      case 'tool-result':
        if (part['preliminary'] !== true) this.#opaque(returned(part), part, answer)
        return
      default:
        answer.part(type, plain(part))
    }
  }

  #callOf(part: Part, answer: AnswerBuilder): void {
    const { toolCallId: id, toolName, input } = part
    let open = this.#calls.get(id)
    if (!open) {
      const place: CallPlace = { call: true }
      this.#places.push(place)
      open = { place, call: undefined, input: '' }
      this.#calls.set(id, open)
    }
    this.#addOptions(open.place, part['providerMetadata'])
    const call = open.call ?? answer.callStart({ id: textOf(id), name: textOf(toolName) })
    addInput(call, open, restOf(typeof input === 'string' ? input : (JSON.stringify(input) ?? ''), open.input), answer)
    answer.callEnd(call)
  }

  /** Keeps a use of a tool of the provider, which only the model can read. */
  #opaque(opaque: Part, part: Part, answer: AnswerBuilder): void {
    this.#places.push({ opaque })
    answer.part(textOf(part['toolName']) || part.type, plain(part))
  }

  #pushOther(part: Part, answer: AnswerBuilder): void {
    switch (part.type) {
      case 'source': {
        const { sourceType, url, title, providerMetadata } = part
        const passage = passageOf(providerMetadata)
        if (passage) answer.details({ citations: [citationOf({ source: part, ...passage }, 0)] })
        const titled = typeof title === 'string' ? { title } : {}
        const source = sourceType === 'url' ? { type: 'url', url: textOf(url) } : { type: 'file' }
        answer.details({ sources: [{ ...source, ...titled }] })
        return
      }
      case 'file': {
        const mediaType = textOf(part['mediaType'])
        const url = urlOf(part['data'], mediaType)
        answer.media({ type: kindOfMedia(mediaType), ...(url !== undefined && { url }), media_type: mediaType })
        this.#places.push({ opaque: returned(part) })
        return
      }
      case 'custom':
        this.#places.push({ opaque: returned(part) })
        answer.part(textOf(part['kind']) || 'custom', plain(part))
    }
  }

  #warnings(warnings: unknown): void {
    if (!Array.isArray(warnings)) return
    for (const warning of warnings.filter(isRecord)) {
      const { type, feature, setting, details, message } = warning
      const subject = textOf(feature ?? setting)
      const words = textOf(details ?? message)
      const text = subject === '' ? words : `\`${subject}\` is ${String(type)}${words && `: ${words}`}`
      this.#warn(`ai-sdk ${subject || words}`, `\`${this.#model}\`: ${text}`)
    }
  }

  #finish({ finishReason, usage, providerMetadata }: GenerateResult, answer: AnswerBuilder): void {
    answer.usage(usageOf(usage))
    if (isRecord(providerMetadata)) answer.extra({ providerMetadata: plain(providerMetadata) })
    const { unified, raw } = isRecord(finishReason) ? finishReason : { unified: finishReason, raw: undefined }
    if (unified === 'error') {
      const details = { code: raw, inAnswer: true }
      throw modelFailure('server', `the answer ended with an error: \`${textOf(raw) || unified}\``, { details })
    }
    // The packages tell an end also where a stream broke off: without a word of the provider, there was none.
    if ((unified === 'other' || unified === 'interrupted') && raw === undefined) return
    const isTold = this.#places.some((place) => 'opaque' in place || place.options !== undefined)
    if (isTold) answer.own(plain({ model: this.#model, places: this.#places as Place[] } satisfies OwnData))
    const reason = reasonOf(textOf(unified), textOf(raw), answer.calls() > 0)
    if (textOf(raw) !== '' && raw !== reason) answer.details({ finish_details: { reason: textOf(raw) } })
    answer.finish(reason)
  }
}

function addInput(call: number, open: OpenCall, piece: string, answer: AnswerBuilder): void {
  open.input += piece
  answer.callDelta(call, piece)
}

/** Returns what pieces lack of the whole input of their call; fails with kind `server` if they are those of another input. */
function restOf(whole: string, pieces: string): string {
  if (whole.startsWith(pieces)) return whole.slice(pieces.length)
  const isSame = whole === '' || JSON.stringify(parseJson(whole)) === JSON.stringify(parseJson(pieces))
  if (isSame) return ''
  throw modelFailure('server', 'the pieces of a call have another input than the call')
}

/** Finish reasons with names of their own. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
}

/** Returns the reason of an end: a use of the provider's own tools leaves nothing to call. */
function reasonOf(unified: string, raw: string, hasCalls: boolean): string {
  if (unified === 'tool-calls' && !hasCalls) return 'stop'
  return Object.hasOwn(FINISH_REASONS, unified) ? FINISH_REASONS[unified]! : (raw || unified).toLowerCase()
}

function usageOf(usage: PartUsage | null | undefined): ReturnType<typeof normalizeUsage> {
  const { inputTokens, outputTokens, raw } = usage ?? {}
  return normalizeUsage({
    prompt: inputTokens?.total,
    completion: outputTokens?.total,
    cached: inputTokens?.cacheRead,
    cacheWrite: inputTokens?.cacheWrite,
    reasoning: outputTokens?.reasoning,
    raw: raw === undefined ? undefined : plain(raw as object),
  })
}

function start({ id, modelId, timestamp }: ResponseFacts, answer: AnswerBuilder): void {
  const created = timestamp instanceof Date ? Math.floor(timestamp.getTime() / 1000) : undefined
  answer.start({ id, model: modelId, created })
}

/** Returns an opaque part in the form in which a prompt takes it. */
function returned(part: Part): Part {
  const { providerMetadata, ...rest } = part
  const { type, toolCallId, toolName } = part
  if (type === 'tool-call') {
    const input = typeof part['input'] === 'string' ? (parseJson(part['input']) ?? {}) : part['input']
    return withOptions({ type, toolCallId, toolName, input, providerExecuted: true }, providerMetadata)
  }
  if (type === 'tool-result') {
    const output = { type: part['isError'] === true ? 'error-json' : 'json', value: part['result'] }
    return withOptions({ type, toolCallId, toolName, output }, providerMetadata)
  }
  return withOptions({ ...rest, type }, providerMetadata)
}

function citationOf(citation: Record<string, unknown>, start: number): NonNullable<AnswerDetails['citations']>[number] {
  const { source, startIndex, endIndex, citedText } = citation
  const { url, title } = isRecord(source) ? source : {}
  return {
    ...(typeof startIndex === 'number' && { start: start + startIndex }),
    ...(typeof endIndex === 'number' && { end: start + endIndex }),
    ...(typeof url === 'string' && { url }),
    ...(typeof title === 'string' && { title }),
    ...(typeof citedText === 'string' && { quote: citedText }),
    raw: plain(citation),
  }
}

/** Returns the passage of the answer that rests on a source, which some packages have in the metadata of it. */
function passageOf(metadata: unknown): { startIndex: number; endIndex: number } | undefined {
  const own = isRecord(metadata) ? Object.values(metadata).find(isRecord) : undefined
  const { start: startIndex, end: endIndex } = own ?? {}
  return typeof startIndex === 'number' && typeof endIndex === 'number' ? { startIndex, endIndex } : undefined
}

/** Returns the URL of a file, or its bytes as a `data:` URL. */
function urlOf(data: unknown, mediaType: string): string | undefined {
  const value: unknown = isRecord(data) && 'type' in data ? (data['data'] ?? data['url']) : data
  if (value instanceof URL) return value.href
  if (isRecord(data) && data['type'] === 'url') return textOf(value)
  if (value instanceof Uint8Array) return `data:${mediaType};base64,${base64Of(value)}`
  return typeof value === 'string' ? `data:${mediaType};base64,${value}` : undefined
}

function kindOfMedia(mediaType: string): 'image' | 'audio' | 'video' | 'file' {
  const [top] = mediaType.split('/', 1)
  return top === 'image' || top === 'audio' || top === 'video' ? top : 'file'
}

/** Characters that are made of bytes at once: more would be too many arguments of one call. */
const CHUNK_BYTES = 8192

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES))
  }
  return btoa(text)
}

/** Copies a value as plain data: bytes become base64, URLs texts. */
function plain<T extends object>(value: T): T {
  const text = JSON.stringify(value, (_, each: unknown) => (each instanceof Uint8Array ? base64Of(each) : each))
  return JSON.parse(text) as T
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
