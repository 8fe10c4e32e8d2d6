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
  /** Cost in US dollars; 0 when the price is unknown, which is then said once. */
  cost: number
}

/** What one model has used. */
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
  /** Models whose price is not known: their cost counts as 0. */
  unpriced?: string[] | undefined
}

/** Which summary is printed: without cache hits, with them, or both. */
export type UsageMode = 'actual' | 'total' | 'both'
