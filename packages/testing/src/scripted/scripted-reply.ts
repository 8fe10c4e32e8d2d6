import type { AnswerUsage, ChatMessage, FinishReason, MaybePromise, ModelErrorKind, ModelEvent } from '@x/interfaces'

/** Tokens of one answer: `[prompt, completion]`, or as the wire counts them; null for a provider that does not say. */
export type ScriptedUsage = readonly [prompt: number, completion: number] | AnswerUsage | null

/** Facts of a reply beside its content; the script has the defaults. */
export interface ReplyFacts {
  readonly usage?: ScriptedUsage | undefined
  /** Cost in US dollars; null for an unknown price. */
  readonly cost?: number | null | undefined
  /** Model that answers; default: the requested one. */
  readonly model?: string | undefined
}

/** A message as a reply; `finish_reason` follows from it when it is not given. */
export interface MessageReply extends Omit<ChatMessage, 'content'>, ReplyFacts {
  readonly content?: Exclude<ChatMessage['content'], (...args: never) => unknown>
  readonly finish_reason?: FinishReason | undefined
}

/** A failed call: an error to throw, or the kind of a model failure. */
export interface FailedReply {
  readonly error: ModelErrorKind | Error
}

/** A reply that waits for a promise. */
export interface DelayedReply {
  readonly delay: PromiseLike<unknown>
  readonly reply: ScriptedReply
}

/**
 * An answer as a list of events; promises between them are awaited. It ends with `error` if given, and with a failure of
 * kind `truncated` if there is no `finish` event.
 */
export interface StreamedReply extends ReplyFacts {
  readonly stream: readonly (ModelEvent | PromiseLike<unknown>)[]
  readonly error?: ModelErrorKind | Error | undefined
}

/** Reply of a scripted model to one request. */
export type ScriptedReply = string | MessageReply | FailedReply | DelayedReply | StreamedReply

/** A function that answers each request. */
export type ReplyFunctionOf<Call> = (call: Call) => MaybePromise<ScriptedReply>

/** A reply in a few words, for messages about it. */
export function describeReply(reply: ScriptedReply): string {
  if (typeof reply === 'string') return JSON.stringify(shortened(reply))
  if ('stream' in reply) return `a stream of ${reply.stream.length} events`
  if ('error' in reply) return `the error \`${typeof reply.error === 'string' ? reply.error : reply.error.message}\``
  if ('delay' in reply) return `${describeReply(reply.reply)}, delayed`
  const calls = reply.tool_calls?.map((call) => `\`${call.function.name}\``)
  if (calls?.length) return `a call of ${calls.join(', ')}`
  return typeof reply.content === 'string' ? JSON.stringify(shortened(reply.content)) : 'a message'
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 37)}...` : text)
