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
 * 1,000 `[prompt, completion]` or one number for both, where cached tokens count as the others.
 */
export type Price = number | readonly [prompt: number, completion: number] | TokenRates

/** An API key, or a function that returns one for each call. */
export type ApiKey = string | (() => MaybePromise<string>)

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
  /** Seconds a call may take. */
  timeout?: number | undefined
  /** Further attempts after a passing failure, on the last config of the list only; default 2. */
  maxRetries?: number | undefined
  /** Additional HTTP headers. */
  defaultHeaders?: Record<string, string> | undefined
  /** Replacement of the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Most bytes that are read of the body of a refusal; the rest is left. Default 65,536 (64 KiB). */
  maxErrorBytes?: number | undefined
  /** Most bytes between two events of a stream; above it the call fails with kind `server`. Default 16,777,216 (16 MiB). */
  maxEventBytes?: number | undefined
  /** Most bytes of an answer, complete or streamed; above it the call fails with kind `server`. Default 67,108,864 (64 MiB). */
  maxBodyBytes?: number | undefined
  /** Organisation to bill. */
  organization?: string | undefined
  /** Name of a client class that `registerModelClient` is given later. */
  modelClientCls?: string | undefined
}

/** Options of the model wrapper, which are not sent to a provider. */
export interface ExtraOptions {
  /** Cache for the answers; overrides `cacheSeed`. */
  cache?: CacheStore | null | undefined
  /** Seed of the default cache on disk; null for none. */
  cacheSeed?: number | null | undefined
  /** Seconds that the cache may take to look an answer up; after that the model is asked. Default 0.5. */
  cacheTimeout?: number | undefined
  /**
   * Seconds that a call waits at most for the answer to an equal call of another process, in a cache that several share; then
   * it asks itself. With 0 it never waits. Default 60.
   */
  cacheWait?: number | undefined
  /** Accepts or refuses an answer; after a refusal the next config is tried. */
  filterFunc?: FilterFunc | null | undefined
  /** Whether texts are templates to fill from `context`; default false. */
  allowFormatStrTemplate?: boolean | null | undefined
  /** Values for templates and for contents that are functions. */
  context?: Record<string, unknown> | null | undefined
  /** Labels by which `where` selects configs. */
  tags?: readonly string[] | undefined
  /** Price of this config's tokens; overrides the catalogue of the provider and costs that a provider states. */
  price?: Price | null | undefined
  /** How this call uses the cache: `use` it (default), `bypass` it, or `refresh` the stored answer. */
  cacheMode?: 'use' | 'bypass' | 'refresh' | undefined
  /** Overrides by kind of failure: `next` tries the next config, `stop` fails at once. */
  failover?: Partial<Record<ModelErrorKind, 'next' | 'stop'>> | undefined
  /** Longest `Retry-After`, in seconds, that is waited for; default 60. */
  maxRetryAfter?: number | undefined
  /** Limit for cost and tokens; shared by all wrappers with the same budget. */
  budget?: Budget | null | undefined
  /** Limit for requests, tokens and calls under way of a model; a call waits for its permit, and an answer of the cache needs none. */
  limiter?: Limiter | null | undefined
}

/**
 * An entry of a config list: one model at one endpoint. A further key is a request parameter in the wire's names, or an
 * option of a provider, whose package exports a type for it (`satisfies AnthropicConfig`).
 */
export interface ConfigEntry extends ClientOptions, ExtraOptions, RequestParams, RequestExtras {
  [parameter: string]: unknown
}
