import type { ChatMessage } from './message.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ModelAnswer } from './model-answer.ts'
import type { ModelEvent } from './model-event.ts'
import type { Usage } from './usage.ts'

/** The parameters of one request, in the wire's names. */
export interface ModelParams {
  model?: string | undefined
  messages: ChatMessage[]
  [parameter: string]: unknown
}

/** What a client is told about the call beside its parameters. */
export interface ModelCallOptions {
  /** Stops the call. None in the blocking face. */
  readonly signal?: AbortSignal | undefined
  /** Whether no further config remains; while one does, the SDK's own retries are off. */
  readonly last?: boolean | undefined
  /** Which of several answers to an equal question is wanted; for clients whose answers do not depend on chance. */
  readonly sample?: number | undefined
  /** Seconds this call may take; overrides the config's. */
  readonly timeout?: number | undefined
  /** Longest wait, in seconds, that a provider may ask for before it is asked again; default 60. */
  readonly maxRetryAfter?: number | undefined
  /** Says that something of the request was left out or changed; a topic's text is shown once. */
  readonly warn?: ((topic: string, text: string) => void) | undefined
}

/** What a model can do; what is not said is not known. */
export interface ModelCapabilities {
  readonly tools?: boolean | undefined
  readonly images?: boolean | undefined
  readonly structuredOutput?: 'none' | 'json' | 'schema' | undefined
  readonly streaming?: boolean | undefined
  /** Size of the context window, in tokens. */
  readonly contextWindow?: number | undefined
}

/** One model behind one endpoint; implement it to bring a model of your own. */
export interface ModelClient {
  /** Answers a request. Fails with an `XError` that says its `kind`, so that the wrapper can decide what comes next. */
  create(params: ModelParams, options: ModelCallOptions): MaybePromise<ModelAnswer>
  /** Answers a request piece by piece; returns the whole answer, which is the fold of the events. */
  stream?(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer>
  /** Gives the texts of an answer, or its messages when they hold calls. */
  messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[]
  /** Gives tokens and cost of an answer. */
  getUsage(answer: ModelAnswer): Usage
  /** Gives the cost of an answer in US dollars, or null when the price is not known. */
  cost(answer: ModelAnswer): number | null
  /** What the model can do. */
  readonly capabilities?: ModelCapabilities | undefined
}
