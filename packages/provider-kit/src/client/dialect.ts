import type { ModelCapabilities } from '@x/interfaces'
import type { AnswerBuilder } from '../answer/answer-builder.ts'
import type { HttpRefusal } from '../failure/raise-failure.ts'
import type { CheckedParams } from '../message/read-params.ts'
import type { IdentifierRule } from '../message/tool-ids.ts'
import type { NameMap } from '../message/tool-names.ts'

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
  /** Rule for ids of tool calls. */
  readonly ids: IdentifierRule
  /** Rule for names of tools. */
  readonly names: IdentifierRule
  readonly capabilities: (model: string) => ModelCapabilities
  /** Gives a request as the provider takes it; the given one is never changed. */
  lower(params: CheckedParams, context: LowerContext): LoweredRequest
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
