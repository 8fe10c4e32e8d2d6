import type { AnswerSource, AnswerUsage, Citation, FinishReason } from '@x/interfaces'
import type { XError } from '@x/kernel'
import {
  hasContent,
  inBandFailure,
  isRecord,
  listOf,
  modelFailure,
  normalizeUsage,
  parseJson,
  textAs,
  type AnswerBuilder,
  type AnswerReader,
} from '@x/provider-kit'
import { baseName, isThinking, type OwnBlock, type OwnCall, type OwnData } from './own-data.ts'
import type { Block, WireEvent, WireMessage, WireUsage } from './wire-types.ts'

/** Makes a reader of one answer of a model; `jsonTool` names the tool whose arguments are the answer. */
export function createReader(model: string, jsonTool?: string): AnswerReader {
  return new MessageReader(model, jsonTool)
}

/** Characters of the name of a model that is read. */
const MAX_MODEL_LENGTH = 256

const shortModel = (model: unknown): string | undefined =>
  typeof model === 'string' ? model.slice(0, MAX_MODEL_LENGTH) : undefined

/** A content block while it is read. */
interface OpenBlock {
  readonly block: Block
  /** Number of the call, for a use of a tool of the caller. */
  readonly call: number | undefined
  /** Whether the block is the answer in JSON. */
  readonly isJson: boolean
  /** JSON text of the input so far. */
  input: string
}

class MessageReader implements AnswerReader {
  readonly #model: string
  readonly #jsonTool: string | undefined
  readonly #open = new Map<number, OpenBlock>()
  /** Order of texts, calls and opaque parts, to send the message back with. */
  readonly #places: OwnBlock[] = []
  #id: string | undefined
  /** The model that answers. */
  #answeringModel: string | undefined
  /** Id of the container in which code runs. */
  #container: string | undefined
  #usage: WireUsage = {}
  #stopReason: string | undefined
  /** Length of the text of the current block. */
  #textLength = 0
  /** Length of the text of earlier blocks. */
  #textBefore = 0
  #citations: Record<string, unknown>[] = []
  /** Text beside an answer in JSON; used only if the tool was not called. */
  #textBesideJson = ''
  #calledJson = false
  #calledOthers = false

  constructor(model: string, jsonTool: string | undefined) {
    this.#model = model
    this.#jsonTool = jsonTool
  }

  push(frame: unknown, answer: AnswerBuilder): boolean {
    const event = frame as WireEvent
    switch (event.type) {
      case 'message_start':
        this.#start(event.message, answer)
        return false
      case 'content_block_start':
        if (event.content_block) this.#startBlock(event.index ?? 0, event.content_block, answer)
        return false
      case 'content_block_delta': {
        const { index = 0, delta } = event
        const type = BLOCK_TYPES.get(delta?.type)
        // Some gateways leave out the beginning of a block.
        if (type && !this.#open.has(index)) this.#startBlock(index, { type }, answer)
        const open = this.#open.get(index)
        if (open && delta) this.#addDelta(open, delta, answer)
        return false
      }
      case 'content_block_stop':
        this.#endBlock(event.index ?? 0, answer)
        return false
      case 'message_delta':
        this.#stopReason = event.delta?.stop_reason ?? this.#stopReason
        if (event.delta?.stop_details?.explanation) this.#addText(event.delta.stop_details.explanation, answer)
        this.#readFields({ ...event.delta, context_management: event.context_management }, answer)
        this.#usage = replaceCounts(this.#usage, event.usage)
        // The answer is whole from here on, even if its connection breaks before the last event.
        if (this.#stopReason !== undefined) this.#end(answer)
        return false
      case 'message_stop':
        this.#end(answer)
        return true
      case 'error':
        throw failureIn(event)
      default:
        // Gateways tell errors without a type.
        if (event.error) throw failureIn(event)
        // A whole message in place of a stream, or an event of a newer version.
        if (event.type !== 'message') return false
        this.whole(event, answer)
        return true
    }
  }

  whole(body: unknown, answer: AnswerBuilder): void {
    const message = body as WireMessage
    if (message.error || message.type === 'error') throw failureIn(message)
    if (!Array.isArray(message.content)) throw modelFailure('server', 'the answer has no content')
    answer.start({ id: message.id, model: message.model })
    this.#answeringModel = shortModel(message.model)
    for (const [index, block] of message.content.entries()) {
      if (!block) continue
      this.#startBlock(index, block, answer)
      this.#endBlock(index, answer)
    }
    if (message.stop_details?.explanation) this.#addText(message.stop_details.explanation, answer)
    this.#readFields(message, answer)
    this.#usage = { ...message.usage }
    this.#stopReason = message.stop_reason ?? undefined
    if (this.#stopReason !== undefined) this.#end(answer)
  }

  #start(message: WireMessage | null | undefined, answer: AnswerBuilder): void {
    if (this.#id !== undefined && message?.id && message.id !== this.#id) {
      throw modelFailure('server', `a second answer \`${message.id}\` began before \`${this.#id}\` had ended`)
    }
    if (this.#id !== undefined) return
    this.#id = message?.id ?? undefined
    answer.start({ id: message?.id, model: message?.model })
    this.#answeringModel = shortModel(message?.model)
    this.#usage = { ...message?.usage }
    if (message) this.#readFields(message, answer)
  }

  #readFields(message: object, answer: AnswerBuilder): void {
    const { container } = message as { container?: unknown }
    const id = isRecord(container) ? container['id'] : undefined
    if (typeof id === 'string') this.#container = id
    readOtherFields(message, answer)
  }

  #startBlock(index: number, block: Block, answer: AnswerBuilder): void {
    if (block.type === 'tool_use') {
      const name = textIn(block['name'])
      const isJson = name === this.#jsonTool
      if (isJson) this.#calledJson = true
      else this.#calledOthers = true
      const call = isJson ? undefined : answer.callStart({ id: block['id'] as string | undefined, name })
      this.#open.set(index, { block, call, isJson, input: '' })
      if (!isJson) this.#places.push(ownCall(block))
      return
    }
    // The open block is a copy, because it changes and the frame is not ours.
    this.#open.set(index, { block: { ...block }, call: undefined, isJson: false, input: '' })
    if (block.type === 'text') {
      this.#addText(textIn(block['text']), answer)
      for (const citation of listOf(block['citations'])) this.#addCitation(citation)
    }
    if (block.type === 'thinking') answer.reasoning(textIn(block['thinking']))
  }

  #addDelta(open: OpenBlock, delta: NonNullable<WireEvent['delta']>, answer: AnswerBuilder): void {
    const { block } = open
    if (delta.type === 'text_delta') this.#addText(delta.text ?? '', answer)
    else if (delta.type === 'thinking_delta') {
      block['thinking'] = textIn(block['thinking']) + (delta.thinking ?? '')
      answer.reasoning(delta.thinking ?? '')
    } else if (delta.type === 'signature_delta') {
      block['signature'] = textIn(block['signature']) + (delta.signature ?? '')
    } else if (delta.type === 'input_json_delta') this.#addInput(open, delta.partial_json ?? '', answer)
    else if (delta.type === 'citations_delta') this.#addCitation(delta.citation)
    else if (delta.type === 'compaction_delta') {
      const { type: _, content, ...others } = delta as Record<string, unknown>
      if (typeof content === 'string') block['content'] = textIn(block['content']) + content
      for (const key in others) block[key] = others[key] ?? block[key]
    } else if (open.call === undefined && block.type !== 'text') addFields(block, delta)
  }

  #addText(text: string, answer: AnswerBuilder): void {
    if (this.#jsonTool !== undefined) this.#textBesideJson += text
    if (text === '' || this.#jsonTool !== undefined) return
    this.#textLength += text.length
    answer.text(text)
  }

  #addInput(open: OpenBlock, piece: string, answer: AnswerBuilder): void {
    if (piece === '') return
    open.input += piece
    if (open.isJson) {
      this.#textLength += piece.length
      answer.text(piece)
    } else if (open.call !== undefined) answer.callDelta(open.call, piece)
  }

  #addCitation(citation: unknown): void {
    if (isRecord(citation)) this.#citations.push({ ...citation })
  }

  #endBlock(index: number, answer: AnswerBuilder): void {
    const open = this.#open.get(index)
    if (!open) return
    this.#open.delete(index)
    const { block, call, isJson } = open
    if (call !== undefined || isJson) {
      // The input at the start is a placeholder, unless no piece came and it has fields.
      const given = open.input === '' ? (block['input'] ?? '') : ''
      const whole = typeof given === 'string' ? given : JSON.stringify(given)
      if (whole !== '' && whole !== '{}') this.#addInput(open, whole, answer)
      if (call !== undefined) answer.callEnd(call)
      else this.#endText(answer)
      return
    }
    if (block.type === 'text') {
      this.#endText(answer)
      return
    }
    if (open.input !== '') block['input'] = parseJson(open.input) ?? {}
    this.#places.push({ opaque: block })
    if (!isThinking(block)) readBlock(block, answer)
  }

  #endText(answer: AnswerBuilder): void {
    const start = this.#textBefore
    const end = start + this.#textLength
    if (this.#citations.length > 0) answer.details({ citations: citationsOf(this.#citations, start, end) })
    // Only results of the provider's search have to come back; citations of documents may not.
    const citations = this.#citations.filter((citation) => typeof citation['encrypted_index'] === 'string')
    if (this.#textLength > 0) this.#places.push({ text: this.#textLength, ...(citations.length > 0 && { citations }) })
    this.#textBefore = end
    this.#textLength = 0
    this.#citations = []
  }

  /** Finishes the answer; a later event may bring more, and finishes it again. */
  #end(answer: AnswerBuilder): void {
    for (const index of this.#open.keys()) this.#endBlock(index, answer)
    if (!this.#calledJson && this.#textBesideJson !== '') answer.text(this.#textBesideJson)
    this.#textBesideJson = ''
    const stop = this.#stopReason
    const models = [this.#model, this.#answeringModel ?? this.#model]
    const own = ownData(this.#places, { stop, models, container: this.#container })
    if (own) answer.own(own)
    answer.usage(usageOf(this.#usage))
    if (stop !== undefined && DETAILED_STOP_REASONS.has(stop)) answer.details({ finish_details: { reason: stop } })
    answer.finish(finishOf(stop, this.#calledJson && !this.#calledOthers))
  }
}

/** Types of blocks by those of their pieces. */
const BLOCK_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
])

/** Adds the fields of a delta of a later version to its block: texts grow. */
function addFields(block: Block, piece: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(piece)) {
    if (key === 'type') continue
    const earlier = block[key]
    block[key] = typeof earlier === 'string' && typeof value === 'string' ? earlier + value : (value ?? earlier)
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Statuses of errors that come before an answer. */
const ERROR_STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

function failureIn(body: { error?: unknown }): XError {
  const type = isRecord(body.error) ? body.error['type'] : undefined
  return inBandFailure(body, typeof type === 'string' ? ERROR_STATUSES[type] : undefined)
}

/** Replaces counts by those of a later event, which are totals. Gateways have zeros there for what the first event told. */
function replaceCounts(usage: WireUsage, later: WireUsage | null | undefined): WireUsage {
  const hasInput = INPUT_COUNTS.some((key) => later?.[key])
  const counts = Object.entries(later ?? {}).filter(
    ([, value]) => value !== null && value !== undefined && (value !== 0 || hasInput),
  )
  return { ...usage, ...Object.fromEntries(counts) }
}

/**
 * Returns usage; the input tokens of the provider exclude those of its cache, and its totals the tokens of compactions, which
 * are billed as well (`BetaIterationsUsage` of the SDK; https://platform.claude.com/docs/en/build-with-claude/compaction).
 */
export function usageOf(given: WireUsage): AnswerUsage | undefined {
  const wire = withCompactions(given)
  const { input_tokens: input, output_tokens: output } = wire
  const read = wire.cache_read_input_tokens ?? 0
  const written = wire.cache_creation_input_tokens ?? 0
  return normalizeUsage({
    prompt: typeof input === 'number' ? input + read + written : undefined,
    completion: output,
    cached: wire.cache_read_input_tokens,
    cacheWrite: wire.cache_creation_input_tokens,
    cacheWriteHour: wire.cache_creation?.ephemeral_1h_input_tokens,
    reasoning: wire.output_tokens_details?.thinking_tokens,
    searches: wire.server_tool_use?.web_search_requests,
    tier: wire.speed === 'fast' ? 'fast' : wire.service_tier,
    raw: given,
  })
}

/** Counts of the input, which exclude each other. */
const INPUT_COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const

/** Counts that compactions have of their own. */
const COMPACTION_COUNTS = [...INPUT_COUNTS, 'output_tokens'] as const

/** Adds the tokens of compactions to those of the answer. */
function withCompactions(wire: WireUsage): WireUsage {
  const steps = listOf(wire['iterations']).filter(isRecord)
  const compactions = steps.filter(({ type }) => type === 'compaction') as WireUsage[]
  if (compactions.length === 0) return wire
  const sum: WireUsage = { ...wire }
  for (const step of compactions) {
    for (const key of COMPACTION_COUNTS) if (typeof step[key] === 'number') sum[key] = (sum[key] ?? 0) + step[key]
    const hour = step.cache_creation?.ephemeral_1h_input_tokens
    if (hour) {
      const before = sum.cache_creation?.ephemeral_1h_input_tokens ?? 0
      sum.cache_creation = { ...sum.cache_creation, ephemeral_1h_input_tokens: before + hour }
    }
  }
  return sum
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Stop reasons that say more than their finish reason. */
const DETAILED_STOP_REASONS: ReadonlySet<string> = new Set(['stop_sequence', 'model_context_window_exceeded'])

/** Returns the finish reason; unknown reasons, such as `pause_turn`, keep their name. */
function finishOf(stop: string | undefined, jsonOnly: boolean): FinishReason {
  if (stop === undefined) return 'stop'
  if (stop === 'tool_use' && jsonOnly) return 'stop'
  return FINISH_REASONS[stop] ?? stop
}

/** Returns the data to send back with the message; undefined if text and calls suffice. */
function ownData(
  places: readonly OwnBlock[],
  {
    stop,
    models,
    container,
  }: {
    readonly stop: string | undefined
    readonly models: readonly string[]
    readonly container: string | undefined
  },
): OwnData | undefined {
  const paused = stop === 'pause_turn'
  const isOwn = (place: OwnBlock): boolean => 'opaque' in place || 'citations' in place || 'fields' in place
  if (!paused && !places.some(isOwn)) return undefined
  const thinks = places.some((place) => 'opaque' in place && isThinking(place.opaque))
  const names = [...new Set(models.map(baseName))].filter((name) => name !== '')
  return {
    blocks: places,
    ...(thinks && names.length > 0 && { models: names }),
    ...(paused && { paused }),
    ...(container !== undefined && { container }),
  }
}

/** Fields of a call that are stored with it, or say nothing. */
const CALL_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control'])

/** Returns the place of a call, with its further fields; that the model itself called is usual and not stored. */
function ownCall(block: Block): OwnCall {
  const fields = Object.entries(block).filter(([key, value]) => {
    const isDirect = key === 'caller' && isRecord(value) && value['type'] === 'direct'
    return !CALL_FIELDS.has(key) && value !== null && value !== undefined && !isDirect
  })
  return { call: true, ...(fields.length > 0 && { fields: Object.fromEntries(fields) }) }
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the citations of a block of text, from its first character to behind its last. */
function citationsOf(citations: readonly Fields[], start: number, end: number): Citation[] {
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

/** Reads a block that is neither text nor thinking nor a call of a tool of the caller. */
function readBlock(block: Block, answer: AnswerBuilder): void {
  const { type, content, input } = block
  const results = Array.isArray(content) ? content.filter(isRecord) : isRecord(content) ? [content] : []
  const query = isRecord(input) ? input['query'] : undefined
  const sources: AnswerSource[] = [
    ...(typeof query === 'string' && query !== '' ? [{ type: 'search', text: query }] : []),
    ...results.flatMap(({ url, title, content: page }): AnswerSource[] => {
      const pageTitle = title ?? (isRecord(page) ? page['title'] : undefined)
      return typeof url === 'string' ? [{ type: 'url', url, ...textAs('title', pageTitle) }] : []
    }),
  ]
  if (sources.length > 0) answer.details({ sources })
  for (const file of results.flatMap((result) => listOf(result['content']).filter(isRecord))) {
    if (typeof file['file_id'] === 'string') answer.media({ type: 'file', id: file['file_id'] })
  }
  answer.part(type, block)
}

/** Fields of a message that are read elsewhere. */
const READ_FIELDS: ReadonlySet<string> = new Set('id type role model content stop_reason usage error'.split(' '))

/** Reads the fields of a message, or of an event about it, that are read nowhere else. */
function readOtherFields(message: object, answer: AnswerBuilder): void {
  for (const [key, value] of Object.entries(message) as [string, unknown][]) {
    if (READ_FIELDS.has(key) || !hasContent(value)) continue
    if (key === 'stop_sequence' && typeof value === 'string') answer.details({ finish_details: { stop: value } })
    else if (key === 'stop_details' && isRecord(value)) {
      const { explanation } = value
      answer.details({ finish_details: { ...textAs('message', explanation), raw: value } })
    } else answer.extra({ [key]: value })
  }
}
