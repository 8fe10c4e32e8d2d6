import type { ConfigEntry } from '@x/interfaces'
import type { Dialect } from '@x/provider-kit'

/** Rules for the kinds of errors. */
export type FailureRules = NonNullable<Dialect['failureRules']>

/** Rules of an endpoint of chat completions that may differ from OpenAI's. */
export interface EndpointProfile {
  /** Messages that may have a `name`: of all roles, of the user, or none; the names of other messages are left out. */
  readonly messageNames: 'all' | 'user' | 'none'
  /** Length of call ids: exactly 9 letters or digits, or any up to 40 letters, digits, `_` and `-`. */
  readonly callIdLength: 9 | 'any'
  /** Key that limits the length of an answer; `by-model`: the given key, with OpenAI's rule for reasoning models. */
  readonly limitKey: 'max_tokens' | 'max_completion_tokens' | 'by-model'
  /** Form in which the reasoning of earlier answers is sent back. */
  readonly reasoning: ReasoningForm
  /** Text that stands for unknown reasoning, where `reasoning_content` must not be missing. */
  readonly missingReasoning: string | undefined
  /** Role of system messages; `by-model`: `developer` for OpenAI's reasoning models. */
  readonly systemRole: 'system' | 'by-model'
  /** Whether streams may be asked for usage (`stream_options`). */
  readonly streamUsage: boolean
  /** Whether a text that begins with `<think>` begins with reasoning. */
  readonly thinkTags: boolean
  /**
   * Order of roles: any; results of tools before an answer, and the user or a tool last; or, in addition, the user and the
   * assistant in turns.
   */
  readonly roleOrder: 'any' | 'answer-after-tool' | 'alternating'
  /** Request parameters that the endpoint refuses; they are left out with a warning. */
  readonly refusedParams: readonly string[]
  /** Kinds of errors that the endpoint alone words so, or answers with such a status. */
  readonly failureRules: FailureRules
}

/**
 * Form in which reasoning is sent back: not at all; signed details as they came; as `reasoning_content`, always or in
 * conversations with tools; as OpenRouter's list of details; as parts of the content; or as the signatures of Gemini's calls.
 */
export type ReasoningForm = (typeof REASONING_FORMS)[number]

/** The forms in which reasoning is sent back. */
export const REASONING_FORMS = [
  'none',
  'signed',
  'reasoning_content',
  'reasoning_content-with-tools',
  'reasoning_details',
  'thinking-parts',
  'thought-signatures',
] as const

/** A row of the table: domains or a port by which the endpoint is recognised, and its rules. */
export interface EndpointRow extends EndpointProfile {
  readonly hosts: readonly string[]
  /** Usual port of a local server. */
  readonly port?: string | undefined
}

/** OpenAI's own rules. */
const OPENAI_ROW: EndpointRow = {
  hosts: ['openai.com'],
  messageNames: 'all',
  callIdLength: 'any',
  limitKey: 'by-model',
  reasoning: 'none',
  missingReasoning: undefined,
  systemRole: 'by-model',
  streamUsage: true,
  thinkTags: false,
  roleOrder: 'any',
  refusedParams: [],
  failureRules: [],
}

/** Errors of servers of open models: of llama.cpp with 500 for requests that it will never take, of others with 403 for accounts. */
const SERVER_RULES: FailureRules = [
  { kind: 'quota', status: 403, words: 'balance is insufficient' },
  { kind: 'invalid-request', status: 500, words: 'input is not supported' },
  { kind: 'invalid-request', status: 500, words: 'requires --jinja' },
  { kind: 'invalid-request', status: 500, words: 'jinja exception' },
  { kind: 'invalid-request', status: 500, words: 'failed to parse grammar' },
]

/** An endpoint about which nothing is known. */
const COMPATIBLE_ROW: EndpointRow = {
  ...OPENAI_ROW,
  hosts: [],
  reasoning: 'signed',
  thinkTags: true,
  failureRules: SERVER_RULES,
}

/** A server with models of other makers, which know no `developer`. */
const OPEN_ROW: EndpointRow = { ...COMPATIBLE_ROW, reasoning: 'none', systemRole: 'system' }

/** Parameters that only OpenAI knows; endpoints that check their requests refuse them. */
const OPENAI_PARAMS = [
  'audio',
  'modalities',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'store',
  'verbosity',
  'web_search_options',
]

/** Name of a row of the table. */
export type EndpointName =
  | 'openai'
  | 'azure'
  | 'groq'
  | 'mistral'
  | 'deepseek'
  | 'moonshot'
  | 'openrouter'
  | 'xai'
  | 'together'
  | 'fireworks'
  | 'cerebras'
  | 'perplexity'
  | 'ollama'
  | 'vllm'
  | 'lmstudio'
  | 'gemini'
  | 'snowflake'
  | 'compatible'

/**
 * Endpoints by name, as their documentation and their errors described them in November 2026. `docs/endpoints.md` has the
 * same table with the reasons; a test compares them.
 */
export const ENDPOINTS: Readonly<Record<EndpointName, EndpointRow>> = {
  openai: OPENAI_ROW,
  azure: { ...OPENAI_ROW, hosts: ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'] },
  groq: {
    ...OPEN_ROW,
    hosts: ['groq.com'],
    messageNames: 'none',
    limitKey: 'max_completion_tokens',
    refusedParams: [...OPENAI_PARAMS, 'logit_bias', 'logprobs', 'top_logprobs'],
    failureRules: [
      // The capacity of the flex tier is used up.
      { kind: 'overloaded', status: 498 },
      // The model failed to write a call or JSON: it may succeed the next time.
      { kind: 'server', status: 400, words: 'tool_use_failed' },
      { kind: 'server', status: 400, words: 'json_validate_failed' },
      // The limit of spending is reached.
      { kind: 'quota', words: 'blocked_api_access' },
    ],
  },
  mistral: {
    ...OPEN_ROW,
    hosts: ['mistral.ai'],
    messageNames: 'none',
    callIdLength: 9,
    limitKey: 'max_tokens',
    reasoning: 'thinking-parts',
    streamUsage: false,
    roleOrder: 'answer-after-tool',
    // It takes the key by which a prompt is found in its cache, and keeps none without it.
    refusedParams: [
      ...OPENAI_PARAMS.filter((name) => name !== 'prompt_cache_key'),
      ...['logit_bias', 'logprobs', 'top_k', 'top_logprobs', 'user'],
    ],
  },
  deepseek: {
    ...OPEN_ROW,
    hosts: ['deepseek.com'],
    limitKey: 'max_tokens',
    reasoning: 'reasoning_content-with-tools',
    missingReasoning: '',
  },
  moonshot: {
    ...OPEN_ROW,
    hosts: ['moonshot.ai', 'moonshot.cn', 'kimi.com', 'kimi.ai'],
    limitKey: 'max_completion_tokens',
    reasoning: 'reasoning_content',
    missingReasoning: ' ',
  },
  openrouter: {
    ...COMPATIBLE_ROW,
    hosts: ['openrouter.ai'],
    reasoning: 'reasoning_details',
    failureRules: [
      { kind: 'content-filter', status: 403, words: 'flagged' },
      { kind: 'quota', status: 403, words: 'limit exceeded' },
      { kind: 'quota', status: 429, words: 'free-models-per-day' },
    ],
  },
  xai: {
    ...OPEN_ROW,
    hosts: ['x.ai'],
    messageNames: 'user',
    limitKey: 'max_completion_tokens',
    refusedParams: ['frequency_penalty', 'presence_penalty', 'prompt_cache_options', 'stop'],
    failureRules: [
      { kind: 'quota', status: 403, words: 'credits' },
      { kind: 'content-filter', status: 403, words: 'content violates' },
      { kind: 'content-filter', status: 403, words: 'safety_check' },
    ],
  },
  together: {
    ...OPEN_ROW,
    hosts: ['together.xyz', 'together.ai'],
    limitKey: 'max_tokens',
    failureRules: [
      // The input and `max_tokens` are longer than the window.
      { kind: 'context-overflow', status: 403, words: 'token' },
    ],
  },
  fireworks: {
    ...OPEN_ROW,
    hosts: ['fireworks.ai'],
    limitKey: 'max_tokens',
    reasoning: 'reasoning_content',
    failureRules: [
      // The account is suspended: a limit of its spending, or an unpaid invoice.
      { kind: 'quota', status: 412 },
    ],
  },
  cerebras: {
    ...OPEN_ROW,
    hosts: ['cerebras.ai'],
    messageNames: 'none',
    limitKey: 'max_completion_tokens',
    refusedParams: [...OPENAI_PARAMS, 'frequency_penalty', 'logit_bias', 'metadata', 'presence_penalty'],
    failureRules: [
      { kind: 'context-overflow', status: 400, words: '' },
      { kind: 'overloaded', words: 'queue_exceeded' },
    ],
  },
  perplexity: {
    ...OPEN_ROW,
    hosts: ['perplexity.ai'],
    limitKey: 'max_tokens',
    streamUsage: false,
    roleOrder: 'alternating',
  },
  ollama: { ...OPEN_ROW, hosts: ['ollama.com'], port: '11434', limitKey: 'max_tokens' },
  vllm: { ...OPEN_ROW, port: '8000', limitKey: 'max_tokens' },
  lmstudio: {
    ...OPEN_ROW,
    port: '1234',
    limitKey: 'max_tokens',
    failureRules: [
      ...SERVER_RULES,
      { kind: 'not-found', words: 'model_not_found' },
      { kind: 'server', status: 400, words: 'model has crashed' },
      { kind: 'server', status: 400, words: 'model unloaded' },
      { kind: 'server', status: 400, words: 'failed to load model' },
    ],
  },
  gemini: {
    ...OPEN_ROW,
    hosts: ['googleapis.com'],
    reasoning: 'thought-signatures',
    refusedParams: [...OPENAI_PARAMS, 'logit_bias', 'metadata'],
  },
  snowflake: { ...OPEN_ROW, hosts: ['snowflakecomputing.com'], limitKey: 'max_completion_tokens' },
  compatible: COMPATIBLE_ROW,
}

/** Rules of an endpoint that differ from a row of the table; `extends` names the row, by default the one of the host. */
export interface EndpointOverrides extends Partial<EndpointProfile> {
  readonly extends?: EndpointName | undefined
}

/** Rules of the endpoint of a config entry, with its name in the table. */
export interface NamedProfile extends EndpointProfile {
  readonly name: EndpointName
}

/** Returns the rules of the endpoint of a config entry: those of its host, changed by `endpointProfile` of the entry. */
export function profileOf(
  config: ConfigEntry,
  endpointProfile: EndpointName | EndpointOverrides | undefined,
  defaultUrl?: string,
): NamedProfile {
  const { extends: base, ...overrides } =
    typeof endpointProfile === 'string' ? { extends: endpointProfile } : (endpointProfile ?? {})
  const name = base ?? nameOf(config, defaultUrl)
  const row = ENDPOINTS[name]
  const failureRules = overrides.failureRules ? [...overrides.failureRules, ...row.failureRules] : row.failureRules
  return { ...row, ...overrides, failureRules, name }
}

function nameOf({ apiType, baseUrl }: ConfigEntry, defaultUrl: string | undefined): EndpointName {
  if (apiType?.startsWith('azure')) return 'azure'
  const url = baseUrl || defaultUrl
  if (!url) return 'openai'
  if (!URL.canParse(url)) return 'compatible'
  const { hostname, port } = new URL(url)
  const rows = Object.entries(ENDPOINTS) as [EndpointName, EndpointRow][]
  const isOf = (domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`)
  const byHost = rows.find(([, { hosts }]) => hosts.some(isOf))
  const byPort = rows.find(([, row]) => row.port !== undefined && row.port === port)
  return (byHost ?? byPort)?.[0] ?? 'compatible'
}
