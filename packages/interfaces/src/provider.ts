import type { AnswerUsage, ModelAnswer } from './answer.ts'
import type { CallTimeouts, ConfigEntry } from './config-entry.ts'
import type { EmbedAnswer, EmbedParams } from './embedding.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ChatMessage } from './message.ts'
import type { ModelEvent } from './model-event.ts'
import type { RequestExtras, RequestParams } from './request-params.ts'
import type { TraceContext } from './run.ts'
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
  /** Name of the package, for events; default: that of `module`. */
  readonly name?: string | undefined
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
  /** Stops the call; absent for blocking calls. It is made when it is read. */
  readonly signal?: AbortSignal | undefined
  /**
   * Tells a listener why the call stops, as `signal` does and at once if it has fired; returns what takes the listener off.
   * A client that has no use for a signal saves making one for each call. Absent: `signal` alone tells.
   */
  onStop?(listener: (reason: unknown) => void): () => void
  /** Number that tells equal requests apart, for clients with deterministic answers. */
  readonly sample?: number | undefined
  /**
   * Seconds that this call may take; overrides `timeout` of the config. Of a stream it limits the time to connect, to the
   * first byte, and between two bytes.
   */
  readonly timeout?: number | undefined
  /** Limits for the parts of the request, in seconds; each wins over `timeout`. */
  readonly timeouts?: CallTimeouts | undefined
  /**
   * Reports how far the request came: `true` (default) when its first byte leaves, `false` while or if nothing has left. A
   * client that reports nothing counts as having sent its request. Returns false if nothing may leave any more, because a
   * request of this call has left before or the call has ended: a client sends one request per call, and the wrapper decides
   * whether another one follows.
   */
  readonly onSend?: ((hasLeft?: boolean) => boolean) | undefined
  /** Reports the counts of an answer as they arrive; those of an answer that breaks off are paid for. */
  readonly onUsage?: ((usage: AnswerUsage) => void) | undefined
  /** The trace context of the attempt, which goes out as headers of the request; absent if nobody follows the run. */
  readonly trace?: TraceContext | undefined
  /** Reports that a part of the request was left out or changed; each topic is shown once. */
  readonly warn?: ((topic: string, text: string) => void) | undefined
  /** Keeps an answer that the provider makes in the background; absent if nothing keeps it beyond this process. */
  readonly background?: KeptBackground | undefined
}

/** An answer that a provider makes in the background, in a run with a journal. */
interface KeptBackground {
  /** Identifier of the answer that an earlier process has asked for; undefined for none. */
  readonly known: string | undefined
  /** Keeps the identifier of an answer that was asked for. */
  keep(id: string): MaybePromise<void>
  /**
   * Leaves the process for some seconds, where a host calls again: the promise never resolves. Undefined for a time so short
   * that the client waits itself; absent where there is no host.
   */
  readonly leave?: ((seconds: number) => Promise<never> | undefined) | undefined
}

/** Timer and random numbers for the wait before a request is sent again. */
export interface RetryClock {
  /** Waits some milliseconds, or until the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** A number from 0 up to 1. */
  readonly random: () => number
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

/**
 * The client of one model at one endpoint; implement it for a model of your own. Each method sends one request: the wrapper
 * decides whether a failed one is sent again, and counts each in budgets and limits.
 */
export interface ModelClient {
  /**
   * Answers a request. Throws an `XError` with a `kind`, which decides whether the wrapper sends the request again or tries
   * the next config. `details.askAgain: true` asks for another call at once, since the client now knows a better form of the
   * request.
   */
  create(params: ModelParams, options: ModelCallOptions): MaybePromise<ModelAnswer>
  /**
   * Answers a request as a stream of events; returns the complete answer, which is the fold of the events. Its `takeReady`
   * gives the events that are there already, which would otherwise follow one by one; default: none.
   */
  stream?(
    params: ModelParams,
    options: ModelCallOptions,
  ): AsyncGenerator<ModelEvent, ModelAnswer> & { readonly takeReady?: (() => readonly ModelEvent[]) | undefined }
  /** Counts the input tokens of a request without answering it; absent if the provider does not support it. */
  readonly countTokens?: ((params: ModelParams, options: ModelCallOptions) => MaybePromise<number>) | undefined
  /**
   * Returns a vector for each text of a request; absent if the provider has no embeddings. Throws as `create` does.
   */
  readonly embed?: ((params: EmbedParams, options: ModelCallOptions) => MaybePromise<EmbedAnswer>) | undefined
  /** Most texts of one request of `embed`, and most tokens of them together; default: no limit. */
  readonly embedLimits?: { readonly texts?: number | undefined; readonly tokens?: number | undefined } | undefined
  /** Batches of the provider; absent if it has none. */
  readonly batches?: ClientBatches | undefined
  /** Returns the texts of an answer, or the messages when they contain calls. */
  messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[]
  /** Returns tokens and cost of an answer. */
  getUsage(answer: ModelAnswer): Usage
  /** Returns the cost of an answer in US dollars, or null if the price is unknown. */
  cost(answer: ModelAnswer): number | null
  /** URL of the endpoint, of which events show the host; default: `baseUrl` of the config. */
  readonly endpoint?: string | undefined
  /** Abilities of the model. */
  readonly capabilities?: ModelCapabilities | undefined
  /** Returns the limits of a model by its name; default: those of `capabilities`. */
  limitsOf?(model: string): ModelLimits
  /** Timer and random numbers for the wait before a further call; default: those of the platform. */
  readonly clock?: RetryClock | undefined
}

/** Requests that a provider answers together within hours, at a part of the price. Each method may send several requests. */
export interface ClientBatches {
  /** Most requests of one batch. */
  readonly maxRequests: number
  /** Part of the price of an answer that one of a batch costs, such as 0.5. */
  readonly priceFactor: number
  /** Hands requests in, and returns the identifier of their batch. `key` names the batch: letters and digits, at most 40. */
  submit(requests: readonly ModelParams[], key: string, options: ModelCallOptions): Promise<string>
  /**
   * Finds the batch of a key, when it is not known whether it was handed in. Returns null for none, and undefined if that cannot
   * be told yet.
   */
  find(key: string, options: ModelCallOptions): Promise<string | null | undefined>
  /** Tells whether a batch has ended, so that its results are there. */
  hasEnded(id: string, options: ModelCallOptions): Promise<boolean>
  /** Returns the answer to each request of a batch that has ended, or the error of a request that has none, in their order. */
  results(
    batch: { readonly id: string; readonly key: string; readonly requests: readonly ModelParams[] },
    options: ModelCallOptions,
  ): Promise<readonly (ModelAnswer | Error)[]>
  /** Asks the provider to answer no further request of a batch. */
  cancel(id: string, options: ModelCallOptions): Promise<void>
}

/** Limits of a model, in tokens; absent means unknown. */
export interface ModelLimits {
  /** Size of the context window: input and answer together. */
  readonly contextWindow?: number | undefined
  /** Most tokens of one answer, reasoning included. */
  readonly maxOutput?: number | undefined
}
