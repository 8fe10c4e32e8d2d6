import {
  isRecord,
  normalizeUsage,
  modelFailure,
  parseJson,
  inBandFailure,
  type AnswerBuilder,
  type AnswerReader,
} from '@x/provider-kit'
import type { XError } from '@x/kernel'
import type { AnswerUsage, FinishReason } from '@x/interfaces'
import { citationsOf, readBlock, readRest } from './read-details.ts'
import { baseName, isThinking, type OwnBlock, type OwnData } from './own-data.ts'
import type { Block, WireEvent, WireMessage, WireUsage } from './wire-types.ts'

/** A content block in the making. */
interface OpenBlock {
  readonly block: Block
  /** Number of the call, for a use of one of the caller's tools. */
  readonly call: number | undefined
  /** Whether the block is the answer in JSON. */
  readonly json: boolean
  /** JSON text of the input so far. */
  input: string
}

/** Makes a reader of one answer of a model; `jsonTool` names the tool whose arguments are the answer. */
export function createReader(asked: string, jsonTool?: string): AnswerReader {
  const open = new Map<number, OpenBlock>()
  /** Order of texts, calls and opaque parts, to send the message back with. */
  const places: OwnBlock[] = []
  let textLength = 0
  /** Length of the text of earlier blocks. */
  let before = 0
  let citations: Record<string, unknown>[] = []
  let id: string | undefined
  let answering: string | undefined
  let usage: WireUsage = {}
  let stop: string | undefined
  let calledJson = false
  let otherCalls = false
  /** Text beside an answer in JSON; used only if the tool was not called. */
  let held = ''

  const addText = (text: string, answer: AnswerBuilder): void => {
    if (jsonTool !== undefined) held += text
    if (text === '' || jsonTool !== undefined) return
    textLength += text.length
    answer.text(text)
  }

  const startBlock = (index: number, block: Block, answer: AnswerBuilder): void => {
    if (block.type === 'tool_use') {
      const name = said(block['name'])
      const json = name === jsonTool
      if (json) calledJson = true
      else otherCalls = true
      const call = json ? undefined : answer.callStart({ id: block['id'] as string | undefined, name })
      open.set(index, { block, call, json, input: '' })
      if (!json) places.push({ call: true })
      return
    }
    // What changes while the block is open is a copy: the frame is not ours.
    open.set(index, { block: { ...block }, call: undefined, json: false, input: '' })
    if (block.type === 'text') {
      addText(said(block['text']), answer)
      for (const citation of list(block['citations'])) cite(citation)
    }
    if (block.type === 'thinking') answer.reasoning(said(block['thinking']))
  }

  const addDelta = (at: OpenBlock, delta: NonNullable<WireEvent['delta']>, answer: AnswerBuilder): void => {
    const { block } = at
    if (delta.type === 'text_delta') addText(delta.text ?? '', answer)
    else if (delta.type === 'thinking_delta') {
      block['thinking'] = said(block['thinking']) + (delta.thinking ?? '')
      answer.reasoning(delta.thinking ?? '')
    } else if (delta.type === 'signature_delta') {
      block['signature'] = said(block['signature']) + (delta.signature ?? '')
    } else if (delta.type === 'input_json_delta') addInput(at, delta.partial_json ?? '', answer)
    else if (delta.type === 'citations_delta') cite(delta.citation)
    else if (delta.type === 'compaction_delta') {
      if (typeof delta.content === 'string') block['content'] = said(block['content']) + delta.content
      if (typeof delta.encrypted_content === 'string') block['encrypted_content'] = delta.encrypted_content
    } else if (at.call === undefined && block.type !== 'text') addFields(block, delta)
  }

  const addInput = (at: OpenBlock, piece: string, answer: AnswerBuilder): void => {
    if (piece === '') return
    at.input += piece
    if (at.json) {
      textLength += piece.length
      answer.text(piece)
    } else if (at.call !== undefined) answer.callDelta(at.call, piece)
  }

  const cite = (citation: unknown): void => {
    if (isRecord(citation)) citations.push({ ...citation })
  }

  const endText = (answer: AnswerBuilder): void => {
    if (citations.length > 0) answer.details({ citations: citationsOf(citations, before, before + textLength) })
    before += textLength
    // Only what its own search found has to come back; of documents, the request holds more than it may.
    const found = citations.filter((citation) => typeof citation['encrypted_index'] === 'string')
    if (textLength > 0) places.push({ text: textLength, ...(found.length > 0 && { citations: found }) })
    textLength = 0
    citations = []
  }

  const endBlock = (index: number, answer: AnswerBuilder): void => {
    const at = open.get(index)
    if (!at) return
    open.delete(index)
    const { block, call, json } = at
    if (call !== undefined || json) {
      // The input at the start is a placeholder, unless no piece came and it holds something.
      const whole = at.input === '' && block['input'] !== undefined ? JSON.stringify(block['input']) : ''
      if (whole !== '' && whole !== '{}') addInput(at, whole, answer)
      if (call !== undefined) answer.callEnd(call)
      else endText(answer)
      return
    }
    if (block.type === 'text') {
      endText(answer)
      return
    }
    if (at.input !== '') block['input'] = parseJson(at.input) ?? {}
    places.push({ opaque: block })
    if (!isThinking(block)) readBlock(block, answer)
  }

  const end = (answer: AnswerBuilder): void => {
    for (const index of open.keys()) endBlock(index, answer)
    if (!calledJson && held !== '') answer.text(held)
    const own = ownData(places, stop, [asked, answering ?? asked])
    if (own) answer.own(own)
    answer.usage(usageOf(usage))
    if (stop !== undefined && SAYS_MORE.has(stop)) answer.details({ finish_details: { reason: stop } })
    answer.finish(finishOf(stop, calledJson && !otherCalls))
  }

  const push = (frame: unknown, answer: AnswerBuilder): boolean => {
    const event = frame as WireEvent
    switch (event.type) {
      case 'message_start': {
        const { message } = event
        if (id !== undefined && message?.id && message.id !== id) {
          throw modelFailure('server', `a second answer \`${message.id}\` began before \`${id}\` had ended`)
        }
        if (id !== undefined) return false
        id = message?.id ?? undefined
        answer.start({ id: message?.id, model: message?.model })
        answering = message?.model ?? undefined
        usage = { ...message?.usage }
        if (message) readRest(message, answer)
        return false
      }
      case 'content_block_start':
        if (event.content_block) startBlock(event.index ?? 0, event.content_block, answer)
        return false
      case 'content_block_delta': {
        const at = open.get(event.index ?? 0)
        if (at && event.delta) addDelta(at, event.delta, answer)
        return false
      }
      case 'content_block_stop':
        endBlock(event.index ?? 0, answer)
        return false
      case 'message_delta':
        stop = event.delta?.stop_reason ?? stop
        if (event.delta?.stop_details?.explanation) addText(event.delta.stop_details.explanation, answer)
        readRest({ ...event.delta, context_management: event.context_management }, answer)
        usage = corrected(usage, event.usage)
        return false
      case 'message_stop':
        end(answer)
        return true
      case 'error':
        throw inBand(event)
      default:
        // A whole message in place of a stream, or an event of a newer version.
        if (event.type === 'message') {
          whole(event, answer)
          return true
        }
        return false
    }
  }

  const whole = (body: unknown, answer: AnswerBuilder): void => {
    const message = body as WireMessage
    if (message.error || message.type === 'error') throw inBand(message)
    if (!Array.isArray(message.content)) throw modelFailure('server', 'the answer has no content')
    answer.start({ id: message.id, model: message.model })
    answering = message.model ?? undefined
    for (const [index, block] of message.content.entries()) {
      if (!block) continue
      startBlock(index, block, answer)
      endBlock(index, answer)
    }
    if (message.stop_details?.explanation) addText(message.stop_details.explanation, answer)
    readRest(message, answer)
    usage = { ...message.usage }
    stop = message.stop_reason ?? undefined
    if (stop !== undefined) end(answer)
  }

  return { push, whole }
}

/** Adds the fields of a piece of a later version to its block: texts grow. */
function addFields(block: Block, piece: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(piece)) {
    if (key === 'type') continue
    const earlier = block[key]
    block[key] = typeof earlier === 'string' && typeof value === 'string' ? earlier + value : (value ?? earlier)
  }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const said = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The statuses that errors have when they come before the answer. */
const STATUS: Readonly<Record<string, number>> = {
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

function inBand(body: { error?: unknown }): XError {
  const type = isRecord(body.error) ? body.error['type'] : undefined
  return inBandFailure(body, typeof type === 'string' ? STATUS[type] : undefined)
}

/** Counts of a later event are totals that replace the earlier ones, never more to add. */
function corrected(usage: WireUsage, later: WireUsage | null | undefined): WireUsage {
  const said = Object.entries(later ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return { ...usage, ...Object.fromEntries(said) }
}

/** Returns usage; the provider's input tokens exclude cached and cache-written ones. */
export function usageOf(wire: WireUsage): AnswerUsage | undefined {
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
    raw: wire,
  })
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Reasons that say more than the one they become. */
const SAYS_MORE: ReadonlySet<string> = new Set(['stop_sequence', 'model_context_window_exceeded'])

/** Returns why the model stopped; unknown reasons, such as `pause_turn`, keep their name. */
function finishOf(stop: string | undefined, jsonOnly: boolean): FinishReason {
  if (stop === undefined) return 'stop'
  if (stop === 'tool_use' && jsonOnly) return 'stop'
  return FINISH[stop] ?? stop
}

/** Returns the data to send back with the message; undefined if text and calls suffice. */
function ownData(places: readonly OwnBlock[], stop: string | undefined, names: readonly string[]): OwnData | undefined {
  const paused = stop === 'pause_turn'
  if (!paused && !places.some((place) => 'opaque' in place || 'citations' in place)) return undefined
  const thinks = places.some((place) => 'opaque' in place && isThinking(place.opaque))
  const models = [...new Set(names.map(baseName))].filter((name) => name !== '')
  return { blocks: places, ...(thinks && models.length > 0 && { models }), ...(paused && { paused }) }
}
