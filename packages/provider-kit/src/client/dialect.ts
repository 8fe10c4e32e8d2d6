import type { ChatMessage, ModelCapabilities, ModelParams } from '@x/interfaces'
import type { AnswerBuilder } from '../answer/answer-builder.ts'
import type { HttpRefusal } from '../failure/raise-failure.ts'
import type { IdRule } from '../message/tool-ids.ts'
import type { NameMap, NameRule } from '../message/tool-names.ts'

/** What a request is lowered with. */
export interface LowerContext {
  /** Model asked. */
  readonly model: string
  /** Tool names as the provider takes them, and back. */
  readonly names: NameMap
  /** Says that something was left out or changed; each topic is shown once. */
  readonly warn: (topic: string, text: string) => void
}

/** A request as the provider takes it. */
export interface LoweredRequest {
  readonly model: string
  /** The body, without what makes it a stream. */
  readonly body: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Makes the reader of this request's answer; default: the dialect's. */
  readonly reader?: (() => AnswerReader) | undefined
}

/** Reads what a provider answers into an answer. */
export interface AnswerReader {
  /** Takes one frame of a stream; true for the one that ends it. Fails for an error frame, skips what it does not know. */
  push(frame: unknown, answer: AnswerBuilder): boolean
  /** Takes a complete answer; default: it is one frame. */
  whole?(body: unknown, answer: AnswerBuilder): void
}

/** One wire format: what differs between providers, and nothing else. */
export interface Dialect {
  /** The provider's key in `provider_metadata`. */
  readonly provider: string
  readonly ids: IdRule
  readonly names: NameRule
  readonly capabilities: (model: string) => ModelCapabilities
  /** Gives a request as the provider takes it; the given one is never changed. */
  lower(params: ModelParams, context: LowerContext): LoweredRequest
  reader(): AnswerReader
}

/** One call on its way. */
export interface WireCall {
  readonly signal: AbortSignal
}

/** How requests reach a provider: an SDK, or plain HTTP. */
export interface Wire {
  /** Gives the body of a complete answer, parsed. */
  complete(request: LoweredRequest, call: WireCall): Promise<unknown>
  /** Gives the frames of a streamed answer, parsed, as many at a time as arrived together. */
  stream(request: LoweredRequest, call: WireCall): Promise<AsyncIterable<readonly unknown[]>>
  /** Reads the refusal out of an error it throws. */
  refusalOf?(error: unknown): HttpRefusal | undefined
  /** Texts that must not be shown. */
  readonly secrets: ReadonlySet<string>
  /** Where requests go, for messages of errors. */
  readonly url: string
}

/** Gives the messages of a request; a prompt of the older kind is one message of the user. */
export function messagesOf({ messages, prompt }: ModelParams): readonly ChatMessage[] {
  return typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : messages
}

/** Lists the names of all tools that a request and its history mention. */
export function toolNames({ tools, functions, messages }: ModelParams): string[] {
  return [
    ...((tools as { function?: { name: string } }[] | undefined) ?? []).flatMap((tool) => tool.function?.name ?? []),
    ...((functions as { name: string }[] | undefined) ?? []).map(({ name }) => name),
    ...messages.flatMap(namesIn),
  ]
}

const NONE: readonly string[] = []

function namesIn({ tool_calls: calls, function_call: call }: ChatMessage): readonly string[] {
  // Most messages of a long history call nothing, and every request looks through all of it.
  if (!calls && !call) return NONE
  return [...(calls ?? []).flatMap((each) => each.function?.name ?? []), ...(call?.name ? [call.name] : [])]
}
