import type { FilterFunc } from './answer.ts'
import type { Budget } from './budget.ts'
import type { CacheStore } from './cache.ts'
import type { ModelErrorKind } from './error.ts'
import type { Limiter } from './limiter.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { RequestExtras, RequestParams } from './request-params.ts'
import type { TokenRates } from './usage.ts'

/**
 * Price of tokens: rates in US dollars per 1,000,000, such as `{ input: 3, cached: 0.3, output: 15 }`, or in US dollars per
 * 1,000 tokens: `[prompt, completion]`, or one number for both, with cached tokens at the same price.
 */
export type Price = number | readonly [prompt: number, completion: number] | TokenRates

/** An API key, or a function that returns one for each call. */
export type ApiKey = string | (() => MaybePromise<string>)

/** Seconds that the parts of a request may take; an absent one does not end a call by itself. */
export interface CallTimeouts {
  /** Until a connection has taken the request. */
  readonly connect?: number | undefined
  /** From there to the first byte of the response. */
  readonly firstByte?: number | undefined
  /** Between two bytes of the response; comments that keep a connection alive count, too. */
  readonly silence?: number | undefined
  /** The whole request, without the time in which the reader of a stream holds an event. */
  readonly call?: number | undefined
}

/** Keys of a config entry that describe the client: provider, endpoint, key, limits. */
export interface ClientOptions {
  /** API key; local endpoints usually need no key. */
  apiKey?: ApiKey | undefined
  /** Provider to use; default `openai`. */
  apiType?: string | undefined
  /** Root URL of the endpoint. */
  baseUrl?: string | undefined
  /** Version of a hosted endpoint's API. */
  apiVersion?: string | undefined
  /**
   * Seconds that a request may take; default 600. Of a stream it limits the time to connect, to the first byte, and between
   * two bytes, while its reader waits for them.
   */
  timeout?: number | undefined
  /**
   * Further requests after a transient failure, on the last config of the list only; default 2. A config never sends more
   * than 1 + `maxRetries` requests for a call.
   */
  maxRetries?: number | undefined
  /** Additional HTTP headers; their values count as secrets, whatever their names. */
  defaultHeaders?: Record<string, string> | undefined
  /** Replacement of the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Most bytes that are read of an error response. Default 65,536 (64 KiB). */
  maxErrorBytes?: number | undefined
  /** Most bytes of one event of a stream; beyond it the call fails with kind `server`. Default 16,777,216 (16 MiB). */
  maxEventBytes?: number | undefined
  /** Most bytes of an answer, complete or streamed; beyond it the call fails with kind `server`. Default 67,108,864 (64 MiB). */
  maxBodyBytes?: number | undefined
  /** Organisation to bill. */
  organization?: string | undefined
  /** Name of a client class, to be registered by `registerModelClient`. */
  modelClientCls?: string | undefined
}

/** Options of the model wrapper, which are not sent to a provider. */
export interface ExtraOptions {
  /** Cache for the answers; overrides `cacheSeed`. */
  cache?: CacheStore | null | undefined
  /** Seed of the default cache on disk; null for none. */
  cacheSeed?: number | null | undefined
  /** Seconds that a cache lookup may take; then the model is asked, and the cache is not looked up for 30 s. Default 0.5. */
  cacheTimeout?: number | undefined
  /**
   * Most seconds that a call waits for the answer to an equal call of another process that shares the cache; then it asks the
   * model itself. 0 disables waiting. Default 60.
   */
  cacheWait?: number | undefined
  /** Accepts or refuses an answer; after a refusal the next config is tried. */
  filterFunc?: FilterFunc | null | undefined
  /** True to fill texts as templates from `context`; default false. */
  allowFormatStrTemplate?: boolean | null | undefined
  /** Values for templates, and the argument of contents that are functions. */
  context?: Record<string, unknown> | null | undefined
  /** Labels by which `where` selects configs. */
  tags?: readonly string[] | undefined
  /** Price of this config's tokens; overrides the provider's catalogue and the costs that a provider reports. */
  price?: Price | null | undefined
  /** How this call uses the cache: `use` it (default), `bypass` it, or `refresh` the stored answer. */
  cacheMode?: 'use' | 'bypass' | 'refresh' | undefined
  /** Overrides by kind of failure: `next` tries the next config, `stop` fails at once. */
  failover?: Partial<Record<ModelErrorKind, 'next' | 'stop'>> | undefined
  /** Longest `Retry-After` to wait for, in seconds; default 60. */
  maxRetryAfter?: number | undefined
  /**
   * True to send a request again that got no answer in time, although it may be paid for; default false: the next config is
   * tried. A stream without content is sent again in any case.
   */
  retryTimeouts?: boolean | undefined
  /**
   * True to hand the request in as a part of a batch, with those that are asked at the same time: the answer comes within hours
   * and costs a part of the price. In a run with a journal, another process goes on with the same batch. Default false.
   */
  batch?: boolean | undefined
  /** Limits for the parts of a request, in seconds; each wins over `timeout`. */
  timeouts?: CallTimeouts | undefined
  /** Limit for cost, tokens and calls, which all wrappers with the same budget share. */
  budget?: Budget | null | undefined
  /** Limit for requests, tokens and calls in flight of a model. A call waits for a permit; a cache hit needs none. */
  limiter?: Limiter | null | undefined
}

/**
 * An entry of a config list: one model at one endpoint. A further key is a request parameter in the wire's names, or an
 * option of a provider, whose package exports a type for it (`satisfies AnthropicConfig`).
 */
export interface ConfigEntry extends ClientOptions, ExtraOptions, RequestParams, RequestExtras {
  [parameter: string]: unknown
}
