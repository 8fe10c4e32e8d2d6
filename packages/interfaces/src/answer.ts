import type { ModelAttempt } from './error.ts'
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

/** A place of an answer's text that says where it is from. */
export interface Citation {
  /** First character of the place in the text of the message, as an index; absent where the provider did not say. */
  start?: number | undefined
  /** Index behind the last character of the place. */
  end?: number | undefined
  /** Address of the source. */
  url?: string | undefined
  title?: string | undefined
  /** Identifier of the file that is cited, at the provider. */
  file_id?: string | undefined
  /** Text of the source that the place refers to. */
  quote?: string | undefined
  /** The citation as the provider sent it. */
  raw: object
}

/** A page, a file or a search that an answer draws on. */
export interface AnswerSource {
  type: 'url' | 'file' | 'search' | (string & {})
  /** Address of a page. */
  url?: string | undefined
  title?: string | undefined
  /** Identifier of a file at the provider. */
  file_id?: string | undefined
  /** Text of the source, or the words of a search. */
  text?: string | undefined
}

/** An image, a sound or a file that the model made. */
export interface AnswerMedia {
  type: 'image' | 'audio' | 'video' | 'file'
  /** Address, or the bytes as a `data:` URL; absent where the provider keeps them under an `id`. */
  url?: string | undefined
  /** Media type, such as `image/png`. */
  media_type?: string | undefined
  /** Identifier at the provider. */
  id?: string | undefined
  /** Words of a sound. */
  transcript?: string | undefined
  /** Number of characters of the message's text before it. */
  at: number
}

/** Probability of a token, as a natural logarithm. */
export interface TokenLogprob {
  token: string
  logprob: number
  /** Bytes of the token in UTF-8. */
  bytes?: readonly number[] | undefined
  /** The most probable tokens in its place. */
  top_logprobs?: readonly TokenLogprob[] | undefined
}

/** How an answer ended, where the provider says more than `finish_reason`. */
export interface FinishDetails {
  /** The provider's own word, where `finish_reason` says less. */
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

/** The parts of an answer beside its message, in one form for all providers; each is there only if the provider sent it. */
export interface AnswerDetails {
  /** Reasoning that may be read, or its summary. Its sealed form is in `provider_metadata` of the message. */
  reasoning?: string | undefined
  citations?: readonly Citation[] | undefined
  /** Pages, files and searches that the answer draws on. */
  sources?: readonly AnswerSource[] | undefined
  /** Images, sounds and files that the model made. */
  media?: readonly AnswerMedia[] | undefined
  logprobs?: readonly TokenLogprob[] | undefined
  finish_details?: FinishDetails | undefined
  /** Parts without a place in the message, such as uses of the provider's own tools, as the provider sent them. */
  provider_parts?: readonly object[] | undefined
  /** Fields without a place here, as the provider sent them. */
  extra?: Readonly<Record<string, unknown>> | undefined
}

/** What a wrapper gives: the answer and how it came about. */
export interface ModelResponse extends ModelAnswer {
  /** Cost in US dollars. */
  cost: number
  /** Index of the config that answered. */
  configId: number
  /** Whether `filterFunc` accepted the answer (true without one). */
  passFilter: boolean
  /** Whether the answer came from a cache. */
  cached: boolean
  /** The configs that were tried before this one, and why they did not answer. */
  attempts?: readonly ModelAttempt[] | undefined
  /** Gives the texts of an answer, or its messages when they hold calls. */
  messageRetrievalFunction: (answer: ModelAnswer) => string[] | ChatMessage[]
}

/** Accepts or refuses an answer. */
export type FilterFunc = (input: { context: Record<string, unknown> | null; response: ModelResponse }) => boolean
