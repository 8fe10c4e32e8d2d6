import type { AnswerUsage, FinishReason } from '@x/interfaces'
import {
  hasContent,
  inBandFailure,
  isRecord,
  modelFailure,
  normalizeUsage,
  type AnswerBuilder,
  type AnswerReader,
} from '@x/provider-kit'
import { baseName, type OwnData, type OwnPart } from './own-data.ts'
import { collectDetails, endSound, readDetails, readPart, type OpenSound } from './read-details.ts'
import type { WireAnswer, WireCall, WireCandidate, WirePart, WirePartialArg, WireUsage } from './wire-types.ts'

/** Characters of the name of a model that is read. */
const MAX_MODEL_LENGTH = 256

/** Makes a reader of one answer of a model; a complete answer is one chunk. `jsonTool` names the tool whose arguments are the answer. */
export function createReader(model: string, jsonTool?: string): AnswerReader {
  return new ChunkReader(model, jsonTool)
}

class ChunkReader implements AnswerReader {
  readonly #model: string
  readonly #jsonTool: string | undefined
  readonly #candidates = new Map<number, CandidateReader>()
  readonly #usage: WireUsage = {}
  /** The model that answers. */
  #answeringModel: string
  #hasEnd = false
  /** Number of searches of the web. */
  #queries = 0

  constructor(model: string, jsonTool: string | undefined) {
    this.#model = model
    this.#answeringModel = model
    this.#jsonTool = jsonTool
  }

  push(frame: unknown, answer: AnswerBuilder): boolean {
    const chunk = frame as WireAnswer
    if (chunk.error) throw inBandFailure(chunk)
    answer.start({ id: chunk.responseId, model: chunk.modelVersion })
    const { modelVersion: version } = chunk
    if (typeof version === 'string' && version) this.#answeringModel = version.slice(0, MAX_MODEL_LENGTH)
    // The latest counts are valid; some chunks hold only some of them.
    const { usageMetadata: counts } = chunk
    for (const key in counts) if (counts[key] !== null) this.#usage[key] = counts[key]
    for (const key in chunk) {
      if (!READ_FIELDS.has(key) && hasContent(chunk[key])) answer.extra({ [key]: chunk[key] })
    }
    let isLast = true
    try {
      requireUnblocked(chunk)
      for (const [place, candidate] of (chunk.candidates ?? []).entries()) {
        if (candidate) this.#readCandidate(candidate, candidate.index ?? place, answer)
      }
      isLast = this.#hasEnd
    } finally {
      // Counts are computed for chunks with an end only, or with a failure.
      if (isLast) answer.usage(usageOf({ ...this.#usage }, this.#answeringModel, this.#queries))
    }
    return false
  }

  #readCandidate(candidate: WireCandidate, index: number, answer: AnswerBuilder): void {
    let reader = this.#candidates.get(index)
    if (!reader) this.#candidates.set(index, (reader = new CandidateReader(index, this.#jsonTool)))
    this.#queries = Math.max(this.#queries, queriesIn(candidate.groundingMetadata))
    if (reader.read(candidate, [this.#model, this.#answeringModel], answer)) this.#hasEnd = true
  }
}

function requireUnblocked({ promptFeedback: feedback, candidates }: WireAnswer): void {
  const reason = feedback?.blockReason
  if (!reason || candidates?.length) return
  throw modelFailure('content-filter', `the prompt was blocked: ${feedback.blockReasonMessage ?? reason}`, {
    details: { reason },
  })
}

/** Reads one candidate of an answer from the chunks. */
class CandidateReader {
  /** Sound that arrives in pieces; set by `readPart`. */
  sound: OpenSound | undefined
  readonly #index: number
  readonly #jsonTool: string | undefined
  /** Order of texts, calls and opaque parts, to send the message back with. */
  readonly #places: OwnPart[] = []
  /** A call with arguments that arrive in pieces. */
  #partial: { readonly call: number | undefined; readonly args: Record<string, unknown> } | undefined
  #text = ''
  /** Fields beside the content, collected since they were last reported. */
  #details: Record<string, unknown> = {}
  /** Text beside an answer in JSON; used only if the tool was not called. */
  #textBesideJson = ''
  #calledJson = false
  #isFinished = false

  constructor(index: number, jsonTool: string | undefined) {
    this.#index = index
    this.#jsonTool = jsonTool
  }

  /** Reads the next piece; returns whether the candidate has ended with it. */
  read(candidate: WireCandidate, models: readonly string[], answer: AnswerBuilder): boolean {
    for (const part of candidate.content?.parts ?? []) if (part) this.#addPart(part, answer)
    collectDetails(candidate, this.#details)
    // Fields beside the content may come behind the end.
    if (this.#isFinished) this.#reportDetails(answer)
    if (!candidate.finishReason) return false
    this.#end(candidate, candidate.finishReason, models, answer)
    return true
  }

  #addPart(part: WirePart, answer: AnswerBuilder): void {
    const { text, thought, thoughtSignature: signature, functionCall } = part
    if (functionCall) {
      this.#addCall(functionCall, answer)
      if (signature) this.#sign(signature)
      return
    }
    this.#endPartialCall(answer)
    if (thought === true) {
      answer.reasoning(text ?? '', this.#index)
      // Thoughts without a signature are a summary, which the provider does not want back.
      if (signature) this.#places.push({ opaque: { ...part } })
      return
    }
    if (typeof text === 'string') {
      if (this.#jsonTool === undefined) this.#addText(text, answer)
      else this.#textBesideJson += text
      if (signature) this.#sign(signature)
      return
    }
    if (readPart(part, this, answer, this.#index)) this.#places.push({ opaque: { ...part } })
  }

  #addText(text: string, answer: AnswerBuilder): void {
    if (text === '') return
    const places = this.#places
    const last = places.at(-1)
    if (last && 'text' in last && last.thoughtSignature === undefined) {
      places[places.length - 1] = { text: last.text + text.length }
    } else places.push({ text: text.length })
    this.#text += text
    answer.text(text, this.#index)
  }

  #addCall(wire: WireCall, answer: AnswerBuilder): void {
    const { name, args, id, partialArgs } = wire
    if (name) {
      this.#endPartialCall(answer)
      const isJson = name === this.#jsonTool
      if (isJson) this.#calledJson = true
      else this.#places.push({ call: true })
      const call = isJson ? undefined : answer.callStart({ id, name }, this.#index)
      if (partialArgs || wire.willContinue) this.#partial = { call, args: {} }
      else this.#emitArgs(call, typeof args === 'string' ? args || '{}' : JSON.stringify(args ?? {}), answer)
    }
    for (const piece of partialArgs ?? []) if (this.#partial) addPartialArg(this.#partial.args, piece)
    if (!wire.willContinue) this.#endPartialCall(answer)
  }

  #endPartialCall(answer: AnswerBuilder): void {
    const partial = this.#partial
    this.#partial = undefined
    if (partial) this.#emitArgs(partial.call, JSON.stringify(partial.args), answer)
  }

  #emitArgs(call: number | undefined, json: string, answer: AnswerBuilder): void {
    if (call === undefined) {
      answer.text(json, this.#index)
      return
    }
    answer.callDelta(call, json, this.#index)
    answer.callEnd(call, this.#index)
  }

  /** Signs the latest place; a signature may come by itself, on an empty text behind the signed part. */
  #sign(thoughtSignature: string): void {
    const places = this.#places
    const last = places.at(-1)
    if (last && !('opaque' in last)) places[places.length - 1] = { ...last, thoughtSignature }
    else places.push({ text: 0, thoughtSignature })
  }

  #reportDetails(answer: AnswerBuilder): void {
    const details = this.#details
    this.#details = {}
    readDetails(details, this.#text, answer, this.#index)
  }

  #end(wire: WireCandidate, reason: string, models: readonly string[], answer: AnswerBuilder): void {
    this.#endPartialCall(answer)
    if (reason === 'MALFORMED_FUNCTION_CALL' || reason === 'MALFORMED_RESPONSE') {
      const made = reason === 'MALFORMED_RESPONSE' ? 'an answer' : 'a call'
      throw modelFailure('server', `the model made ${made} that cannot be read: ${wire.finishMessage ?? 'ask again'}`)
    }
    if (this.#textBesideJson !== '' && !this.#calledJson) this.#addText(this.#textBesideJson, answer)
    this.#textBesideJson = ''
    this.#isFinished = true
    const sound = endSound(this, answer, this.#index)
    if (sound) this.#places.push({ opaque: sound })
    this.#reportDetails(answer)
    if (DETAILED_FINISH_REASONS.has(reason)) answer.details({ finish_details: { reason } }, this.#index)
    const places = this.#places
    if (places.some((place) => 'opaque' in place || place.thoughtSignature !== undefined)) {
      const names = [...new Set(models.map(baseName))].filter((name) => name !== '')
      answer.own({ parts: places, ...(names.length > 0 && { models: names }) } satisfies OwnData, this.#index)
    }
    answer.finish(finishOf(reason, answer.calls(this.#index) > 0), this.#index)
  }
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
const READ_FIELDS: ReadonlySet<string> = new Set(
  'candidates promptFeedback usageMetadata modelVersion responseId createTime error'.split(' '),
)

/** Reasons that say more than their finish reason. */
const DETAILED_FINISH_REASONS: ReadonlySet<string> = new Set(
  `SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION`.split(
    ' ',
  ),
)

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
}

/** Returns the finish reason; `STOP` may mean calls, and unknown reasons keep their name in lower case. */
function finishOf(reason: string, calls: boolean): FinishReason {
  if (reason === 'STOP') return calls ? 'tool_calls' : 'stop'
  return FINISH_REASONS[reason] ?? reason.toLowerCase()
}

/** Adds a piece of the arguments of a call at its place; pieces of one text are joined. */
function addPartialArg(args: Record<string, unknown>, piece: WirePartialArg): void {
  const path = pathOf(piece.jsonPath ?? '')
  const last = path.pop()
  if (last === undefined) return
  let container: Record<string, unknown> | unknown[] = args
  for (const [n, key] of path.entries()) {
    const inner: unknown = readKey(container, key)
    const next = isRecord(inner) || Array.isArray(inner) ? inner : typeof (path[n + 1] ?? last) === 'number' ? [] : {}
    writeKey(container, key, next)
    container = next
  }
  const { stringValue, numberValue, boolValue } = piece
  const before: unknown = readKey(container, last)
  if (stringValue !== undefined)
    writeKey(container, last, typeof before === 'string' ? before + stringValue : stringValue)
  else writeKey(container, last, numberValue ?? boolValue ?? null)
}

/** Splits a path such as `$.a[0]['b c']` into its steps. */
function pathOf(path: string): (string | number)[] {
  const steps: (string | number)[] = []
  for (const [, index, quoted, plain] of path.matchAll(/\[(\d+)\]|\[['"]([^'"]*)['"]\]|([^.[\]$]+)/gu)) {
    steps.push(index === undefined ? (quoted ?? plain!) : Number(index))
  }
  return steps
}

function readKey(container: Record<string, unknown> | unknown[], key: string | number): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string | number, unknown>)[key] : undefined
}

/** Sets an own key of any name: a path of the provider must not reach a prototype. */
function writeKey(container: object, key: string | number, value: unknown): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Returns the counts with prices of their own; `queries` is the number of searches of the web. */
function pricedCounts(usage: WireUsage, model: string, queries: number): Partial<Parameters<typeof normalizeUsage>[0]> {
  const { serviceTier, trafficType } = usage
  // Vertex tells the tier as a kind of traffic.
  const tier = serviceTier ?? trafficType
  return {
    audioPrompt: tokensOf(usage['promptTokensDetails'], 'AUDIO'),
    imagePrompt: tokensOf(usage['promptTokensDetails'], 'IMAGE'),
    cachedAudio: tokensOf(usage['cacheTokensDetails'], 'AUDIO'),
    audioCompletion: tokensOf(usage['candidatesTokensDetails'], 'AUDIO'),
    imageCompletion: tokensOf(usage['candidatesTokensDetails'], 'IMAGE'),
    // Since Gemini 3 each search is billed, before it each prompt with a search.
    searches: /gemini-[12](?![0-9])/u.test(model) ? Math.min(queries, 1) : queries,
    tier: typeof tier === 'string' ? tier.toLowerCase().replace(/^(?:service_tier_|on_demand_)/u, '') : undefined,
  }
}

/** Returns the tokens of one modality out of the list of all. */
function tokensOf(details: unknown, modality: string): number | undefined {
  if (!Array.isArray(details)) return undefined
  const detail: unknown = details.find((entry) => isRecord(entry) && entry['modality'] === modality)
  const count = isRecord(detail) ? detail['tokenCount'] : undefined
  return typeof count === 'number' ? count : undefined
}

/** Returns the number of searches that the grounding of a candidate names. */
function queriesIn(grounding: unknown): number {
  const queries = isRecord(grounding) ? grounding['webSearchQueries'] : undefined
  return Array.isArray(queries) ? queries.length : 0
}
