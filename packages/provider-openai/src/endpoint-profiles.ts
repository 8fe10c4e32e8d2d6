/** Rules of an endpoint of chat completions, as far as they differ from OpenAI's. */
export interface EndpointProfile {
  /** Messages that may have a `name`: of all roles, of the user, or none; from the others it is left out. */
  readonly messageNames: 'all' | 'user' | 'none'
  /** Length of call ids: exactly 9 letters or digits, or any up to 40 letters, digits, `_` and `-`. */
  readonly callIdLength: 9 | 'any'
  /** Key that limits the length of an answer; `by-model`: as it was given, with OpenAI's rule for reasoning models. */
  readonly limitKey: 'max_tokens' | 'max_completion_tokens' | 'by-model'
  /** Form in which the reasoning of earlier answers is sent back. */
  readonly reasoning: ReasoningForm
  /** Text that stands for reasoning that is not known, where `reasoning_content` must not be missing. */
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
}

/**
 * Form in which reasoning is sent back: not at all; what is signed, as it came; as `reasoning_content`, always or in conversations with tools; as
 * OpenRouter's list of details; as parts of the content; or as the signatures of Gemini's calls.
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
  /** Usual port of a server of one's own. */
  readonly port?: string | undefined
}

/** OpenAI's own rules. */
const OPENAI: EndpointRow = {
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
}

/** An endpoint about which nothing is known. */
const COMPATIBLE: EndpointRow = { ...OPENAI, hosts: [], reasoning: 'signed', thinkTags: true }

/** A server with models of other makers, which know no `developer`. */
const OPEN: EndpointRow = { ...COMPATIBLE, reasoning: 'none', systemRole: 'system' }

/** Parameters that only OpenAI knows; endpoints that check their requests refuse them. */
const OPENAIS = [
  'audio',
  'modalities',
  'moderation',
  'prompt_cache_key',
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
  openai: OPENAI,
  azure: { ...OPENAI, hosts: ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'] },
  groq: {
    ...OPEN,
    hosts: ['groq.com'],
    messageNames: 'none',
    limitKey: 'max_completion_tokens',
    refusedParams: [...OPENAIS, 'logit_bias', 'logprobs', 'top_logprobs'],
  },
  mistral: {
    ...OPEN,
    hosts: ['mistral.ai'],
    messageNames: 'none',
    callIdLength: 9,
    limitKey: 'max_tokens',
    reasoning: 'thinking-parts',
    streamUsage: false,
    roleOrder: 'answer-after-tool',
    refusedParams: [...OPENAIS, 'logit_bias', 'logprobs', 'service_tier', 'top_k', 'top_logprobs', 'user'],
  },
  deepseek: {
    ...OPEN,
    hosts: ['deepseek.com'],
    limitKey: 'max_tokens',
    reasoning: 'reasoning_content-with-tools',
    missingReasoning: '',
  },
  moonshot: {
    ...OPEN,
    hosts: ['moonshot.ai', 'moonshot.cn', 'kimi.com', 'kimi.ai'],
    limitKey: 'max_completion_tokens',
    reasoning: 'reasoning_content',
    missingReasoning: ' ',
  },
  openrouter: { ...COMPATIBLE, hosts: ['openrouter.ai'], reasoning: 'reasoning_details' },
  xai: { ...OPEN, hosts: ['x.ai'], messageNames: 'user', limitKey: 'max_completion_tokens' },
  together: { ...OPEN, hosts: ['together.xyz', 'together.ai'], limitKey: 'max_tokens' },
  fireworks: { ...OPEN, hosts: ['fireworks.ai'], limitKey: 'max_tokens', reasoning: 'reasoning_content' },
  cerebras: {
    ...OPEN,
    hosts: ['cerebras.ai'],
    messageNames: 'none',
    limitKey: 'max_completion_tokens',
    refusedParams: [...OPENAIS, 'frequency_penalty', 'logit_bias', 'presence_penalty'],
  },
  perplexity: {
    ...OPEN,
    hosts: ['perplexity.ai'],
    limitKey: 'max_tokens',
    streamUsage: false,
    roleOrder: 'alternating',
  },
  ollama: { ...OPEN, hosts: ['ollama.com'], port: '11434', limitKey: 'max_tokens' },
  vllm: { ...OPEN, port: '8000', limitKey: 'max_tokens' },
  lmstudio: { ...OPEN, port: '1234', limitKey: 'max_tokens' },
  gemini: {
    ...OPEN,
    hosts: ['googleapis.com'],
    reasoning: 'thought-signatures',
    refusedParams: [...OPENAIS, 'logit_bias'],
  },
  snowflake: { ...OPEN, hosts: ['snowflakecomputing.com'], limitKey: 'max_completion_tokens' },
  compatible: COMPATIBLE,
}

/** Rules of an endpoint that differ from a row of the table; `extends` names the row, by default the one of the host. */
export interface EndpointOverrides extends Partial<EndpointProfile> {
  readonly extends?: EndpointName | undefined
}
