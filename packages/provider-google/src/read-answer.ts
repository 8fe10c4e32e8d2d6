import type { AnswerUsage, FinishReason } from '@x/interfaces'
import {
  hasContent,
  normalizeUsage,
  modelFailure,
  inBandFailure,
  type AnswerBuilder,
  type AnswerReader,
} from '@x/provider-kit'
import { baseName, type OwnData, type OwnPart } from './own-data.ts'
import { collectDetails, endSound, readDetails, readPart, type OpenSound } from './read-details.ts'
import { addPartialArg } from './partial-args.ts'
import { pricedCounts, queriesIn } from './priced-counts.ts'
import type { WireAnswer, WireCall, WireCandidate, WirePart, WireUsage } from './wire-types.ts'

/** A candidate in the making. */
interface OpenCandidate {
  /** Order of texts, calls and opaque parts, to send the message back with. */
  readonly places: OwnPart[]
  /** A call whose arguments come in pieces. */
  partial: { readonly call: number | undefined; readonly args: Record<string, unknown> } | undefined
  calledJson: boolean
  /** Text so far. */
  text: string
  /** What it says beside its content. */
  details: Record<string, unknown>
  sound: OpenSound | undefined
  finished: boolean
  /** Text beside an answer in JSON; used only if the tool was not called. */
  held: string
}

/** Makes a reader of one answer of a model; a complete answer is one chunk. `jsonTool` names the tool whose arguments are the answer. */
export function createReader(asked: string, jsonTool?: string): AnswerReader {
  let answering = asked
  const candidates = new Map<number, OpenCandidate>()
  const usage: WireUsage = {}
  let ended = false
  let queries = 0

  const candidateAt = (index: number): OpenCandidate => {
    let candidate = candidates.get(index)
    if (!candidate) {
      candidate = {
        places: [],
        partial: undefined,
        calledJson: false,
        text: '',
        details: {},
        sound: undefined,
        finished: false,
        held: '',
      }
      candidates.set(index, candidate)
    }
    return candidate
  }

  const addText = (open: OpenCandidate, text: string, answer: AnswerBuilder, index: number): void => {
    if (text === '') return
    const last = open.places.at(-1)
    if (last && 'text' in last && last.thoughtSignature === undefined) {
      open.places[open.places.length - 1] = { text: last.text + text.length }
    } else open.places.push({ text: text.length })
    open.text += text
    answer.text(text, index)
  }

  const addPart = (open: OpenCandidate, part: WirePart, answer: AnswerBuilder, index: number): void => {
    const { text, thought, thoughtSignature: signature, functionCall } = part
    if (functionCall) {
      addCall(open, functionCall, answer, index)
      if (signature) sign(open, signature)
      return
    }
    endPartial(open, answer, index)
    if (thought === true) {
      answer.reasoning(text ?? '', index)
      // What is not signed is a summary, which the provider does not want back.
      if (signature) open.places.push({ opaque: { ...part } })
      return
    }
    if (typeof text === 'string') {
      if (jsonTool === undefined) addText(open, text, answer, index)
      else open.held += text
      if (signature) sign(open, signature)
      return
    }
    if (readPart(part, open, answer, index)) open.places.push({ opaque: { ...part } })
  }

  const addCall = (open: OpenCandidate, wire: WireCall, answer: AnswerBuilder, index: number): void => {
    const { name, args, id, partialArgs } = wire
    if (name) {
      endPartial(open, answer, index)
      const isJson = name === jsonTool
      if (isJson) open.calledJson = true
      else open.places.push({ call: true })
      const call = isJson ? undefined : answer.callStart({ id, name }, index)
      if (partialArgs || wire.willContinue) open.partial = { call, args: {} }
      else emitArgs(call, typeof args === 'string' ? args || '{}' : JSON.stringify(args ?? {}), answer, index)
    }
    for (const piece of partialArgs ?? []) if (open.partial) addPartialArg(open.partial.args, piece)
    if (!wire.willContinue) endPartial(open, answer, index)
  }

  const endPartial = (open: OpenCandidate, answer: AnswerBuilder, index: number): void => {
    const { partial } = open
    open.partial = undefined
    if (partial) emitArgs(partial.call, JSON.stringify(partial.args), answer, index)
  }

  const endCandidate = (open: OpenCandidate, wire: WireCandidate, answer: AnswerBuilder, index: number): void => {
    endPartial(open, answer, index)
    const reason = wire.finishReason!
    if (reason === 'MALFORMED_FUNCTION_CALL') {
      throw modelFailure('server', `the model made a call that cannot be read: ${wire.finishMessage ?? 'ask again'}`)
    }
    if (open.held !== '' && !open.calledJson) addText(open, open.held, answer, index)
    open.held = ''
    open.finished = true
    const sound = endSound(open, answer, index)
    if (sound) open.places.push({ opaque: sound })
    tellDetails(open, answer, index)
    if (SAYS_MORE.has(reason)) answer.details({ finish_details: { reason } }, index)
    if (open.places.some((place) => 'opaque' in place || place.thoughtSignature !== undefined)) {
      const models = [...new Set([asked, answering].map(baseName))].filter((name) => name !== '')
      answer.own({ parts: open.places, ...(models.length > 0 && { models }) } satisfies OwnData, index)
    }
    answer.finish(finishOf(reason, answer.calls(index) > 0), index)
  }

  const push = (frame: unknown, answer: AnswerBuilder): boolean => {
    const chunk = frame as WireAnswer
    if (chunk.error) throw inBandFailure(chunk)
    answer.start({ id: chunk.responseId, model: chunk.modelVersion })
    answering = chunk.modelVersion || answering
    // Counts are repeated and the last ones count; some chunks hold a part of them.
    if (chunk.usageMetadata) Object.assign(usage, chunk.usageMetadata)
    const blocked = chunk.promptFeedback?.blockReason
    for (const key in chunk) if (!READ.has(key) && hasContent(chunk[key])) answer.extra({ [key]: chunk[key] })
    if (blocked && !chunk.candidates?.length) {
      const why = chunk.promptFeedback?.blockReasonMessage
      throw modelFailure('content-filter', `the prompt was blocked: ${why ?? blocked}`, {
        details: { reason: blocked },
      })
    }
    for (const [place, candidate] of (chunk.candidates ?? []).entries()) {
      if (!candidate) continue
      const index = candidate.index ?? place
      const open = candidateAt(index)
      queries = Math.max(queries, queriesIn(candidate.groundingMetadata))
      for (const part of candidate.content?.parts ?? []) if (part) addPart(open, part, answer, index)
      collectDetails(candidate, open.details)
      // What stands beside the content may come behind the end.
      if (open.finished) tellDetails(open, answer, index)
      if (!candidate.finishReason) continue
      endCandidate(open, candidate, answer, index)
      ended = true
    }
    // Only an answer with an end has counts: they are not worked out for every piece before it.
    if (ended) answer.usage(usageOf({ ...usage }, answering, queries))
    return false
  }
  return { push }
}

/** Adds what a candidate has said beside its content since the last time. */
function tellDetails(open: OpenCandidate, answer: AnswerBuilder, index: number): void {
  const { details } = open
  open.details = {}
  readDetails(details, open.text, answer, index)
}

/** Signs what came last; a signature may come by itself, on an empty text behind what it signs. */
function sign({ places }: OpenCandidate, thoughtSignature: string): void {
  const last = places.at(-1)
  if (last && !('opaque' in last)) places[places.length - 1] = { ...last, thoughtSignature }
  else places.push({ text: 0, thoughtSignature })
}

function emitArgs(call: number | undefined, json: string, answer: AnswerBuilder, index: number): void {
  if (call === undefined) {
    answer.text(json, index)
    return
  }
  answer.callDelta(call, json, index)
  answer.callEnd(call, index)
}

function usageOf(wire: WireUsage, model: string, queries: number): AnswerUsage | undefined {
  const { promptTokenCount: prompt, candidatesTokenCount: candidates, thoughtsTokenCount: thoughts } = wire
  if (prompt === undefined && candidates === undefined) return undefined
  return normalizeUsage({
    prompt: (prompt ?? 0) + (wire.toolUsePromptTokenCount ?? 0),
    completion: (candidates ?? 0) + (thoughts ?? 0),
    total: wire.totalTokenCount,
    cached: wire.cachedContentTokenCount,
    reasoning: thoughts,
    ...pricedCounts(wire, model, queries),
    raw: wire,
  })
}

/** Fields of an answer that are read elsewhere. */
const READ: ReadonlySet<string> = new Set(
  'candidates promptFeedback usageMetadata modelVersion responseId createTime error'.split(' '),
)

/** Reasons that say more than the one they become. */
const SAYS_MORE: ReadonlySet<string> = new Set(
  `SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION`.split(
    ' ',
  ),
)

const FINISH: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
}

/** Returns why the model stopped; `STOP` may mean calls, and unknown reasons keep their name in lower case. */
function finishOf(reason: string, calls: boolean): FinishReason {
  if (reason === 'STOP') return calls ? 'tool_calls' : 'stop'
  return FINISH[reason] ?? reason.toLowerCase()
}
