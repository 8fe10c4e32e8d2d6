import type { ModelCapabilities } from '@x/interfaces'
import type { XError } from '@x/kernel'
import type { ModelAbility } from '../catalogue/model-facts.ts'
import type { AnswerBuilder } from '../answer/answer-builder.ts'
import type { HttpRefusal } from '../failure/raise-failure.ts'
import type { CheckedParams } from '../message/read-params.ts'
import type { IdentifierRule } from '../message/tool-ids.ts'
import type { NameMap } from '../message/tool-names.ts'

/** Facts that lowering a request depends on. */
export interface LowerContext {
  /** Model that is asked. */
  readonly model: string
  /** Tool names as the provider takes them, and back. */
  readonly names: NameMap
  /** Abilities of the model, as the catalogue knows them; undefined where it does not. */
  readonly abilities?: readonly ModelAbility[] | undefined
  /** Warns that something was left out or changed; each topic is shown once. */
  readonly warn: (topic: string, text: string) => void
}

/** A request as the provider takes it. */
export interface LoweredRequest {
  readonly model: string
  /** The body for a complete answer. */
  readonly body: Readonly<Record<string, unknown>>
  /** Headers of this request alone; null takes one away that all requests have. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  /** What the request asks for: an answer, or the number of its tokens; default `answer`. */
  readonly operation?: 'answer' | 'countTokens' | undefined
  /** Makes the reader of this request's answer; default: the dialect's. */
  readonly reader?: (() => AnswerReader) | undefined
  /**
   * Returns another form of the request after a refusal that says how to ask instead; called while nothing of the answer
   * has been read. Undefined: the refusal stands.
   */
  readonly instead?: ((refusal: XError) => LoweredRequest | undefined) | undefined
}

/** Reads what a provider answers into an answer. */
export interface AnswerReader {
  /** Reads one frame of a stream; returns true for the last one. Throws for an error frame and skips unknown frames. */
  push(frame: unknown, answer: AnswerBuilder): boolean
  /** Reads a complete answer; default: as one frame. */
  whole?(body: unknown, answer: AnswerBuilder): void
}

/** The wire format of a provider. */
export interface Dialect {
  /** The provider's key in `provider_metadata`. */
  readonly provider: string
  /** Names under which `providerOptions` of a request are written for the provider; default: that of `provider`. */
  readonly optionNames?: readonly string[] | undefined
  /** Rule for ids of tool calls. */
  readonly ids: IdentifierRule
  /** Rule for names of tools. */
  readonly names: IdentifierRule
  readonly capabilities: (model: string) => ModelCapabilities
  /** Returns a request as the provider takes it; does not change the given one. */
  lower(params: CheckedParams, context: LowerContext): LoweredRequest
  reader(): AnswerReader
  /** Returns a request that asks for the number of tokens; absent where the provider has none. */
  readonly lowerCount?: ((params: CheckedParams, context: LowerContext) => LoweredRequest) | undefined
  /** Reads the number of tokens out of the answer to it. */
  readonly readCount?: ((body: unknown) => unknown) | undefined
}

/** Options of one request. */
export interface WireCall {
  readonly signal: AbortSignal
  /** Told of the headers of the response, if the connection has them. */
  readonly onHeaders?: ((headers: Pick<Headers, 'forEach'>) => void) | undefined
}

/** Connection to a provider, by an SDK or by plain HTTP. */
export interface Wire {
  /** Sends a request and returns the parsed body of the complete answer. */
  complete(request: LoweredRequest, call: WireCall): Promise<unknown>
  /** Sends a request and returns the parsed frames of the streamed answer, in groups as they arrive. */
  stream(request: LoweredRequest, call: WireCall): Promise<AsyncIterable<readonly unknown[]>>
  /** Reads the refusal out of an error of this connection; returns undefined for other errors. */
  refusalOf?(error: unknown): HttpRefusal | undefined
  /** Texts that errors must not contain. */
  readonly secrets: ReadonlySet<string>
  /** URL of requests, for error messages. */
  readonly url: string
}
