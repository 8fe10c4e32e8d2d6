import type { ModelUsage, UsageSummary } from '@x/interfaces'
import type { LedgerRow } from './ledger-row.ts'
import { finite } from '@x/kernel/price'

/** What one model used. Most wrappers have one model, so further ones hang on the first. */
interface ModelSum extends ModelUsage {
  readonly model: string
  next: ModelSum | null
}

/** A usage summary in the making. */
export class UsageSum {
  #totalCost = 0
  #first: ModelSum | null = null
  #unpriced: string[] | null = null

  /** Adds a call. */
  add({ usage }: LedgerRow): void {
    const { model, cost } = usage
    addTo((this.#first ??= newSum(model)), model, usage, cost ?? 0)
    this.#totalCost += cost ?? 0
    if (cost === null) this.#unpriced = withModel(this.#unpriced, model)
  }

  /** Adds a whole summary; a wrong value in a saved one counts as 0. */
  addSummary({ totalCost, models, unpriced }: UsageSummary): void {
    for (const [model, usage] of Object.entries(models)) {
      addTo((this.#first ??= newSum(model)), model, usage, finite(usage.cost))
    }
    this.#totalCost += finite(totalCost)
    for (const model of unpriced ?? []) this.#unpriced = withModel(this.#unpriced, model)
  }

  /** Gives the summary as an object of its own. */
  get summary(): UsageSummary {
    const models: [string, ModelUsage][] = []
    for (let each = this.#first; each; each = each.next) {
      const { model, next: _, ...usage } = each
      models.push([model, usage])
    }
    const unpriced = this.#unpriced
    return {
      totalCost: this.#totalCost,
      models: Object.fromEntries(models),
      ...(unpriced && { unpriced: [...unpriced] }),
    }
  }

  /** Makes an equal sum. */
  clone(): UsageSum {
    const sum = new UsageSum()
    sum.addSummary(this.summary)
    return sum
  }
}

const newSum = (model: string): ModelSum => ({
  model,
  cost: 0,
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  next: null,
})

function addTo(first: ModelSum, model: string, more: Omit<ModelUsage, 'cost'>, cost: number): void {
  let sum = first
  while (sum.model !== model) sum = sum.next ??= newSum(model)
  sum.cost += cost
  sum.promptTokens += finite(more.promptTokens)
  sum.completionTokens += finite(more.completionTokens)
  sum.totalTokens += finite(more.totalTokens)
}

const withModel = (models: string[] | null, model: string): string[] =>
  models?.includes(model) ? models : [...(models ?? []), model]
