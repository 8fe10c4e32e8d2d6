import type { ContentPart, ModelErrorKind } from '@x/interfaces'
import { type LowerContext, modelFailure, inBandFailure, type AnswerBuilder, type AnswerReader } from '@x/provider-kit'
import { textIn } from '../call-texts.ts'
import type { NamedProfile } from '../endpoint-profiles.ts'
import { addDetail, textOfDetail, type OwnReasoning } from '../own-reasoning.ts'
import { usageOf } from '../usage.ts'
import { addImages, DetailReader, type OpenMedia } from './read-details.ts'
import { alwaysThinks, ThinkTags, type ThoughtsAndText } from '../think-tags.ts'
import { CallTracker, type WireCallDelta } from './tool-calls.ts'

/** The fields of a chunk, or of a whole answer, that are read; every field may be missing or of another type. */
interface WireChunk {
  id?: string | null
  model?: string | null
  created?: number | null
  choices?: (WireChoice | null)[] | null
  usage?: object | null
  /** Usage in streams of Groq, and why one was stopped early. */
  x_groq?: { usage?: object | null; error?: unknown } | null
  /** Text of an error without an object around it. */
  message?: unknown
  error?: unknown
  /** `error` for an error of vLLM, which has no key `error`. */
  object?: string | null
}

/** Frame that stands for `[DONE]` of a stream. */
export const DONE: object = Object.freeze({})

interface WireChoice {
  /** Error of OpenRouter in place of the rest of an answer. */
  error?: unknown
  index?: number | null
  /** Asynchronous content filters send choices without one. */
  delta?: WireDelta | null
  /** Message of a whole answer. */
  message?: WireDelta | null
  /** Text of the older endpoint for prompts. */
  text?: string | null
  finish_reason?: string | null
  /** Usage in streams of Moonshot. */
  usage?: object | null
}

/** A piece of a message, or a whole one: they have the same keys. */
interface WireDelta {
  /** Some endpoints give a list of parts. */
  content?: string | ContentPart[] | null
  refusal?: string | null
  reasoning_content?: string | null
  reasoning?: unknown
  reasoning_details?: unknown
  function_call?: { name?: string | null; arguments?: string | null } | null
  tool_calls?: WireCallDelta[] | null
}

/** Facts that reading an answer depends on. */
export interface ReaderContext {
  readonly names: LowerContext['names']
  readonly profile: NamedProfile
  /** The requested model. */
  readonly model: string
  /** Format of requested sounds. */
  readonly audioFormat?: unknown
}

/** Reads one answer: its chunks, or the whole, which is read as one chunk. */
export class ChunkReader implements AnswerReader {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: ChunkReader = new ChunkReader({} as ReaderContext)
  readonly #context: ReaderContext
  readonly #details: DetailReader
  /** The choice of the latest chunk, which is nearly always the only one. */
  #latest: ChoiceReader | undefined
  /** All choices, once there are two. */
  #choices: Map<number, ChoiceReader> | undefined

  constructor(context: ReaderContext) {
    this.#context = context
    this.#details = new DetailReader(context.audioFormat)
  }

  push(frame: unknown, answer: AnswerBuilder): false {
    if (frame === DONE) {
      for (const choice of this.#choices?.values() ?? []) choice.endSilently(answer)
      if (!this.#choices) this.#latest?.endSilently(answer)
      return false
    }
    const chunk = frame as WireChunk
    const { choices } = chunk
    // Some endpoints have no object around an error.
    const isError = chunk.error || chunk.object === 'error' || (!choices && typeof chunk.message === 'string')
    const { failureRules } = this.#context.profile
    if (isError) throw inBandFailure(frame, undefined, failureRules)
    if (chunk.x_groq?.error) throw inBandFailure(chunk.x_groq, undefined, failureRules)
    // Azure's first chunk has neither id nor model: the first that has one counts.
    answer.start(chunk)
    const count = Array.isArray(choices) ? choices.length : 0
    this.#details.answer(chunk, answer)
    let place = 0
    // Some servers give all whole choices one index.
    const isAlike = count > 1 && new Set(choices!.map((choice) => choice?.index)).size < count
    try {
      for (let at = 0; at < count; at++) {
        const choice = choices![at]
        if (typeof choice === 'object' && choice !== null) this.#readChoice(choice, place++, answer, isAlike)
      }
    } finally {
      const usage =
        chunk.usage ?? chunk.x_groq?.usage ?? (count > 0 ? recordsIn<WireChoice>(choices)[0]?.usage : undefined)
      // Some servers count the answer so far with every piece of it.
      if (usage) answer.usage(usageOf('chat', usage, chunk), place > 0 && !answer.isFinished(place))
    }
    return false
  }

  whole(body: unknown, answer: AnswerBuilder): void {
    this.push(body, answer)
    if (!this.#latest) throw modelFailure('server', 'the answer has no choices')
  }

  #readChoice(wire: WireChoice, place: number, answer: AnswerBuilder, isAlike: boolean): void {
    if (wire.error) throw inBandFailure(wire, undefined, this.#context.profile.failureRules)
    const given = typeof wire.index === 'number' ? wire.index : null
    const index = wire.message && (isAlike || given === null) ? place : (given ?? 0)
    const choice = this.#latest?.index === index ? this.#latest : this.#choiceAt(index)
    choice.read(wire, answer)
  }

  #choiceAt(index: number): ChoiceReader {
    const latest = this.#latest
    if (latest && !this.#choices) this.#choices = new Map([[latest.index, latest]])
    const known = this.#choices?.get(index)
    const choice = known ?? new ChoiceReader(index, this.#context, this.#details)
    if (!known) this.#choices?.set(index, choice)
    return (this.#latest = choice)
  }
}

/** Reads one choice of an answer from the chunks. */
class ChoiceReader implements OpenMedia, ThoughtsAndText {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: ChoiceReader = new ChoiceReader(0, {} as ReaderContext, {} as DetailReader)
  audio: OpenMedia['audio']
  readonly index: number
  readonly #context: ReaderContext
  readonly #details: DetailReader
  #reasoning = ''
  /** Reasoning as the list of OpenRouter. */
  #reasoningDetails: Record<string, unknown>[] | undefined
  #hasText = false
  #tags: ThinkTags | undefined
  #isRefusal = false
  /** Call of the older style. */
  #legacyCall: { name: string; arguments: string } | undefined
  #calls: CallTracker | undefined
  #isFinished = false
  /** The answer of the current chunk, for the splitter of thoughts and text. */
  #answer!: AnswerBuilder

  constructor(index: number, context: ReaderContext, details: DetailReader) {
    this.index = index
    this.#context = context
    this.#details = details
  }

  read(wire: WireChoice, answer: AnswerBuilder): void {
    this.#answer = answer
    const { message, text, finish_reason: reason } = wire
    const delta = wire.delta ?? message ?? (text ? { content: text } : undefined)
    if (delta) this.#readDelta(delta, answer)
    // A choice without a message has begun all the same.
    else answer.text('', this.index)
    this.#details.choice(wire, this.index, answer)
    const finish = textIn(reason) || (message ? (message.tool_calls?.length ? 'tool_calls' : 'stop') : undefined)
    if (finish) this.#end(finish, answer)
  }

  /** Ends a complete choice of an endpoint that sends `[DONE]` and no finish reason. */
  endSilently(answer: AnswerBuilder): void {
    if (this.#isFinished) return
    this.#answer = answer
    const hasCalls = answer.calls(this.index) > 0
    if (hasCalls ? this.#calls?.isWhole : this.#hasText) this.#end(hasCalls ? 'tool_calls' : 'stop', answer)
  }

  #readDelta(delta: WireDelta, answer: AnswerBuilder): void {
    const thought = textIn(delta.reasoning_content) || textIn(delta.reasoning) || thoughtParts(delta)
    if (delta.reasoning_details) {
      const details = (this.#reasoningDetails ??= [])
      for (const detail of recordsIn<Record<string, unknown>>(delta.reasoning_details)) addDetail(details, detail)
    }
    if (thought) this.reasoning(thought)
    const refusal = textIn(delta.refusal)
    if (refusal) this.#isRefusal = true
    const text = textOf(delta.content)
    if (text && this.#context.profile.thinkTags) this.#splitter().push(text)
    else this.text(text || refusal)
    if (Array.isArray(delta.content)) readParts(delta.content, this.index, answer)
    this.#details.message(delta, this, this.index, answer)
    if (delta.function_call) {
      this.#legacyCall ??= { name: '', arguments: '' }
      this.#legacyCall.name ||= textIn(delta.function_call.name)
      this.#legacyCall.arguments += textIn(delta.function_call.arguments)
    }
    if (delta.tool_calls) this.#readCalls(delta.tool_calls, answer)
  }

  #splitter(): ThinkTags {
    return (this.#tags ??= new ThinkTags(this, {
      alwaysThinks: alwaysThinks(this.#context.model),
      hasReasoning: this.#reasoning !== '',
    }))
  }

  reasoning(text: string): void {
    this.#reasoning += text
    this.#answer.reasoning(text, this.index)
  }

  text(text: string): void {
    if (text !== '') this.#hasText = true
    this.#answer.text(text, this.index)
  }

  textWasReasoning(): void {
    this.#reasoning += this.#answer.textWasReasoning(this.index)
    this.#hasText = false
  }

  #readCalls(deltas: readonly WireCallDelta[], answer: AnswerBuilder): void {
    const calls = (this.#calls ??= new CallTracker(this.index, answer))
    for (const delta of recordsIn<WireCallDelta>(deltas)) {
      if (isCallOfCaller(delta)) calls.push(delta)
      else answer.part(String(delta.type), delta, this.index)
    }
  }

  #end(finish: string, answer: AnswerBuilder): void {
    this.#isFinished = true
    this.#tags?.end()
    this.#calls?.end()
    this.#details.end(this, this.index, answer)
    const legacy = this.#legacyCall
    // Some endpoints write an empty call beside every text.
    if (legacy?.name) {
      const name = this.#context.names.from(legacy.name)
      answer.extend({ function_call: { ...legacy, name } }, this.index)
    }
    const own = this.#ownReasoning()
    if (own) answer.own(own, this.index)
    // A refusal comes with the reason `stop`.
    answer.finish(this.#isRefusal ? 'content_filter' : (FINISH_REASONS.get(finish) ?? finish), this.index)
    const kind = BROKEN_REASONS.get(finish)
    if (!kind) return
    const text = `the endpoint broke the answer off, with the reason \`${finish}\``
    throw modelFailure(kind, text, { details: { code: finish, inAnswer: true } })
  }

  /** Returns the reasoning that goes back with the message; OpenAI's own endpoint takes none back. */
  #ownReasoning(): OwnReasoning | undefined {
    const { model, profile } = this.#context
    const endpoint = profile.name
    const reasoning = this.#reasoning
    const details = this.#reasoningDetails ?? []
    if (reasoning === '' && details.length === 0 && !this.#calls) return undefined
    const extras = this.#calls?.extras ?? []
    const isSigned = extras.some((extra) => extra !== null)
    const custom = this.#calls?.custom ?? []
    if (reasoning === '' && details.length === 0 && !isSigned && custom.length === 0) return undefined
    return {
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(isSigned && { extra_content: extras }),
      ...(custom.length > 0 && { custom }),
      ...(endpoint !== 'openai' && endpoint !== 'azure' && { endpoint, model }),
    }
  }
}

/** Words of Mistral, Together, Hugging Face and Z.ai for finish reasons. */
const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['sensitive', 'content_filter'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['stop_sequence', 'stop'],
])

/** Reasons of answers that their endpoint broke off (Mistral and OpenRouter, vLLM and SGLang, Z.ai, DeepSeek), with kinds. */
const BROKEN_REASONS: ReadonlyMap<string, ModelErrorKind> = new Map([
  ['error', 'server'],
  ['abort', 'server'],
  ['network_error', 'server'],
  ['insufficient_system_resource', 'overloaded'],
])

const textOf = (content: WireDelta['content']): string =>
  Array.isArray(content)
    ? recordsIn<ContentPart>(content)
        .map((part) => (part.type === 'text' ? textIn(part.text) : ''))
        .join('')
    : textIn(content)

/** Returns the thoughts of OpenRouter's list, or those among the parts of a content (Mistral). */
function thoughtParts({ reasoning_details: details, content }: WireDelta): string {
  if (details) return recordsIn<Record<string, unknown>>(details).map(textOfDetail).join('')
  if (!Array.isArray(content)) return ''
  return recordsIn<{ type?: unknown; thinking?: unknown }>(content)
    .map(({ type, thinking }) => (type === 'thinking' ? textOf(thinking as WireDelta['content']) : ''))
    .join('')
}

/** Returns the objects of a list, or an empty list for another type. */
const recordsIn = <T>(value: unknown): T[] =>
  Array.isArray(value) ? value.filter((item): item is T => typeof item === 'object' && item !== null) : []

/** Tells calls of tools of the caller from other calls and from empty pieces. */
const isCallOfCaller = ({ id, type, function: called, custom }: WireCallDelta): boolean =>
  type ? type === 'function' || type === 'custom' : Boolean(called ?? custom ?? id)

/** Reads the parts of a content that are neither text nor thoughts. */
function readParts(content: readonly unknown[], index: number, answer: AnswerBuilder): void {
  for (const part of recordsIn<{ type?: unknown }>(content)) {
    const { type } = part
    if (type === 'image_url') addImages([part], index, answer)
    else if (type !== 'text' && type !== 'thinking') answer.part(typeof type === 'string' ? type : 'part', part, index)
  }
}
