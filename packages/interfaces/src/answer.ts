import type { ModelAttempt } from './error.ts'
import type { ToolIssue } from './json.ts'
import type { ChatMessage } from './message.ts'
import type { UsageSummary } from './usage.ts'

/** Why a model stopped. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter' | (string & {})

/** One alternative of an answer. */
export interface ModelChoice extends AnswerDetails {
  index: number
  message: ChatMessage
  finish_reason: FinishReason | null
}

/** Tokens in the names of the wire; absent if the provider does not report them. */
export interface AnswerUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  /** Part of `prompt_tokens` read from the provider's cache. */
  cached_tokens?: number | undefined
  /** Part of `prompt_tokens` written to the provider's cache, which may cost more than reading from it. */
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
  /** The whole usage as the provider sent it, since prices may depend on further fields. */
  raw?: unknown
}

/** The answer of a model client, as plain data that can be cached. */
export interface ModelAnswer {
  id: string
  /** Model that answered, as the provider names it. */
  model: string
  /** Seconds since 1970. */
  created: number
  choices: ModelChoice[]
  usage?: AnswerUsage | undefined
  /** Headers of the response with the request id or rate limits, names in lower case; never a secret. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Further fields of the answer, as the provider sent them. */
  extra?: Readonly<Record<string, unknown>> | undefined
  /** With `includeRaw`: the body as the provider sent it, or the list of a stream's frames. */
  raw?: unknown
}

/** A passage of an answer's text with its source. */
export interface Citation {
  /** Index of the first character of the passage in the text of the message; absent if the provider does not report it. */
  start?: number | undefined
  /** Index after the last character of the passage. */
  end?: number | undefined
  /** URL of the source. */
  url?: string | undefined
  title?: string | undefined
  /** Id of the cited file at the provider. */
  file_id?: string | undefined
  /** Quoted text of the source. */
  quote?: string | undefined
  /** The citation as the provider sent it. */
  raw: object
}

/** A page, a file or a search that an answer is based on. */
export interface AnswerSource {
  type: 'url' | 'file' | 'search' | (string & {})
  /** URL of a page. */
  url?: string | undefined
  title?: string | undefined
  /** Id of a file at the provider. */
  file_id?: string | undefined
  /** Text of the source, or the query of a search. */
  text?: string | undefined
}

/** An image, a sound or a file that the model made. */
export interface AnswerMedia {
  type: 'image' | 'audio' | 'video' | 'file'
  /** URL, or the bytes as a `data:` URL; absent if the provider keeps them under an `id`. */
  url?: string | undefined
  /** Media type, such as `image/png`. */
  media_type?: string | undefined
  /** Id at the provider. */
  id?: string | undefined
  /** Transcript of a sound. */
  transcript?: string | undefined
  /** Number of characters of the message's text before the media. */
  at: number
}

/** Probability of a token, as a natural logarithm. */
export interface TokenLogprob {
  token: string
  logprob: number
  /** Bytes of the token in UTF-8. */
  bytes?: readonly number[] | undefined
  /** The most probable tokens at this position. */
  top_logprobs?: readonly TokenLogprob[] | undefined
}

/** Why an answer ended, if the provider reports more than `finish_reason`. */
export interface FinishDetails {
  /** The provider's own reason. */
  reason?: string | undefined
  /** Explanation in words. */
  message?: string | undefined
  /** Text that ended the answer, one of `stop`. */
  stop?: string | undefined
  /** Findings of the provider's filters, as it sent them. */
  safety?: unknown
  /** Further facts, as the provider sent them. */
  raw?: unknown
}

/** The parts of an answer beside its message, in one form for all providers. A part is present only if the provider sent it. */
export interface AnswerDetails {
  /** Readable reasoning, or its summary. Encrypted reasoning is in `provider_metadata` of the message. */
  reasoning?: string | undefined
  citations?: readonly Citation[] | undefined
  /** Pages, files and searches that the answer is based on. */
  sources?: readonly AnswerSource[] | undefined
  /** Images, sounds and files that the model made. */
  media?: readonly AnswerMedia[] | undefined
  logprobs?: readonly TokenLogprob[] | undefined
  finish_details?: FinishDetails | undefined
  /** Parts that a message cannot hold, such as uses of the provider's own tools, as the provider sent them. */
  provider_parts?: readonly object[] | undefined
  /** Further fields, as the provider sent them. */
  extra?: Readonly<Record<string, unknown>> | undefined
}

/** The response of a model: an answer, its cost and its origin. */
export interface ModelResponse extends ModelAnswer {
  /** Cost in US dollars; 0 if the price is unknown. */
  cost: number
  /** Set if the price is unknown. */
  unpriced?: true | undefined
  /** Index of the config that answered. */
  configId: number
  /**
   * Places where a text of the answer does not fit the `response_format` of the request; absent if all of it fits. A text beside
   * calls of tools, or of a refusal, is not checked.
   */
  schemaIssues?: readonly ToolIssue[] | undefined
  /** True if `filterFunc` accepted the answer, or without a `filterFunc`. */
  passFilter: boolean
  /** True if the answer came from a cache. */
  cached: boolean
  /** The configs that were tried before, and why they did not answer. */
  attempts?: readonly ModelAttempt[] | undefined
  /** Usage of requests of this call that gave no answer and may be paid for; absent if there were none. */
  unanswered?: UsageSummary | undefined
  /** Returns the texts of an answer, or its messages if they contain calls. */
  messageRetrievalFunction: (answer: ModelAnswer) => string[] | ChatMessage[]
}

/** Accepts or refuses an answer. */
export type FilterFunc = (input: { context: Record<string, unknown> | null; response: ModelResponse }) => boolean
