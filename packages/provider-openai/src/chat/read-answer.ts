import type { ContentPart } from '@x/interfaces'
import {
  type LowerContext,
  normalizeUsage,
  modelFailure,
  inBandFailure,
  type AnswerBuilder,
  type AnswerReader,
} from '@x/provider-kit'
import type { NamedProfile } from '../endpoint-profile.ts'
import type { EndpointName } from '../endpoint-profiles.ts'
import { addDetail, textOfDetail, type OwnReasoning } from '../own-reasoning.ts'
import { chatCounts } from '../priced-counts.ts'
import { rawUsage } from '../usage-rest.ts'
import { addImages, createDetailReader, type OpenMedia } from './read-details.ts'
import { alwaysThinks, createThinkTags, type ThinkTags, type ThoughtsAndText } from '../think-tags.ts'
import { createCallTracker, type CallTracker, type WireCallDelta } from './tool-calls.ts'

/** One chunk of a streamed answer, or a whole one, as far as it is read; every field may be missing or of another type. */
interface WireChunk {
  id?: string | null
  model?: string | null
  created?: number | null
  choices?: (WireChoice | null)[] | null
  usage?: WireUsage | null
  /** Usage in streams of Groq. */
  x_groq?: { usage?: WireUsage | null } | null
  error?: unknown
  /** `error` for an error of vLLM, which has no key `error`. */
  object?: string | null
}

/** Frame that stands for the `[DONE]` of a stream. */
export const DONE: object = Object.freeze({})

interface WireChoice {
  index?: number | null
  /** Asynchronous content filters send choices without one. */
  delta?: WireDelta | null
  /** Of a whole answer. */
  message?: WireDelta | null
  /** Of the older endpoint for prompts. */
  text?: string | null
  finish_reason?: string | null
  /** Usage in streams of Moonshot. */
  usage?: WireUsage | null
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

/** Tokens as the endpoint counts them. */
interface WireUsage {
  prompt_tokens?: number | null
  completion_tokens?: number | null
  total_tokens?: number | null
  prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null
  /** DeepSeek's name for cached tokens, and Moonshot's. */
  prompt_cache_hit_tokens?: number | null
  cached_tokens?: number | null
  completion_tokens_details?: { reasoning_tokens?: number | null } | null
}

interface OpenChoice extends OpenMedia {
  reasoning: string
  /** OpenRouter's list of reasoning. */
  details: Record<string, unknown>[]
  /** Whether there is text. */
  said: boolean
  tags: ThinkTags | undefined
  finished: boolean
  refused: boolean
  legacy: { name: string; arguments: string } | undefined
  calls: CallTracker | undefined
}

/** Facts that reading an answer depends on. */
export interface ReaderContext {
  readonly names: LowerContext['names']
  readonly profile: NamedProfile
  /** Model that is asked. */
  readonly model: string
  /** Form of the sounds that are asked for. */
  readonly audioFormat?: unknown
}

/** Makes the reader of one answer: of its chunks, or of the whole, which is read as one chunk. */
export function createReader({ names, profile, model, audioFormat }: ReaderContext): AnswerReader {
  const { thinkTags, name: endpoint } = profile
  const details = createDetailReader(audioFormat)
  const thinks = thinkTags && alwaysThinks(model)
  const choices = new Map<number, OpenChoice>()

  const think = (text: string, open: OpenChoice, index: number, answer: AnswerBuilder): void => {
    open.reasoning += text
    answer.reasoning(text, index)
  }

  const say = (text: string, open: OpenChoice, index: number, answer: AnswerBuilder): void => {
    if (text !== '') open.said = true
    answer.text(text, index)
  }

  /** Receivers of what a splitter tells thoughts and text apart. */
  const told = (open: OpenChoice, index: number, answer: AnswerBuilder): ThoughtsAndText => ({
    reasoning: (text) => think(text, open, index, answer),
    text: (text) => say(text, open, index, answer),
    textWasReasoning() {
      open.reasoning += answer.textWasReasoning(index)
      open.said = false
    },
  })

  const readDelta = (delta: WireDelta, open: OpenChoice, index: number, answer: AnswerBuilder): void => {
    const thought = textIn(delta.reasoning_content) || textIn(delta.reasoning) || partsOfThought(delta)
    for (const detail of recordsIn<Record<string, unknown>>(delta.reasoning_details)) addDetail(open.details, detail)
    if (thought) think(thought, open, index, answer)
    const refusal = textIn(delta.refusal)
    if (refusal) open.refused = true
    const text = textOf(delta.content)
    if (text && thinkTags) {
      open.tags ??= createThinkTags(told(open, index, answer), { thinks, apart: open.reasoning !== '' })
      open.tags.push(text)
    } else say(text || refusal, open, index, answer)
    if (Array.isArray(delta.content)) readParts(delta.content, index, answer)
    details.message(delta, open, index, answer)
    if (delta.function_call) {
      open.legacy ??= { name: '', arguments: '' }
      open.legacy.name ||= textIn(delta.function_call.name)
      open.legacy.arguments += textIn(delta.function_call.arguments)
    }
    if (delta.tool_calls) {
      open.calls ??= createCallTracker(index, answer)
      for (const call of recordsIn<WireCallDelta>(delta.tool_calls)) {
        if (isReadable(call)) open.calls.push(call)
        else answer.part(String(call.type), call, index)
      }
    }
  }

  const readChoice = (choice: WireChoice, place: number, answer: AnswerBuilder): void => {
    const { message, text, finish_reason: reason } = choice
    const index = typeof choice.index === 'number' ? choice.index : message ? place : 0
    let open = choices.get(index)
    if (!open) choices.set(index, (open = newChoice()))
    readDelta(choice.delta ?? message ?? (text ? { content: text } : {}), open, index, answer)
    details.choice(choice, index, answer)
    const finish = textIn(reason) || (message ? (message.tool_calls?.length ? 'tool_calls' : 'stop') : undefined)
    if (finish) end(open, index, finish, answer)
  }

  const end = (open: OpenChoice, index: number, finish: string, answer: AnswerBuilder): void => {
    open.finished = true
    open.tags?.end()
    open.calls?.end()
    details.end(open, index, answer)
    const { legacy } = open
    // Some endpoints write an empty one beside every text.
    if (legacy?.name) answer.extend({ function_call: { ...legacy, name: names.from(legacy.name) } }, index)
    const own = ownOf(open, { endpoint, model })
    if (own) answer.own(own, index)
    // A refusal comes with the reason `stop`.
    answer.finish(open.refused ? 'content_filter' : finish, index)
  }

  /** Ends the choices of an endpoint that says `[DONE]` and no finish reason, if what they hold is complete. */
  const endSilently = (answer: AnswerBuilder): void => {
    for (const [index, open] of choices) {
      if (open.finished) continue
      const called = answer.calls(index) > 0
      if (called ? open.calls?.whole : open.said) end(open, index, called ? 'tool_calls' : 'stop', answer)
    }
  }

  const push = (frame: unknown, answer: AnswerBuilder): false => {
    if (frame === DONE) {
      endSilently(answer)
      return false
    }
    const { error, usage: said, x_groq: groq, choices: parts, ...facts } = frame as WireChunk
    if (error || facts.object === 'error') throw inBandFailure(frame)
    // Azure's first chunk has neither id nor model: the first that has one counts.
    answer.start(facts)
    const usage = said ?? groq?.usage ?? recordsIn<WireChoice>(parts)[0]?.usage
    if (usage) answer.usage(usageOf(usage, facts))
    details.answer(frame as WireChunk, answer)
    for (const [place, part] of recordsIn<WireChoice>(parts).entries()) readChoice(part, place, answer)
    return false
  }

  return {
    push,
    whole(body, answer) {
      push(body, answer)
      if (choices.size === 0) throw modelFailure('server', 'the answer has no choices')
    },
  }
}

const newChoice = (): OpenChoice => ({
  audio: undefined,
  reasoning: '',
  details: [],
  said: false,
  tags: undefined,
  finished: false,
  refused: false,
  legacy: undefined,
  calls: undefined,
})

/** Returns the reasoning that goes back with the message; OpenAI's own endpoint takes none back. */
function ownOf(
  { reasoning, details, calls }: OpenChoice,
  { endpoint, model }: { endpoint: EndpointName; model: string },
): OwnReasoning | undefined {
  const extras = calls?.extras ?? []
  const isSigned = extras.some((extra) => extra !== null)
  const custom = calls?.custom ?? []
  if (reasoning === '' && details.length === 0 && !isSigned && custom.length === 0) return undefined
  return {
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(isSigned && { extra_content: extras }),
    ...(custom.length > 0 && { custom }),
    ...(endpoint !== 'openai' && endpoint !== 'azure' && { endpoint, model }),
  }
}

const usageOf = (usage: WireUsage, facts: object): ReturnType<typeof normalizeUsage> =>
  normalizeUsage({
    ...chatCounts(usage as Record<string, unknown>, facts as Record<string, unknown>),
    prompt: usage.prompt_tokens,
    completion: completionOf(usage),
    total: usage.total_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
    cacheWrite: usage.prompt_tokens_details?.cache_write_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
    raw: rawUsage(usage),
  })

/** Returns the tokens of the output: xAI counts reasoning beside the completion, which its total tells. */
function completionOf({ prompt_tokens: prompt, completion_tokens: completion, ...usage }: WireUsage): unknown {
  const { total_tokens: total, completion_tokens_details: details } = usage
  const reasoning = details?.reasoning_tokens
  const known = [prompt, completion, total, reasoning].every((count) => typeof count === 'number')
  return known && reasoning! > 0 && prompt! + completion! + reasoning! <= total! ? completion! + reasoning! : completion
}

const textOf = (content: WireDelta['content']): string =>
  Array.isArray(content)
    ? recordsIn<ContentPart>(content)
        .map((part) => (part.type === 'text' ? textIn(part.text) : ''))
        .join('')
    : typeof content === 'string'
      ? content
      : ''

/** Returns the thoughts of OpenRouter's list, or those among the parts of a content, as Mistral writes them. */
function partsOfThought({ reasoning_details: details, content }: WireDelta): string {
  if (details) return recordsIn<Record<string, unknown>>(details).map(textOfDetail).join('')
  if (!Array.isArray(content)) return ''
  return recordsIn<{ type?: unknown; thinking?: unknown }>(content)
    .map(({ type, thinking }) => (type === 'thinking' ? textOf(thinking as WireDelta['content']) : ''))
    .join('')
}

/** Returns a text, or the empty text for another type. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the objects of a list, or an empty list for another type. */
const recordsIn = <T>(value: unknown): T[] =>
  Array.isArray(value) ? value.filter((item): item is T => typeof item === 'object' && item !== null) : []

/** Tells calls of the caller's tools from other calls and from pieces that say nothing. */
const isReadable = ({ id, type, function: called, custom }: WireCallDelta): boolean =>
  type ? type === 'function' || type === 'custom' : Boolean(called ?? custom ?? id)

/** Reads the parts of a content that are neither text nor thoughts. */
function readParts(content: readonly unknown[], index: number, answer: AnswerBuilder): void {
  for (const part of recordsIn<{ type?: unknown }>(content)) {
    const { type } = part
    if (type === 'image_url') addImages([part], index, answer)
    else if (type !== 'text' && type !== 'thinking') answer.part(typeof type === 'string' ? type : 'part', part, index)
  }
}
