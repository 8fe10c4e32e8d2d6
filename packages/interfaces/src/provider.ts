import type { ModelAnswer } from './answer.ts'
import type { ConfigEntry } from './config-entry.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ChatMessage } from './message.ts'
import type { ModelEvent } from './model-event.ts'
import type { RequestExtras, RequestParams } from './request-params.ts'
import type { Usage } from './usage.ts'

/** The module that exports a provider. */
export interface ProviderModule {
  /** Name of the package. */
  readonly specifier: string
  /** Name of the export. */
  readonly export: string
  /** URL of the module (`import.meta.url`), to import it from any package; default: import by `specifier`. */
  readonly url?: string | undefined
}

/** Adapter for one vendor, listed in `providers` of an `llmConfig`. */
export interface Provider {
  /** Values of `apiType` that select this provider. */
  readonly apiTypes: readonly string[]
  /** Module from which another thread imports the provider; blocking calls need it. */
  readonly module?: ProviderModule | undefined
  /** Version of this interface. */
  readonly specVersion: 1
  /** Config keys that only this provider has; they go to the client and are not sent as request parameters. */
  readonly clientKeys?: readonly string[] | undefined
  /** Creates a client for one config entry. */
  createClient(config: ConfigEntry): ModelClient
}

/** Parameters of one request, in the wire's names. */
export interface ModelParams extends Omit<RequestParams, 'messages'>, RequestExtras {
  messages: ChatMessage[]
  [parameter: string]: unknown
}

/** Options of one call to a model client. */
export interface ModelCallOptions {
  /** Stops the call; absent for blocking calls. */
  readonly signal?: AbortSignal | undefined
  /** True for the last config of the list; retries are off for the others. */
  readonly last?: boolean | undefined
  /** Number that tells equal requests apart, for clients with deterministic answers. */
  readonly sample?: number | undefined
  /** Seconds that this call may take; overrides `timeout` of the config. */
  readonly timeout?: number | undefined
  /** Longest `Retry-After` to wait for, in seconds; default 60. */
  readonly maxRetryAfter?: number | undefined
  /**
   * Called before each request, retries included: each counts as a call in the budgets. Returns false if a further request does
   * not fit; the attempt before is then the last.
   */
  readonly onSend?: (() => boolean) | undefined
  /** Reports that a part of the request was left out or changed; each topic is shown once. */
  readonly warn?: ((topic: string, text: string) => void) | undefined
}

/** Abilities of a model; absent means unknown. */
export interface ModelCapabilities extends ModelLimits {
  readonly tools?: boolean | undefined
  readonly images?: boolean | undefined
  readonly structuredOutput?: 'none' | 'json' | 'schema' | undefined
  /** True if structured output can be combined with tools. */
  readonly structuredOutputWithTools?: boolean | undefined
  readonly streaming?: boolean | undefined
}

/** The client of one model at one endpoint; implement it for a model of your own. */
export interface ModelClient {
  /** Answers a request. Throws an `XError` with a `kind`, which decides whether the wrapper tries the next config. */
  create(params: ModelParams, options: ModelCallOptions): MaybePromise<ModelAnswer>
  /** Answers a request as a stream of events; returns the complete answer, which is the fold of the events. */
  stream?(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer>
  /** Counts the input tokens of a request without answering it; absent if the provider does not support it. */
  readonly countTokens?: ((params: ModelParams, options: ModelCallOptions) => MaybePromise<number>) | undefined
  /** Returns the texts of an answer, or the messages when they contain calls. */
  messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[]
  /** Returns tokens and cost of an answer. */
  getUsage(answer: ModelAnswer): Usage
  /** Returns the cost of an answer in US dollars, or null if the price is unknown. */
  cost(answer: ModelAnswer): number | null
  /** Abilities of the model. */
  readonly capabilities?: ModelCapabilities | undefined
  /** Returns the limits of a model by its name; default: those of `capabilities`. */
  limitsOf?(model: string): ModelLimits
}

/** Limits of a model, in tokens; absent means unknown. */
export interface ModelLimits {
  /** Size of the context window: input and answer together. */
  readonly contextWindow?: number | undefined
  /** Most tokens of one answer, reasoning included. */
  readonly maxOutput?: number | undefined
}
