import type { AnswerDetails } from './answer-details.ts'
import type { ChatMessage } from './message.ts'

/** Why a model stopped. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter' | (string & {})

/** One alternative of an answer. */
export interface ModelChoice extends AnswerDetails {
  index: number
  message: ChatMessage
  finish_reason: FinishReason | null
}

/** Tokens as the wire counts them; absent when the provider did not say. */
export interface AnswerUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  /** Part of `prompt_tokens` read from the provider's cache. */
  cached_tokens?: number | undefined
  /** Part of `prompt_tokens` written to the provider's cache, which may cost more than reading them. */
  cache_write_tokens?: number | undefined
  /** Part of `cache_write_tokens` that is kept for an hour or longer. */
  cache_write_hour_tokens?: number | undefined
  /** Part of `completion_tokens` spent on reasoning. */
  reasoning_tokens?: number | undefined
  /** Part of `prompt_tokens` that is audio. */
  audio_prompt_tokens?: number | undefined
  /** Part of `completion_tokens` that is audio. */
  audio_completion_tokens?: number | undefined
  /** Part of `prompt_tokens` that is images. */
  image_prompt_tokens?: number | undefined
  /** Part of `completion_tokens` that is images. */
  image_completion_tokens?: number | undefined
  /** Part of `cached_tokens` that is audio. */
  cached_audio_tokens?: number | undefined
  /** Searches that the provider ran for the answer. */
  searches?: number | undefined
  /** Tier of service that answered, where its prices differ. */
  service_tier?: string | undefined
  /** Cost in US dollars, as the provider states it. */
  cost?: number | undefined
  /** What the provider said, whole: prices may depend on more of it. */
  raw?: unknown
}

/** The answer of a model client: plain data that can be cached. */
export interface ModelAnswer {
  id: string
  /** Model that answered, as the provider names it. */
  model: string
  /** Seconds since 1970. */
  created: number
  choices: ModelChoice[]
  usage?: AnswerUsage | undefined
  /** Headers of the response that name the request or tell limits, names in lower case; never a secret. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Fields of the answer without a place here, as the provider sent them. */
  extra?: Readonly<Record<string, unknown>> | undefined
  /** With `includeRaw`: the body as the provider sent it, or the list of a stream's frames. */
  raw?: unknown
}
