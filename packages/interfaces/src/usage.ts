/** Tokens and cost of one model call. Totals include their parts. */
export interface Usage {
  /** Model that answered. */
  model: string
  /** Input tokens, cached ones included. */
  promptTokens: number
  /** Output tokens, reasoning included. */
  completionTokens: number
  /** Input and output together. */
  totalTokens: number
  /** Input tokens that the provider read from its cache. */
  cachedTokens?: number | undefined
  /** Output tokens spent on reasoning. */
  reasoningTokens?: number | undefined
  /** Cost in US dollars; 0 if the price is unknown, with one warning per model. */
  cost: number
}

/** Usage of one model. */
export interface ModelUsage {
  /** Cost in US dollars. */
  cost: number
  promptTokens: number
  completionTokens: number
  totalTokens: number
}

/** Usage of a wrapper, an agent or a chat. */
export interface UsageSummary {
  /** Cost in US dollars. */
  totalCost: number
  /** Usage by model name. */
  models: Record<string, ModelUsage>
  /** Models with an unknown price, whose cost counts as 0. */
  unpriced?: string[] | undefined
}

/** The summary to print: without cache hits, with cache hits, or both. */
export type UsageMode = 'actual' | 'total' | 'both'

/** Prices in US dollars per 1,000,000 tokens. */
export interface TokenRates {
  readonly input: number
  readonly output: number
  /** Input that the provider reads from its cache; default: as `input`. */
  readonly cached?: number | undefined
  /** Input that the provider writes to its cache; default: as `input`. */
  readonly cacheWrite?: number | undefined
  /** Input that is written to the cache for an hour or longer; default: as `cacheWrite`. */
  readonly cacheWriteHour?: number | undefined
  /** Input that is audio; default: as `input`. */
  readonly audioInput?: number | undefined
  /** Audio that the provider reads from its cache; default: as `cached`. */
  readonly cachedAudio?: number | undefined
  /** Output that is audio; default: as `output`. */
  readonly audioOutput?: number | undefined
  /** Input that is an image; default: as `input`. */
  readonly imageInput?: number | undefined
  /** Output that is an image; default: as `output`. */
  readonly imageOutput?: number | undefined
  /** Price of 1,000 searches by the provider; default: 0. */
  readonly searches?: number | undefined
}
