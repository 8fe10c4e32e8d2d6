import type { Limiter, RecordStore, SharedBudget } from '@x/interfaces'
import { checkLimits, RecordBudget, RecordLimiter, type LimitsByModel } from '@x/kernel/limits'
import { checkBudget, checkLimiterOptions, type HostBudgetOptions, type HostLimiterOptions } from '../host-options.ts'
import { newId } from '../platform.ts'

/** Number of budgets in memory from which idle ones are dropped. */
const MAX_CACHED_BUDGETS = 1000

/** Seconds that a store may take to answer a budget. */
const BUDGET_STORE_TIMEOUT_S = 5

/** The limiters and budgets of one process, which share their state with other processes by the records of a backend. */
export class SharedLimits {
  readonly #records: RecordStore
  readonly #onError: (error: unknown) => void
  /** Limiters by their limits and options, so that equal ones are the same. */
  readonly #limiters = new Map<string, RecordLimiter>()
  /** Budgets by their names and options, so that equal ones are the same. */
  readonly #budgets = new Map<string, RecordBudget>()

  constructor(records: RecordStore, onError: (error: unknown) => void) {
    this.#records = records
    this.#onError = onError
  }

  limiter(limits: LimitsByModel, options: HostLimiterOptions = {}): Limiter {
    checkLimits(limits, 'make a limiter of a host')
    checkLimiterOptions(options)
    const key = JSON.stringify([limits, options])
    const known = this.#limiters.get(key)
    if (known) return known
    const { lease = 30, storeTimeout = 2, whenDown = 'alone', onError = this.#onError } = options
    const limiter = new RecordLimiter({
      records: this.#records,
      prefix: 'limit:',
      worker: newId(),
      limits,
      lease,
      storeTimeout,
      whenDown,
      onError,
    })
    this.#limiters.set(key, limiter)
    return limiter
  }

  budget(name: string, options: HostBudgetOptions): SharedBudget {
    checkBudget(name, options)
    const key = JSON.stringify([name, options])
    const known = this.#budgets.get(key)
    if (known) return known
    const { per, perCall, strict = false, minTokens = 1024, whenFull = 'wait' } = options
    const { lease = 30, onError = this.#onError } = options
    const { cost, tokens, calls } = options
    const budget = new RecordBudget({
      name: `the budget \`${name}\``,
      limit: { cost, tokens, calls },
      per,
      perCall,
      strict,
      minTokens,
      waits: whenFull === 'wait',
      shared: {
        records: this.#records,
        key: `budget:${name}`,
        worker: newId(),
        lease,
        onError,
        storeTimeout: BUDGET_STORE_TIMEOUT_S,
      },
    })
    if (this.#budgets.size >= MAX_CACHED_BUDGETS) this.#dropIdle()
    this.#budgets.set(key, budget)
    return budget
  }

  /** Drops budgets that nobody uses: a later equal one shares their record. */
  #dropIdle(): void {
    for (const [key, { isIdle }] of this.#budgets) if (isIdle) this.#budgets.delete(key)
  }

  /** Resolves when the store has counted all calls that have ended, or does not answer. */
  async flush(): Promise<void> {
    await Promise.all(this.#all.map(async (each) => await each.flush()))
  }

  /** Ends all waiting; reservations of calls under way count as used when their lease expires. */
  close(): void {
    for (const each of this.#all) each.close()
  }

  get #all(): (RecordLimiter | RecordBudget)[] {
    return [...this.#limiters.values(), ...this.#budgets.values()]
  }
}
