import type { UsageSummary } from '@x/interfaces'
import type { LedgerRow } from './ledger-row.ts'
import { LedgerRows } from './ledger-rows.ts'
import { UsageSum } from './usage-sum.ts'

/** Rows that are kept by default. */
const KEEP = 10_000

/** Every answered call of a wrapper and of the wrappers it replaced; both summaries are sums of all of them. */
export class Ledger {
  readonly #rows = new LedgerRows()
  readonly #keep: number
  /** The same object as `#total` until the first answer of a cache: most wrappers never get one. */
  #actual: UsageSum | null = null
  #total: UsageSum | null = null
  #longest: number | undefined
  /** Token counts, which are in no sum; null before the first. */
  #counts: LedgerRow[] | null = null

  /** Keeps the last `keepRows` rows (default 10,000); the summaries count all. */
  constructor({ keepRows = KEEP }: { keepRows?: number | undefined } = {}) {
    this.#keep = keepRows
  }

  /** Adds a call. */
  add(row: LedgerRow): void {
    if (row.operation) {
      const counts = (this.#counts ??= [])
      counts.push(row)
      if (counts.length > this.#keep * 2) counts.splice(0, counts.length - this.#keep)
      return
    }
    this.#rows.add(row)
    if (this.#rows.count > this.#keep * 2) this.#rows.keep(this.#keep)
    this.#longest = Math.max(this.#longest ?? 0, row.usage.completionTokens)
    if (row.cached) this.#part()
    const separate = this.#actual !== this.#total
    this.#total ??= new UsageSum()
    this.#total.add(row)
    if (row.cached) return
    if (separate) (this.#actual ??= new UsageSum()).add(row)
    else this.#actual = this.#total
  }

  /** The latest calls, oldest first. */
  get rows(): readonly LedgerRow[] {
    const rows = this.#rows.last(this.#keep)
    if (!this.#counts) return rows
    return [...rows, ...this.#counts].sort((a, b) => a.at - b.at).slice(-this.#keep)
  }

  /** Usage of the calls that were paid; null before the first. */
  get actual(): UsageSummary | null {
    return this.#actual?.summary ?? null
  }

  /** Usage with cache hits; null before the first call. */
  get total(): UsageSummary | null {
    return this.#total?.summary ?? null
  }

  /** Most output tokens of one answer, before and after the ledger was cleared. */
  get longestAnswer(): number | undefined {
    return this.#longest
  }

  /** Adds sums that another ledger has counted: those of paid calls, and those with cache hits. */
  restore(actual: UsageSummary | null, total: UsageSummary | null): void {
    this.#part()
    if (actual) (this.#actual ??= new UsageSum()).addSummary(actual)
    if (total) (this.#total ??= new UsageSum()).addSummary(total)
  }

  /** Forgets all usage. */
  clear(): void {
    this.#rows.keep(0)
    this.#actual = null
    this.#total = null
    this.#counts = null
  }

  /** Gives the paid calls a sum of their own, before the two sums become different. */
  #part(): void {
    if (this.#actual === this.#total) this.#actual = this.#actual?.clone() ?? null
  }
}
