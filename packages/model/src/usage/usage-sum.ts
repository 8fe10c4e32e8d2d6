import type { ModelUsage, UsageSummary } from '@x/interfaces'
import type { LedgerRow } from './ledger-row.ts'
import { finite } from '@x/kernel/price'

interface ModelSum extends ModelUsage {
  readonly model: string
}

const NO_MODELS: readonly ModelSum[] = []

/** A usage summary in the making. */
export class UsageSum {
  #totalCost = 0
  #models: readonly ModelSum[] = NO_MODELS
  #unpriced: string[] | undefined

  /** Adds a call. */
  add({ usage }: LedgerRow): void {
    this.#count(usage.model, usage, usage.cost ?? 0)
    this.#totalCost += usage.cost ?? 0
    if (usage.cost === null) this.#markUnpriced(usage.model)
  }

  /** Adds a whole summary; a wrong value in a saved one counts as 0. */
  addSummary({ totalCost, models, unpriced }: UsageSummary): void {
    for (const [model, usage] of Object.entries(models)) this.#count(model, usage, finite(usage.cost))
    this.#totalCost += finite(totalCost)
    for (const model of unpriced ?? []) this.#markUnpriced(model)
  }

  /** Gives the summary as an object of its own. */
  get summary(): UsageSummary {
    const models = Object.fromEntries(this.#models.map(({ model, ...usage }) => [model, usage]))
    const unpriced = this.#unpriced
    return { totalCost: this.#totalCost, models, ...(unpriced && { unpriced: [...unpriced] }) }
  }

  /** Makes an equal sum. */
  clone(): UsageSum {
    const sum = new UsageSum()
    sum.#totalCost = this.#totalCost
    sum.#models = this.#models.map((each) => ({ ...each }))
    sum.#unpriced = this.#unpriced && [...this.#unpriced]
    return sum
  }

  #count(model: string, more: Omit<ModelUsage, 'cost'>, cost: number): void {
    let sum = this.#models.find((each) => each.model === model)
    if (!sum) {
      sum = { model, cost: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0 }
      // A list of its exact length; spreading and pushing make room for many more.
      this.#models = this.#models.concat(sum)
    }
    sum.cost += cost
    sum.promptTokens += finite(more.promptTokens)
    sum.completionTokens += finite(more.completionTokens)
    sum.totalTokens += finite(more.totalTokens)
  }

  #markUnpriced(model: string): void {
    if (!this.#unpriced?.includes(model)) (this.#unpriced ??= []).push(model)
  }
}
