import type { UsageSummary } from '@x/interfaces'
import { finite } from '@x/kernel/price'
import { type LedgerRow, LedgerRows } from './ledger-rows.ts'

type ModelUsage = UsageSummary['models'][string]

/** Most rows that are kept; the summaries count all calls. */
const MAX_LEDGER_ROWS = 10_000

/**
 * The requests of a wrapper, and of those that it replaced, that were paid for or may have been, with their sums. The ledger extends
 * its rows instead of holding them, because each idle agent has a ledger.
 */
export class Ledger extends LedgerRows {
  /** @internal Lives as long as the program, as does that of sums, so that V8 keeps the layouts and the code compiled for them. */
  static readonly kept: Ledger = new Ledger()
  /** The same object as `#total` until the first cache hit: most wrappers never have one. */
  #actual: UsageSum | null = null
  #total: UsageSum | null = null
  #longest: number | undefined
  /** Rows of token counts, which are in neither sum; null before the first. */
  #counts: LedgerRow[] | null = null

  /** Adds a request; `isWhole` is false if its answer did not come or is incomplete. */
  add(row: LedgerRow, isWhole: boolean = true): void {
    if (row.operation === 'countTokens') {
      const counts = (this.#counts ??= [])
      counts.push(row)
      if (counts.length > MAX_LEDGER_ROWS * 2) counts.splice(0, counts.length - MAX_LEDGER_ROWS)
      return
    }
    this.addRow(row)
    if (this.rowCount > MAX_LEDGER_ROWS * 2) this.keepLastRows(MAX_LEDGER_ROWS)
    if (isWhole) this.#longest = Math.max(this.#longest ?? 0, row.usage.completionTokens)
    if (row.cached) this.#actual = separateSum(this.#actual, this.#total)
    const separate = this.#actual !== this.#total
    this.#total ??= new UsageSum()
    this.#total.add(row)
    if (row.cached) return
    if (separate) (this.#actual ??= new UsageSum()).add(row)
    else this.#actual = this.#total
  }

  /** The latest calls, oldest first. */
  get rows(): readonly LedgerRow[] {
    const rows = this.lastRows(MAX_LEDGER_ROWS)
    if (!this.#counts) return rows
    return [...rows, ...this.#counts].sort((a, b) => a.at - b.at).slice(-MAX_LEDGER_ROWS)
  }

  /** Usage of the paid calls; null before the first. */
  get actual(): UsageSummary | null {
    return this.#actual?.summary ?? null
  }

  /** Usage with cache hits; null before the first call. */
  get total(): UsageSummary | null {
    return this.#total?.summary ?? null
  }

  /** Most output tokens of one answer; `clear` keeps it. */
  get longestAnswer(): number | undefined {
    return this.#longest
  }

  /** Adds the sums of another ledger: of paid calls, and with cache hits. */
  restore(actual: UsageSummary | null, total: UsageSummary | null): void {
    this.#actual = separateSum(this.#actual, this.#total)
    if (actual) (this.#actual ??= new UsageSum()).addSummary(actual)
    if (total) (this.#total ??= new UsageSum()).addSummary(total)
  }

  /** Forgets all usage. */
  clear(): void {
    this.keepLastRows(0)
    this.#actual = null
    this.#total = null
    this.#counts = null
  }
}

/** Returns the sum of paid calls as an object of its own, before the two sums differ. */
const separateSum = (actual: UsageSum | null, total: UsageSum | null): UsageSum | null =>
  actual === total ? (actual?.clone() ?? null) : actual

/** Usage of one model, in a linked list: most wrappers have one model. */
interface ModelSum extends ModelUsage {
  readonly model: string
  next: ModelSum | null
}

/** A usage summary that calls are added to. */
export class UsageSum {
  /** @internal */
  static readonly kept: UsageSum = new UsageSum()
  #totalCost = 0
  #first: ModelSum | null = null
  #unpriced: string[] | null = null

  /** Adds a call. */
  add({ usage }: Pick<LedgerRow, 'usage'>): void {
    const { model, cost } = usage
    addTo((this.#first ??= newSum(model)), model, usage, cost ?? 0)
    this.#totalCost += cost ?? 0
    if (cost === null) this.#unpriced = withModel(this.#unpriced, model)
  }

  /** Adds a summary; an invalid number in a saved summary counts as 0. */
  addSummary({ totalCost, models, unpriced }: UsageSummary): void {
    for (const [model, usage] of Object.entries(models)) {
      addTo((this.#first ??= newSum(model)), model, usage, finite(usage.cost))
    }
    this.#totalCost += finite(totalCost)
    for (const model of unpriced ?? []) this.#unpriced = withModel(this.#unpriced, model)
  }

  /** Returns the summary as a new object. */
  get summary(): UsageSummary {
    const models: [string, ModelUsage][] = []
    for (let sum = this.#first; sum; sum = sum.next) {
      const { model, next: _, ...usage } = sum
      models.push([model, usage])
    }
    const unpriced = this.#unpriced
    return {
      totalCost: this.#totalCost,
      models: Object.fromEntries(models),
      ...(unpriced && { unpriced: [...unpriced] }),
    }
  }

  /** Returns a copy. */
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
