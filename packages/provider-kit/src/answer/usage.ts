import type { AnswerUsage } from '@x/interfaces'

/** Counts of a provider; totals include their parts. */
export interface UsageCounts extends PricedCounts {
  /** All input tokens, cached ones included. */
  readonly prompt: unknown
  /** All output tokens, reasoning included. */
  readonly completion: unknown
  readonly total?: unknown
  /** Part of the input that the provider had in its cache. */
  readonly cached?: unknown
  /** Part of the input that was written to the cache. */
  readonly cacheWrite?: unknown
  /** Part of the output. */
  readonly reasoning?: unknown
  /** The counts as they were sent; prices may depend on them. */
  readonly raw?: unknown
}

/** Counts with prices of their own; most answers have none. */
export interface PricedCounts {
  /** Cache writes that are kept for an hour or longer. */
  readonly cacheWriteHour?: unknown
  readonly audioPrompt?: unknown
  readonly audioCompletion?: unknown
  readonly imagePrompt?: unknown
  readonly imageCompletion?: unknown
  readonly cachedAudio?: unknown
  /** Searches that the provider ran. */
  readonly searches?: unknown
  /** Tier of service; the standard ones count as absent. */
  readonly tier?: unknown
  /** Cost in US dollars that the provider states. */
  readonly cost?: unknown
}

/**
 * Returns valid usage: no count is negative or not a number, and no part exceeds its total. Returns undefined where the
 * provider reported none, or zeros alone.
 */
export function normalizeUsage(counts: UsageCounts): AnswerUsage | undefined {
  const input = tokens(counts.prompt)
  const output = tokens(counts.completion)
  if (input === undefined && output === undefined) return undefined
  if (![input, output, counts.total, counts.cost, counts.searches].some(tokens)) return undefined
  const prompt = input ?? 0
  const completion = output ?? 0
  const cached = tokens(counts.cached)
  const written = tokens(counts.cacheWrite)
  const reasoning = tokens(counts.reasoning)
  const usage: AnswerUsage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: Math.max(tokens(counts.total) ?? 0, prompt + completion),
  }
  if (cached !== undefined) usage.cached_tokens = Math.min(cached, prompt)
  if (written !== undefined) usage.cache_write_tokens = Math.min(written, prompt - Math.min(cached ?? 0, prompt))
  if (reasoning !== undefined) usage.reasoning_tokens = Math.min(reasoning, completion)
  addPricedCounts(usage, counts)
  if (counts.raw !== undefined) usage.raw = counts.raw
  return usage
}

/** Parts with own prices: count, field of the usage, field of its total. */
const PRICED_PARTS = [
  ['cacheWriteHour', 'cache_write_hour_tokens', 'cache_write_tokens'],
  ['audioPrompt', 'audio_prompt_tokens', 'prompt_tokens'],
  ['imagePrompt', 'image_prompt_tokens', 'prompt_tokens'],
  ['audioCompletion', 'audio_completion_tokens', 'completion_tokens'],
  ['imageCompletion', 'image_completion_tokens', 'completion_tokens'],
  ['cachedAudio', 'cached_audio_tokens', 'cached_tokens'],
] as const

/** Tiers of service at the usual prices. */
const STANDARD_TIERS: ReadonlySet<unknown> = new Set(['default', 'standard', 'auto', 'on_demand', ''])

/** Adds the counts with prices of their own, if there are any. */
function addPricedCounts(usage: AnswerUsage, counts: PricedCounts): void {
  for (let at = 0; at < PRICED_PARTS.length; at++) {
    const part = PRICED_PARTS[at]!
    const count = counts[part[0]]
    // Most counts are missing or 0.
    if (count && tokens(count)) usage[part[1]] = Math.min(tokens(count)!, usage[part[2]] ?? 0)
  }
  const searches = tokens(counts.searches)
  if (searches) usage.searches = searches
  if (typeof counts.tier === 'string' && !STANDARD_TIERS.has(counts.tier)) usage.service_tier = counts.tier
  const cost = tokens(counts.cost)
  if (cost !== undefined) usage.cost = cost
}

/** Returns a valid count, else undefined; sums of larger ones would be none. */
function tokens(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined
}
