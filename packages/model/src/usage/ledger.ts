import type { ModelUsage, Usage, UsageSummary } from '@x/interfaces'
import { finite } from './price.ts'

/** One answered call. */
export interface LedgerRow {
  /** Index of the config that answered. */
  readonly configId: number
  /** Model that answered, tokens and cost in US dollars; a null cost is not known. */
  readonly usage: Omit<Usage, 'cost'> & { readonly cost: number | null }
  /** Whether a cache answered: nothing was paid. */
  readonly cached: boolean
  /** Labels of the config. */
  readonly tags: readonly string[]
  /** Name of the agent that asked. */
  readonly agent: string | null
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Every answered call of a wrapper and those it replaced; both summaries are folds of it. */
export class Ledger {
  #rows: LedgerRow[] = []
  #actual: UsageSummary | null = null
  #total: UsageSummary | null = null
  #longest: number | undefined
  readonly #keep: number

  /** Keeps the last `keepRows` rows (default 10,000); the summaries count all. */
  constructor({ keepRows = 10_000 }: { keepRows?: number | undefined } = {}) {
    this.#keep = keepRows
  }

  /** Adds a call. */
  add(row: LedgerRow): void {
    this.#rows.push(row)
    if (this.#rows.length > this.#keep * 2) this.#rows = this.#rows.slice(-this.#keep)
    this.#total = addRow(this.#total, row)
    this.#longest = Math.max(this.#longest ?? 0, row.usage.completionTokens)
    if (!row.cached) this.#actual = addRow(this.#actual, row)
  }

  /** The latest calls, oldest first. */
  get rows(): readonly LedgerRow[] {
    return this.#rows.slice(-this.#keep)
  }

  /** Usage of the calls that were paid; null before the first. */
  get actual(): UsageSummary | null {
    return this.#actual && structuredClone(this.#actual)
  }

  /** Usage with cache hits; null before the first call. */
  get total(): UsageSummary | null {
    return this.#total && structuredClone(this.#total)
  }

  /** Most output tokens of one answer, before and after the ledger was cleared. */
  get longestAnswer(): number | undefined {
    return this.#longest
  }

  /** Adds sums that another ledger has counted: those of paid calls, and those with cache hits. */
  restore(actual: UsageSummary | null, total: UsageSummary | null): void {
    if (actual) this.#actual = mergeSummary(this.#actual, actual)
    if (total) this.#total = mergeSummary(this.#total, total)
  }

  /** Forgets all usage. */
  clear(): void {
    this.#rows = []
    this.#actual = null
    this.#total = null
  }
}

function addRow(summary: UsageSummary | null, { usage }: LedgerRow): UsageSummary {
  const sum = summary ?? emptySummary()
  countUsage(sum, usage.model, usage, usage.cost ?? 0)
  sum.totalCost += usage.cost ?? 0
  if (usage.cost === null) markUnpriced(sum, usage.model)
  return sum
}

/** Adds a summary to another one; what a saved one says wrongly counts as 0. */
function mergeSummary(summary: UsageSummary | null, { totalCost, models, unpriced }: UsageSummary): UsageSummary {
  const sum = summary ?? emptySummary()
  for (const [model, usage] of Object.entries(models)) countUsage(sum, model, usage, finite(usage.cost))
  sum.totalCost += finite(totalCost)
  for (const model of unpriced ?? []) markUnpriced(sum, model)
  return sum
}

/** Models are named by whoever answers: their names are no properties of the prototype. */
const emptySummary = (): UsageSummary => ({ totalCost: 0, models: Object.create(null) as UsageSummary['models'] })

function countUsage(sum: UsageSummary, name: string, more: Omit<ModelUsage, 'cost'>, cost: number): void {
  const model = (sum.models[name] ??= { cost: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0 })
  model.cost += cost
  model.promptTokens += finite(more.promptTokens)
  model.completionTokens += finite(more.completionTokens)
  model.totalTokens += finite(more.totalTokens)
}

function markUnpriced(sum: UsageSummary, model: string): void {
  if (!sum.unpriced?.includes(model)) (sum.unpriced ??= []).push(model)
}
