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

/** Adds up the usage of a model's calls. */
export class UsageLedger {
  #actual: UsageSummary | null = null
  #total: UsageSummary | null = null

  /** The sum so far; null before the first call. */
  get actual(): UsageSummary | null {
    return copyOf(this.#actual)
  }

  /** The sum with restored usage of cache hits elsewhere. */
  get total(): UsageSummary | null {
    return copyOf(this.#total)
  }

  /** Adds one answer; a null cost is not known. */
  add(answer: ModelAnswer, cost: number | null): void {
    const used = usageOf(answer, cost)
    for (const sum of [(this.#actual ??= emptySum()), (this.#total ??= emptySum())]) {
      sum.totalCost += used.cost
      addUse(sum, answer.model, used)
      if (cost === null) addUnpriced(sum, [answer.model])
    }
  }

  /** Adds sums that another ledger has counted. */
  restore(actual: UsageSummary | null, total: UsageSummary | null): void {
    if (actual) addSum((this.#actual ??= emptySum()), actual)
    if (total) addSum((this.#total ??= emptySum()), total)
  }

  /** Forgets everything. */
  clear(): void {
    this.#actual = null
    this.#total = null
  }
}

/** Copies a sum: a ledger goes on to change its own. */
function copyOf(sum: UsageSummary | null): UsageSummary | null {
  if (!sum) return null
  const models: UsageSummary['models'] = {}
  for (const [name, used] of Object.entries(sum.models)) models[name] = { ...used }
  return { ...sum, models, ...(sum.unpriced && { unpriced: [...sum.unpriced] }) }
}

const emptySum = (): UsageSummary => ({ totalCost: 0, models: {} })

function addSum(sum: UsageSummary, more: UsageSummary): void {
  sum.totalCost += more.totalCost
  for (const [name, used] of Object.entries(more.models)) addUse(sum, name, used)
  if (more.unpriced) addUnpriced(sum, more.unpriced)
}

function addUse(
  sum: UsageSummary,
  name: string,
  { cost, promptTokens, completionTokens, totalTokens }: UsageSummary['models'][string],
): void {
  const use = (sum.models[name] ??= { cost: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0 })
  use.cost += cost
  use.promptTokens += promptTokens
  use.completionTokens += completionTokens
  use.totalTokens += totalTokens
}

function addUnpriced(sum: UsageSummary, names: readonly string[]): void {
  sum.unpriced = [...new Set([...(sum.unpriced ?? []), ...names])]
}
