const CLIENT_KEY_NAMES = [
  'apiKey',
  'apiType',
  'baseUrl',
  'apiVersion',
  'timeout',
  'maxRetries',
  'defaultHeaders',
  'fetch',
  'maxErrorBytes',
  'maxEventBytes',
  'maxBodyBytes',
  'organization',
  'modelClientCls',
] as const

/** Name of a key that configures a client. */
export type ClientKey = (typeof CLIENT_KEY_NAMES)[number]

/** Keys of an entry that configure its client and are not request parameters. */
export const CLIENT_KEYS: ReadonlySet<string> = new Set(CLIENT_KEY_NAMES)

/** Options of the wrapper, which are never sent. */
export const EXTRA_KEYS: ReadonlySet<string> = new Set([
  'agent',
  'batch',
  'cache',
  'cacheSeed',
  'cacheTimeout',
  'cacheWait',
  'filterFunc',
  'allowFormatStrTemplate',
  'context',
  'apiVersion',
  'apiType',
  'tags',
  'price',
  'sample',
  'answerSchema',
  'moreTools',
  'cacheMode',
  'failover',
  'maxRetryAfter',
  'retryTimeouts',
  'timeouts',
  'budget',
  'limiter',
])

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
