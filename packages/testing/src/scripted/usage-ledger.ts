import type { ModelAnswer, ModelUsage, Usage, UsageSummary } from '@x/interfaces'

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
  #actual: UsageSummary | null = null
  #total: UsageSummary | null = null

  /** The sum so far; null before the first call. */
  get actual(): UsageSummary | null {
    return structuredClone(this.#actual)
  }

  /** The same with what was restored of cache hits elsewhere. */
  get total(): UsageSummary | null {
    return structuredClone(this.#total)
  }

  /** Adds one answer; a null cost is not known. */
  add(answer: ModelAnswer, cost: number | null): void {
    const { model, ...used } = usageOf(answer, cost)
    const sum: UsageSummary = { totalCost: used.cost, models: { [model]: used } }
    if (cost === null) sum.unpriced = [model]
    this.restore(sum, sum)
  }

  /** Adds sums that another ledger has counted. */
  restore(actual: UsageSummary | null, total: UsageSummary | null): void {
    // Without hits restored from elsewhere the two sums are one.
    const same = actual === total && this.#actual === this.#total
    if (actual) this.#actual = merged(this.#actual, actual)
    if (total) this.#total = same ? this.#actual : merged(this.#total, total)
  }

  /** Forgets everything. */
  clear(): void {
    this.#actual = null
    this.#total = null
  }
}

function merged(before: UsageSummary | null, more: UsageSummary): UsageSummary {
  const models = { ...before?.models }
  for (const [name, used] of Object.entries(more.models)) models[name] = together(models[name], used)
  const totalCost = (before?.totalCost ?? 0) + more.totalCost
  if (!before?.unpriced && !more.unpriced) return { totalCost, models }
  return { totalCost, models, unpriced: [...new Set([...(before?.unpriced ?? []), ...(more.unpriced ?? [])])] }
}

const together = (a: ModelUsage | undefined, b: ModelUsage): ModelUsage => ({
  cost: (a?.cost ?? 0) + b.cost,
  promptTokens: (a?.promptTokens ?? 0) + b.promptTokens,
  completionTokens: (a?.completionTokens ?? 0) + b.completionTokens,
  totalTokens: (a?.totalTokens ?? 0) + b.totalTokens,
})
