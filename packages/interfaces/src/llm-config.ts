import type { Budget } from './budget.ts'
import type { CacheStore } from './cache.ts'
import type { ChatMessage } from './message.ts'
import type { ModelErrorKind } from './error.ts'
import type { Io } from './io.ts'
import type { Logger } from './log-record.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ToolSchema } from './tool.ts'
import type { FilterFunc, Model } from './model.ts'

/** Price in US dollars per 1,000 tokens: `[prompt, completion]`, or one number for both. Cached and reasoning tokens count as the others. */
export type Price = number | readonly [prompt: number, completion: number]

/** An API key, or a function that gives it afresh for each call. */
export type ApiKey = string | (() => MaybePromise<string>)

/** What makes one client: who, where, how long. */
export interface ClientOptions {
  /** API key; a local endpoint needs none. */
  apiKey?: ApiKey | undefined
  /** Which provider answers; default `openai`. */
  apiType?: string | undefined
  /** Root URL of the endpoint. */
  baseUrl?: string | undefined
  /** Version of a hosted endpoint's API. */
  apiVersion?: string | undefined
  /** Seconds a call may take. */
  timeout?: number | undefined
  /** Further attempts of the SDK itself, on the last config only. */
  maxRetries?: number | undefined
  /** HTTP headers to send in addition. */
  defaultHeaders?: Record<string, string> | undefined
  /** Replacement of the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Organisation to bill. */
  organization?: string | undefined
  /** Name of a class of your own, given later by `registerModelClient`. */
  modelClientCls?: string | undefined
}

/** What steers the wrapper and never travels: the spec's extra kwargs. */
export interface ExtraOptions {
  /** Cache for the answers; overrides `cacheSeed`. */
  cache?: CacheStore | null | undefined
  /** Seed of the default cache on disk; null for none. */
  cacheSeed?: number | null | undefined
  /** Accepts or refuses an answer; a refused one goes on to the next config. */
  filterFunc?: FilterFunc | null | undefined
  /** Whether texts are templates for `context`; default false. */
  allowFormatStrTemplate?: boolean | null | undefined
  /** Values for templates and callable contents. */
  context?: Record<string, unknown> | null | undefined
  /** Labels to choose configs by. */
  tags?: readonly string[] | undefined
  /** Price of this config's tokens; overrides the client's own. */
  price?: Price | null | undefined
  /** How this call uses the cache: `use` (default), `bypass` it, or `refresh` its entry. */
  cacheMode?: 'use' | 'bypass' | 'refresh' | undefined
  /** What a kind of failure leads to, where it differs from the default: the next config, or an end at once. */
  failover?: Partial<Record<ModelErrorKind, 'next' | 'stop'>> | undefined
  /** Longest wait, in seconds, that a provider may ask for before it is asked again; default 60. */
  maxRetryAfter?: number | undefined
  /** What the calls may use up, shared by every wrapper that is given it. */
  budget?: Budget | null | undefined
}

/** Request parameters every provider knows; further ones pass in the wire's names. */
export interface RequestParams {
  model?: string | undefined
  temperature?: number | null | undefined
  top_p?: number | null | undefined
  max_tokens?: number | null | undefined
  tools?: readonly ToolSchema[] | undefined
  functions?: readonly ToolSchema['function'][] | undefined
  messages?: readonly ChatMessage[] | undefined
}

/** One way to reach one model: an entry of a config list. Further keys are request parameters in the wire's names. */
export interface ConfigEntry extends ClientOptions, ExtraOptions, RequestParams {
  [parameter: string]: unknown
}

/** Which entries of a config list to keep. */
export interface ConfigFilter {
  /** Names of models; an entry is kept when its model is one of them. */
  model?: string | readonly string[] | undefined
  /** Labels; an entry is kept when it has one of them. */
  tags?: string | readonly string[] | undefined
}

/** An immutable description of the models an agent may use, in order of preference. */
export interface LlmConfig {
  /** The plain configuration. */
  readonly config: Readonly<ConfigEntry> & { readonly configList?: readonly ConfigEntry[] | undefined }
  /** The same with some keys changed; `undefined` removes a key. */
  with(changes: ConfigEntry): LlmConfig
  /** The same with only the entries that match. */
  where(filter: ConfigFilter): LlmConfig
  /** Makes the model; `replaces` is the one it takes over from, with its ledger and its clients. */
  createModel(options?: { io?: Io | undefined; logger?: Logger | undefined; replaces?: Model | undefined }): Model
}
