import type { AnswerUsage } from './answer.ts'
import type { ClientOptions, ExtraOptions } from './config-entry.ts'
import type { ModelAttempt } from './error.ts'
import type { RequestExtras } from './request-params.ts'
import type { UsageSummary } from './usage.ts'

/**
 * A request for the vectors of texts: the texts, parameters in the wire's names, and options of the wrapper. Of the
 * parameters of a config, `model`, `dimensions`, `user` and `extra_headers` are sent.
 */
export interface EmbedRequest
  extends
    Omit<ExtraOptions, 'allowFormatStrTemplate' | 'context' | 'filterFunc'>,
    Pick<ClientOptions, 'timeout'>,
    RequestExtras {
  /** The text, or the list of texts; none may be empty. */
  input: string | readonly string[]
  model?: string | undefined
  /** Numbers of a vector, for models that can shorten it; default: as many as the model has. */
  dimensions?: number | undefined
  /** Id of the end user. */
  user?: string | undefined
  /** Name of the agent that asks, for the ledger. */
  agent?: string | undefined
  /** Number that tells equal requests apart; it is part of the cache key and never sent. */
  sample?: number | undefined
  [parameter: string]: unknown
}

/** Parameters of one request to the client of an embedding model, in the wire's names. */
export interface EmbedParams extends RequestExtras {
  readonly model?: string | undefined
  /** Texts, at least one and at most as many as the client takes. */
  readonly input: readonly string[]
  readonly dimensions?: number | undefined
  readonly [parameter: string]: unknown
}

/** The vectors of one request, as plain data. */
export interface EmbedAnswer {
  /** Model that answered, as the provider names it. */
  readonly model: string
  /** A vector for each text, in their order. */
  readonly embeddings: readonly (readonly number[])[]
  /** Tokens of the texts as `prompt_tokens`; absent if the provider does not report them. */
  readonly usage?: AnswerUsage | undefined
}

/** The vectors of the texts of a request, with their cost and origin. */
export interface EmbedResponse {
  /**
   * A vector for each text, in their order, all of one length and one model. Each number has the precision of a float32, in
   * which models compute.
   */
  embeddings: number[][]
  /** Model that answered, as the provider names it. */
  model: string
  /** Name of the package of the provider; null for a client class of the program. */
  provider: string | null
  /** Index of the config that answered. */
  configId: number
  /** Tokens of the requests to the config that answered; texts from a cache have none. */
  usage: { promptTokens: number; totalTokens: number }
  /** Cost of these requests in US dollars; 0 if the price is unknown. Texts from a cache cost nothing. */
  cost: number
  /** Set if the price is unknown. */
  unpriced?: true | undefined
  /** Number of texts whose vectors came from a cache. */
  cachedCount: number
  /** The configs that were tried before, and why they did not answer. */
  attempts: readonly ModelAttempt[]
  /** Usage of requests of this call that gave no answer and may be paid for; absent if there were none. */
  unanswered?: UsageSummary | undefined
}
