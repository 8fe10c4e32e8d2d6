import type { EmbedAnswer, ModelCapabilities, ModelClient } from '@x/interfaces'
import type { XError } from '@x/kernel'
import type { AnswerBuilder } from '../answer/answer-builder.ts'
import type { ModelAbility } from '../catalogue/model-facts.ts'
import type { HttpRefusal } from '../failure/convert-error.ts'
import type { FailureRule } from '../failure/failure-kind.ts'
import type { IdentifierRule, NameMap } from '../message/identifiers.ts'
import type { CheckedParams } from '../message/read-params.ts'
import type { RequestSchemas } from '../schema/request-schemas.ts'

/** The wire format of a provider. */
export interface Dialect {
  /** Key of the provider in `provider_metadata`. */
  readonly provider: string
  /** Names of the provider in `providerOptions` of a request; default: that of `provider`. */
  readonly optionNames?: readonly string[] | undefined
  /** Rule for ids of tool calls. */
  readonly ids: IdentifierRule
  /** Rule for names of tools. */
  readonly names: IdentifierRule
  readonly capabilities: (model: string) => ModelCapabilities
  /** Returns a request as the provider takes it; does not change the given one. */
  lower(params: CheckedParams, context: LowerContext): LoweredRequest
  reader(): AnswerReader
  /** Rules of the endpoint for the kinds of its errors, beside those that hold for all. */
  readonly failureRules?: readonly FailureRule[] | undefined
  /** Returns a request for the number of tokens; absent where the provider does not count. */
  readonly lowerCount?: ((params: CheckedParams, context: LowerContext) => LoweredRequest) | undefined
  /** Reads the number of tokens out of the answer to it. */
  readonly readCount?: ((body: unknown) => unknown) | undefined
  /** Wire format of vectors of texts; absent where the provider has none. */
  readonly embeddings?: EmbeddingsDialect | undefined
  /** Wire format of batches; absent where the provider has none. */
  readonly batches?: BatchDialect | undefined
  /** Wire format of answers in the background; absent where the provider has none. */
  readonly background?: BackgroundDialect | undefined
}

/** The wire format of answers that a provider makes in the background, if the body of a request has `background: true`. */
export interface BackgroundDialect {
  /** Tells whether a request can have such an answer. */
  takes(request: LoweredRequest): boolean
  /**
   * Returns the identifier of an answer that is not there yet, and when it was begun, in milliseconds since 1970; `unknown` is
   * a status of which nobody knows whether it has ended, and counts as no answer to the question.
   */
  pending(
    body: unknown,
  ): { readonly id: string; readonly createdAt?: number | undefined; readonly unknown?: string | undefined } | undefined
  /** Path of an answer, behind the root of the endpoint; `/cancel` behind it stops the answer. */
  path(id: string): string
}

/** One request of a batch. */
export interface BatchItem {
  /** Identifier of the request in its batch: letters, digits and `-`, at most 64. */
  readonly id: string
  readonly request: LoweredRequest
}

/** A result of a batch: the body of an answer, that of a refusal with its status, or an error. */
export type BatchResult =
  | { readonly body: unknown }
  | { readonly refusal: object; readonly status: number }
  | { readonly error: Error }

/** A request about a batch. The path begins behind the root of the endpoint. */
export interface BatchRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string | undefined
  /** Media type of the body; default JSON. */
  readonly type?: string | undefined
  /** Headers of this request alone; names are in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Called with each line of the answer, of which there may be more than one text holds: each is limited by `maxEventBytes`,
   * and the whole is not. True reads no further.
   */
  readonly onLine?: ((line: string) => boolean) | undefined
}

/** Sends one request about a batch, and returns the body of the answer; with `onLine`, an empty text. */
export type AskBatch = (request: BatchRequest) => Promise<string>

/** The wire format of batches. `ClientBatches` says what the methods do. */
export interface BatchDialect {
  readonly maxRequests: number
  readonly priceFactor: number
  submit(items: readonly BatchItem[], key: string, ask: AskBatch): Promise<string>
  find(key: string, ask: AskBatch): Promise<string | null | undefined>
  hasEnded(id: string, ask: AskBatch): Promise<boolean>
  /** Returns results by the identifiers of their requests, in any order. `ids` are all identifiers, in the order of the requests. */
  results(id: string, ids: readonly string[], ask: AskBatch): Promise<ReadonlyMap<string, BatchResult>>
  cancel(id: string, ask: AskBatch): Promise<void>
}

/** The wire format of vectors of texts. */
export interface EmbeddingsDialect {
  /** Most texts of one request, and most tokens of them together. */
  readonly limits: NonNullable<ModelClient['embedLimits']>
  /**
   * Returns a request as the provider takes it. `given` are its parameters, those for this provider alone among them: the
   * texts are the list `input`.
   */
  lower(given: Readonly<Record<string, unknown>>, context: Pick<LowerContext, 'model' | 'warn'>): LoweredRequest
  /** Reads the vectors, in the order of the texts; `model` is the requested one. */
  read(body: unknown, model: string): EmbedAnswer
}

/** Facts for lowering a request. */
export interface LowerContext {
  /** The requested model. */
  readonly model: string
  /** Converts names of tools to those that the provider takes, and back. */
  readonly names: NameMap
  /** Abilities of the model by the catalogue; undefined if it does not know the model. */
  readonly abilities?: readonly ModelAbility[] | undefined
  /** Brings the schemas of the answer and of the tools into the form that a vendor takes, and the answer back. */
  readonly schemas: RequestSchemas
  /** Warns that something was left out or changed; each topic is shown once. */
  readonly warn: (topic: string, text: string) => void
}

/** A request as the provider takes it. */
export interface LoweredRequest {
  readonly model: string
  /** The body for a complete answer. */
  readonly body: Readonly<Record<string, unknown>>
  /** Headers of this request alone; null removes a header of all requests. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  /** Whether the request asks for an answer, for the number of its tokens or for vectors of texts; default `answer`. */
  readonly operation?: 'answer' | 'countTokens' | 'embed' | undefined
  /** Makes the reader of the answer to this request; default: that of the dialect. */
  readonly reader?: (() => AnswerReader) | undefined
  /**
   * Learns from a refusal how to ask: returns true if the next request for the same answer will take another form. Called
   * before anything of an answer was read; the wrapper decides whether it is asked again.
   */
  readonly learn?: ((refusal: XError) => boolean) | undefined
}

/** Connection to a provider, by an SDK or by plain HTTP. */
export interface Wire {
  /** Sends a request and returns the parsed body of the complete answer. */
  complete(request: LoweredRequest, call: WireCall): Promise<unknown>
  /** Sends a request and returns the parsed frames of the streamed answer, in groups as they arrive. */
  stream(request: LoweredRequest, call: WireCall): Promise<AsyncIterable<readonly unknown[]>>
  /** Sends a request about a batch and returns the body of the answer as text; absent where nobody asks for batches. */
  exchange?(request: BatchRequest, call: WireCall): Promise<string>
  /** Reads the refusal out of an error of an SDK; returns undefined for other errors. Those of `requireSuccess` need none. */
  refusalOf?(error: unknown): HttpRefusal | undefined
  /** Texts that errors must not contain. */
  readonly secrets: ReadonlySet<string>
  /** URL of requests, for error messages. */
  readonly url: string
}

/** Options of one request. */
export interface WireCall {
  readonly signal: AbortSignal
  /**
   * Says that nothing has left yet, before work such as reading a key: a failure of it costs nothing. Only for connections
   * that send by `createTransport`, which tells when the request leaves.
   */
  readonly begin?: (() => void) | undefined
  /**
   * Returns the options of a `fetch` by `createTransport` for this request: the given ones with the signal of the call, which
   * is made when it is read; absent where the caller gives the signal itself.
   */
  readonly initFor?: ((init: RequestInit) => RequestInit) | undefined
  /** Called with the headers of the response, if the connection has them. */
  readonly onHeaders?: ((headers: Pick<Headers, 'forEach'>) => void) | undefined
}

/** Reads one answer of a provider. */
export interface AnswerReader {
  /** Reads one frame of a stream; returns true for the last one. Throws for an error frame and skips unknown frames. */
  push(frame: unknown, answer: AnswerBuilder): boolean
  /** Reads a complete answer; default: as one frame. */
  whole?(body: unknown, answer: AnswerBuilder): void
}
