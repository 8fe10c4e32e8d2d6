import type { Budget, ConfigEntry, JsonSchema, Limiter, ToolSchema } from '@x/interfaces'
import { kind, type OptionKinds } from '@x/kernel/options'

/** The keys of an entry by name; any other one is a parameter of requests. */
type NamedKeys = { [K in keyof ConfigEntry as string extends K ? never : K]: ConfigEntry[K] }

/** Kinds of the keys of an entry that configure its client. */
const CLIENT_KINDS = {
  apiKey: kind.either(kind.text, kind.call),
  apiType: kind.text,
  baseUrl: kind.text,
  apiVersion: kind.text,
  timeout: kind.timeout,
  maxRetries: kind.whole(0),
  defaultHeaders: kind.object,
  fetch: kind.call,
  maxErrorBytes: kind.whole(1),
  maxEventBytes: kind.whole(1),
  maxBodyBytes: kind.whole(1),
  organization: kind.text,
  modelClientCls: kind.text,
} satisfies Partial<OptionKinds<NamedKeys>>

/** Names of the parts of a request that `timeouts` limits. */
export const TIMEOUT_NAMES = ['connect', 'firstByte', 'silence', 'call'] as const

const TIMEOUTS_KIND: OptionKinds<Pick<ConfigEntry, 'timeouts'>>['timeouts'] = {
  expected: 'seconds above 0 by their names, as in { connect: 5, firstByte: 60, silence: 60, call: 600 }',
  takes: (value) =>
    kind.object.takes(value) &&
    Object.entries(value).every(
      ([name, seconds]) =>
        (TIMEOUT_NAMES as readonly string[]).includes(name) &&
        (seconds === undefined || kind.timeout.takes(seconds as number)),
    ),
}

/** The options of a call that are not sent. */
export interface Extra extends Pick<
  ConfigEntry,
  | 'allowFormatStrTemplate'
  | 'batch'
  | 'cache'
  | 'cacheMode'
  | 'cacheSeed'
  | 'cacheTimeout'
  | 'cacheWait'
  | 'failover'
  | 'maxRetryAfter'
  | 'retryTimeouts'
  | 'price'
  | 'tags'
  | 'timeout'
  | 'timeouts'
> {
  readonly filterFunc?: NonNullable<ConfigEntry['filterFunc']> | null | undefined
  readonly context?: Record<string, unknown> | null | undefined
  readonly agent?: string | undefined
  readonly sample?: number | undefined
  readonly answerSchema?: JsonSchema | undefined
  readonly moreTools?: readonly ToolSchema[] | undefined
  readonly budget?: Budget | null | undefined
  readonly limiter?: Limiter | null | undefined
}

/** Kinds of the options of a call that are not sent; `timeout` is one of its client, too. */
const EXTRA_KINDS: OptionKinds<Omit<Extra, 'timeout'>> = {
  cache: kind.orNull(kind.having('a cache, such as `createMemoryCache()`', 'get', 'set')),
  cacheSeed: kind.orNull(kind.finite),
  cacheTimeout: kind.positive,
  cacheWait: kind.number(0),
  filterFunc: kind.orNull(kind.call),
  allowFormatStrTemplate: kind.orNull(kind.flag),
  context: kind.orNull(kind.object),
  tags: kind.list,
  // `entryPrice` checks a price and explains its forms.
  price: kind.any,
  cacheMode: kind.oneOf('use', 'bypass', 'refresh'),
  failover: kind.object,
  maxRetryAfter: kind.number(0),
  retryTimeouts: kind.flag,
  batch: kind.flag,
  timeouts: TIMEOUTS_KIND,
  budget: kind.orNull(kind.having('a budget, such as `createBudget({ cost: 0.5 })`, in US dollars', 'reserve')),
  limiter: kind.orNull(kind.having("a limiter, such as `createLimiter({ 'gpt-5': { requests: 500 } })`", 'acquire')),
  // Anything but a text counts as no agent.
  agent: kind.any,
  sample: kind.finite,
  answerSchema: kind.object,
  moreTools: kind.list,
}

/** Keys of an entry that configure its client and are not request parameters. */
export const CLIENT_KEYS: ReadonlySet<string> = new Set(Object.keys(CLIENT_KINDS))

/** Options of the wrapper, which are never sent. */
export const EXTRA_KEYS: ReadonlySet<string> = new Set(['apiVersion', 'apiType', ...Object.keys(EXTRA_KINDS)])

/** Kinds of the keys of an entry that are not request parameters; adapters check request parameters. */
export const ENTRY_KINDS: ReadonlyMap<string, OptionKinds<Record<string, never>>[string]> = new Map(
  Object.entries({ ...CLIENT_KINDS, ...EXTRA_KINDS }),
)

/**
 * Request parameters that events show. They are settings: a parameter that holds content, personal data, headers or anything
 * else that may be a secret belongs in `WIRE_KEYS` alone.
 */
export const SHOWN_PARAMS: ReadonlySet<string> = new Set([
  'audio',
  'frequency_penalty',
  'function_call',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'min_p',
  'modalities',
  'n',
  'parallel_tool_calls',
  'presence_penalty',
  'reasoning',
  'reasoning_effort',
  'repetition_penalty',
  'response_format',
  'seed',
  'service_tier',
  'stop',
  'store',
  'temperature',
  'thinking',
  'tool_choice',
  'top_a',
  'top_k',
  'top_logprobs',
  'top_p',
  'verbosity',
])

/** Known request parameters. Others are sent too, unless they look like a misspelling of one of these. */
export const WIRE_KEYS: ReadonlySet<string> = new Set([
  ...SHOWN_PARAMS,
  'extra_body',
  'extra_headers',
  'functions',
  'includeRaw',
  'messages',
  'metadata',
  'model',
  'prediction',
  'prompt',
  'prompt_cache_key',
  'providerOptions',
  'safety_identifier',
  'stream',
  'stream_options',
  'system',
  'tools',
  'user',
  'web_search_options',
])
