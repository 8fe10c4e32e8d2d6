import type { ChatMessage } from './message.ts'

/** Why a model stopped. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter' | (string & {})

/** One alternative of an answer. */
export interface ModelChoice {
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
  /** Part of `completion_tokens` spent on reasoning. */
  reasoning_tokens?: number | undefined
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
}
