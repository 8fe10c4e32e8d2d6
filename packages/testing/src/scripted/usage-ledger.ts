import type { ModelAnswer, Usage, UsageSummary } from '@x/interfaces'

/** Tokens and cost of an answer, as agents read them; an unknown cost counts as 0. */
export function usageOf({ model, usage }: ModelAnswer, cost: number | null): Usage {
  return {
    model,
    promptTokens: usage?.prompt_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
    totalTokens: usage?.total_tokens ?? 0,
    ...(usage?.cached_tokens !== undefined && { cachedTokens: usage.cached_tokens }),
    ...(usage?.reasoning_tokens !== undefined && { reasoningTokens: usage.reasoning_tokens }),
    cost: cost ?? 0,
  }
}

/** Adds up what the calls of a model used. */
export class UsageLedger {
  #summary: UsageSummary | null = null

  /** The sum so far; null before the first call. */
  get summary(): UsageSummary | null {
    return structuredClone(this.#summary)
  }

  /** Adds one answer; a null cost is not known. */
  add(answer: ModelAnswer, cost: number | null): void {
    const used = usageOf(answer, cost)
    const sum = (this.#summary ??= { totalCost: 0, models: {} })
    const model = (sum.models[used.model] ??= { cost: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0 })
    sum.totalCost += used.cost
    model.cost += used.cost
    model.promptTokens += used.promptTokens
    model.completionTokens += used.completionTokens
    model.totalTokens += used.totalTokens
    if (cost === null && !sum.unpriced?.includes(used.model)) (sum.unpriced ??= []).push(used.model)
  }

  /** Forgets everything. */
  clear(): void {
    this.#summary = null
  }
}
