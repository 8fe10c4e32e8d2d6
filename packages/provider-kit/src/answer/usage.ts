import type { AnswerUsage } from '@x/interfaces'

/** Counts of a provider; totals include their parts. */
export interface UsageCounts {
  /** All input tokens, cached ones included. */
  readonly prompt: unknown
  /** All output tokens, reasoning included. */
  readonly completion: unknown
  readonly total?: unknown
  /** Part of the input that was read from the provider's cache. */
  readonly cached?: unknown
  /** Part of the input that was written to the provider's cache. */
  readonly cacheWrite?: unknown
  /** Part of the output. */
  readonly reasoning?: unknown
  /** The provider's own counts; prices may depend on them. */
  readonly raw?: unknown
}

/**
 * Returns usage that keeps its laws: nothing is negative or no number, parts are at most their totals, and it is absent
 * where the provider did not say.
 */
export function normalizeUsage(counts: UsageCounts): AnswerUsage | undefined {
  const said = tokens(counts.prompt) ?? tokens(counts.completion)
  if (said === undefined) return undefined
  const prompt = tokens(counts.prompt) ?? 0
  const completion = tokens(counts.completion) ?? 0
  const cached = tokens(counts.cached)
  const written = tokens(counts.cacheWrite)
  const reasoning = tokens(counts.reasoning)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: Math.max(tokens(counts.total) ?? 0, prompt + completion),
    ...(cached !== undefined && { cached_tokens: Math.min(cached, prompt) }),
    ...(written !== undefined && { cache_write_tokens: Math.min(written, prompt - Math.min(cached ?? 0, prompt)) }),
    ...(reasoning !== undefined && { reasoning_tokens: Math.min(reasoning, completion) }),
    ...(counts.raw !== undefined && { raw: counts.raw }),
  }
}

/** Returns a valid count, else undefined. */
function tokens(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
