import type { Budget } from './budget.ts'
import type { CacheStore } from './cache.ts'
import type { ChatMessage } from './message.ts'
import type { ModelErrorKind } from './error.ts'
import type { Io } from './io.ts'
import type { Logger } from './log-record.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { FunctionSchema, ToolSchema } from './tool.ts'
import type { FilterFunc, Model } from './model.ts'

/** Price in US dollars per 1,000 tokens: `[prompt, completion]`, or one number for both. Cached and reasoning tokens count as the others. */
export type Price = number | readonly [prompt: number, completion: number]

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
  /** Accepts or refuses an answer; after a refusal the next config is tried. */
  filterFunc?: FilterFunc | null | undefined
  /** Whether texts are templates to fill from `context`; default false. */
  allowFormatStrTemplate?: boolean | null | undefined
  /** Values for templates and for contents that are functions. */
  context?: Record<string, unknown> | null | undefined
  /** Labels by which `where` selects configs. */
  tags?: readonly string[] | undefined
  /** Price of this config's tokens; overrides the price table of the client. */
  price?: Price | null | undefined
  /** How this call uses the cache: `use` it (default), `bypass` it, or `refresh` the stored answer. */
  cacheMode?: 'use' | 'bypass' | 'refresh' | undefined
  /** Overrides by kind of failure: `next` tries the next config, `stop` fails at once. */
  failover?: Partial<Record<ModelErrorKind, 'next' | 'stop'>> | undefined
  /** Longest `Retry-After`, in seconds, that is waited for; default 60. */
  maxRetryAfter?: number | undefined
  /** Limit for cost and tokens; shared by all wrappers with the same budget. */
  budget?: Budget | null | undefined
}

/**
 * Request parameters that providers share, in the names of OpenAI's wire format; null counts as absent. An adapter
 * translates each for its provider and leaves out, with a warning, what the model does not take.
 */
export interface RequestParams {
  model?: string | undefined
  messages?: readonly ChatMessage[] | undefined
  /** Sampling temperature, usually from 0 to 2. */
  temperature?: number | null | undefined
  /** Share of the probability that sampling considers, from 0 to 1. */
  top_p?: number | null | undefined
  /** Number of candidate tokens that sampling considers. */
  top_k?: number | null | undefined
  /** Most tokens of the answer. */
  max_tokens?: number | null | undefined
  /** Most tokens of the answer, reasoning included; wins over `max_tokens`. */
  max_completion_tokens?: number | null | undefined
  /** Texts that end the answer. */
  stop?: string | readonly string[] | null | undefined
  /** Makes sampling repeatable where the provider can. */
  seed?: number | null | undefined
  /** Number of alternative answers; default 1. */
  n?: number | null | undefined
  /** Penalty for tokens that occurred before, from -2 to 2. */
  presence_penalty?: number | null | undefined
  /** Penalty for tokens by how often they occurred, from -2 to 2. */
  frequency_penalty?: number | null | undefined
  /** Probabilities by token id, from -100 to 100. */
  logit_bias?: Readonly<Record<string, number>> | null | undefined
  /** Whether to give probabilities of tokens; a number for the older endpoint of prompts. */
  logprobs?: boolean | number | null | undefined
  /** Number of alternative tokens to give probabilities of. */
  top_logprobs?: number | null | undefined
  /** Tools the model may call. */
  tools?: readonly ToolSchema[] | undefined
  /** Which tool the model calls: as it likes, none, at least one, or the one that is named. */
  tool_choice?:
    | 'auto'
    | 'none'
    | 'required'
    | { readonly type: 'function'; readonly function: { readonly name: string } }
    | (string & {})
    | { readonly [key: string]: unknown }
    | null
    | undefined
  /** Whether the model may make several calls at once. */
  parallel_tool_calls?: boolean | null | undefined
  /** The older form of `tools`. */
  functions?: readonly FunctionSchema[] | null | undefined
  /** The older form of `tool_choice`. */
  function_call?: 'auto' | 'none' | (string & {}) | { readonly name: string } | null | undefined
  /** Form of the answer: a JSON Schema, a schema of zod or a similar library, or the wire's own form. */
  response_format?: object | null | undefined
  /** How much the model reasons. */
  reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | (string & {}) | null | undefined
  /** How long answers are. */
  verbosity?: 'low' | 'medium' | 'high' | (string & {}) | null | undefined
  /** Tier of service to be billed for. */
  service_tier?: string | null | undefined
  /** Identifier of the end user. */
  user?: string | null | undefined
  /** Labels that the provider stores with the request. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * An entry of a config list: one model at one endpoint. A further key is a request parameter in the wire's names, or an
 * option of a provider, whose package exports a type for it (`satisfies AnthropicConfig`).
 */
export interface ConfigEntry extends ClientOptions, ExtraOptions, RequestParams {
  [parameter: string]: unknown
}

/** Filter for the entries of a config list. */
export interface ConfigFilter {
  /** Keeps entries of these models. */
  model?: string | readonly string[] | undefined
  /** Keeps entries with at least one of these labels. */
  tags?: string | readonly string[] | undefined
}

/** An immutable description of the models an agent may use, in order of preference. */
export interface LlmConfig {
  /** The plain configuration. */
  readonly config: Readonly<ConfigEntry> & { readonly configList?: readonly ConfigEntry[] | undefined }
  /** Returns a copy with some keys changed; `undefined` removes a key. */
  with(changes: ConfigEntry): LlmConfig
  /** Returns a copy with only the entries that match. */
  where(filter: ConfigFilter): LlmConfig
  /** Creates a model; with `replaces` it takes over the usage and the clients of that model. */
  createModel(options?: { io?: Io | undefined; logger?: Logger | undefined; replaces?: Model | undefined }): Model
}
