import type { UsageSummary } from '@x/interfaces'
import type { LedgerRow } from './ledger-row.ts'
import { LedgerRows } from './ledger-rows.ts'
import { UsageSum } from './usage-sum.ts'

/** Rows that are kept; the summaries count all. */
const KEEP = 10_000

/**
 * Every answered call of a wrapper and of the wrappers it replaced; both summaries are sums of all of them. A ledger is
 * its rows, and holds none: each idle agent has one.
 */
export class Ledger extends LedgerRows {
  /** The same object as `#total` until the first answer of a cache: most wrappers never get one. */
  #actual: UsageSum | null = null
  #total: UsageSum | null = null
  #longest: number | undefined
  /** Token counts, which are in no sum; null before the first. */
  #counts: LedgerRow[] | null = null

  /** Adds a call. */
  add(row: LedgerRow): void {
    if (row.operation) {
      const counts = (this.#counts ??= [])
      counts.push(row)
      if (counts.length > KEEP * 2) counts.splice(0, counts.length - KEEP)
      return
    }
    this.addRow(row)
    if (this.rowCount > KEEP * 2) this.dropRows(KEEP)
    this.#longest = Math.max(this.#longest ?? 0, row.usage.completionTokens)
    if (row.cached) this.#actual = ownSum(this.#actual, this.#total)
    const separate = this.#actual !== this.#total
    this.#total ??= new UsageSum()
    this.#total.add(row)
    if (row.cached) return
    if (separate) (this.#actual ??= new UsageSum()).add(row)
    else this.#actual = this.#total
  }

  /** The latest calls, oldest first. */
  get rows(): readonly LedgerRow[] {
    const rows = this.lastRows(KEEP)
    if (!this.#counts) return rows
    return [...rows, ...this.#counts].sort((a, b) => a.at - b.at).slice(-KEEP)
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
    this.#actual = ownSum(this.#actual, this.#total)
    if (actual) (this.#actual ??= new UsageSum()).addSummary(actual)
    if (total) (this.#total ??= new UsageSum()).addSummary(total)
  }

  /** Forgets all usage. */
  clear(): void {
    this.dropRows(0)
    this.#actual = null
    this.#total = null
    this.#counts = null
  }
}

/** The sum of paid calls as a sum of its own, before the two become different. */
const ownSum = (actual: UsageSum | null, total: UsageSum | null): UsageSum | null =>
  actual === total ? (actual?.clone() ?? null) : actual
