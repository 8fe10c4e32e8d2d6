import type { AnswerUsage } from '@x/interfaces'

/** Tokens as the endpoint counts them. */
export interface WireUsage {
  prompt_tokens?: number | null
  completion_tokens?: number | null
  total_tokens?: number | null
  prompt_tokens_details?: { cached_tokens?: number | null } | null
  completion_tokens_details?: { reasoning_tokens?: number | null } | null
}

/** Gives usage as totals with their parts; nothing when the endpoint did not say, never a number that is none. */
export function raiseUsage(wire: WireUsage | null | undefined): AnswerUsage | undefined {
  if (!wire || (count(wire.prompt_tokens) ?? count(wire.completion_tokens)) === undefined) return undefined
  const prompt = count(wire.prompt_tokens) ?? 0
  const completion = count(wire.completion_tokens) ?? 0
  const cached = count(wire.prompt_tokens_details?.cached_tokens)
  const reasoning = count(wire.completion_tokens_details?.reasoning_tokens)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: count(wire.total_tokens) ?? prompt + completion,
    ...(cached !== undefined && { cached_tokens: Math.min(cached, prompt) }),
    ...(reasoning !== undefined && { reasoning_tokens: Math.min(reasoning, completion) }),
  }
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
