import type {
  AnswerUsage,
  ChatMessage,
  FinishReason,
  MaybePromise,
  ModelAnswer,
  ModelErrorKind,
  ModelEvent,
} from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { answerEvents } from './answer-events.ts'
import { foldEvents } from './fold-events.ts'
import type { MessageReply, ReplyFacts, ScriptedReply, ScriptedUsage } from './scripted-reply.ts'

/** Defaults of an answer. */
export interface TurnDefaults {
  readonly id: string
  readonly model: string
  readonly usage: ScriptedUsage
  readonly cost: number | null
}

/** A reply prepared for delivery, in pieces or whole. */
export interface Turn {
  /** The events of the answer, if it is streamed, and promises to wait for on the way. */
  readonly items: (streaming: boolean) => readonly (ModelEvent | PromiseLike<unknown>)[]
  /** Tells whether the turn contains something to wait for. */
  readonly waits: boolean
  /** Gives the answer, or fails as scripted. */
  readonly end: () => ModelAnswer
  /** Cost in US dollars; null for an unknown price. */
  readonly cost: number | null
}

/** Prepares a reply; returns a promise for a delayed reply. */
export function turnOf(reply: ScriptedReply, defaults: TurnDefaults): MaybePromise<Turn> {
  if (typeof reply === 'string') return whole({ content: reply }, defaults)
  if ('stream' in reply) return streamed(reply, defaults)
  if ('error' in reply) {
    const { error } = reply
    return { items: () => [], waits: false, end: () => failWith(error), cost: 0 }
  }
  if ('delay' in reply) return reply.delay.then(() => turnOf(reply.reply, defaults))
  return whole(reply, defaults)
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set(
  'content role name function_call tool_calls tool_call_id tool_responses context id provider_metadata'.split(' '),
)

function whole(reply: MessageReply, defaults: TurnDefaults): Turn {
  const { usage, cost, model, finish_reason: reason, ...message } = reply
  const unknown = Object.keys(message).find((key) => !MESSAGE_KEYS.has(key))
  if (unknown !== undefined) {
    const problem = `the scripted reply has a key \`${unknown}\`, which no message has`
    throw new XError('invalid-argument', `${problem}: write \`content\` for a text, or \`tool_calls\` for calls`)
  }
  const answer: ModelAnswer = {
    ...frame({ usage, model }, defaults),
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason ?? finishOf(message) }],
  }
  return {
    items: (streaming) => (streaming ? answerEvents(answer) : []),
    waits: false,
    end: () => answer,
    cost: cost === undefined ? defaults.cost : cost,
  }
}

function streamed(
  { stream, error, ...facts }: Extract<ScriptedReply, { stream: unknown }>,
  defaults: TurnDefaults,
): Turn {
  const events = stream.filter((item): item is ModelEvent => !isThenable(item))
  const { usage, ...base } = frame(facts, defaults)
  const ends = error === undefined && events.some(({ type }) => type === 'finish')
  const items = [
    ...(events.some(({ type }) => type === 'start')
      ? []
      : [{ type: 'start', id: base.id, model: base.model } as const]),
    ...stream,
    // A stream that breaks off reports no usage.
    ...(ends && usage && !events.some(({ type }) => type === 'usage') ? [{ type: 'usage', usage } as const] : []),
  ]
  return {
    items: () => items,
    waits: items.some(isThenable),
    end() {
      if (error !== undefined) failWith(error)
      return { ...foldEvents(items.filter((item): item is ModelEvent => !isThenable(item))), created: base.created }
    },
    cost: facts.cost === undefined ? defaults.cost : facts.cost,
  }
}

function frame(
  { usage, model }: Pick<ReplyFacts, 'usage' | 'model'>,
  defaults: TurnDefaults,
): Omit<ModelAnswer, 'choices'> {
  const counts = wireUsage(usage === undefined ? defaults.usage : usage)
  return { id: defaults.id, model: model ?? defaults.model, created: 0, ...(counts && { usage: counts }) }
}

function wireUsage(usage: ScriptedUsage): AnswerUsage | undefined {
  if (usage === null || 'prompt_tokens' in usage) return usage ?? undefined
  const [prompt, completion] = usage
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

function finishOf({ tool_calls: calls, function_call: call }: ChatMessage): FinishReason {
  if (calls?.length) return 'tool_calls'
  return call ? 'function_call' : 'stop'
}

function failWith(error: ModelErrorKind | Error): never {
  if (error instanceof Error) throw error
  const code = error === 'timeout' || error === 'content-filter' || error === 'aborted' ? error : 'model-failed'
  throw new XError(code, `the script says that this call fails: ${error}`, { kind: error })
}
