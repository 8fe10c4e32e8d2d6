import type { Limiter, RecordStore, SharedBudget } from '@x/interfaces'
import { checkLimits, RecordLimiter, type LimitsByModel } from '@x/kernel/limiter'
import { newId } from '../platform.ts'
import { limitUnits } from './budget-units.ts'
import { checkBudget, checkLimiterOptions, type HostBudgetOptions, type HostLimiterOptions } from './shared-options.ts'
import { StoreBudget } from './store-budget.ts'

/** Budgets that are kept in memory, whether or not they are used. */
const MOST_BUDGETS = 1000

/** Limiters and budgets of one process in the records of a backend. */
export class SharedLimits {
  readonly #records: RecordStore
  readonly #onError: (error: unknown) => void
  /** Limiters by their limits and options: those who make one again get the same. */
  readonly #limiters = new Map<string, RecordLimiter>()
  /** Budgets by their names and options: those who make one again get the same. */
  readonly #budgets = new Map<string, StoreBudget>()

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
      ...{ records: this.#records, prefix: 'limit:', worker: newId() },
      ...{ limits, lease, storeTimeout, whenDown, onError },
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
    const budget = new StoreBudget({
      ...{ records: this.#records, key: `budget:${name}`, worker: newId(), lease, onError },
      rules: { name, per, perCall, strict, minTokens, limit: limitUnits(options) },
      waits: whenFull === 'wait',
    })
    if (this.#budgets.size >= MOST_BUDGETS) this.#forgetIdle()
    this.#budgets.set(key, budget)
    return budget
  }

  /** Forgets budgets that nobody uses: those who make one again get another for the same record. */
  #forgetIdle(): void {
    for (const [key, { isIdle }] of this.#budgets) if (isIdle) this.#budgets.delete(key)
  }

  /** Resolves when the store knows what has ended, or does not answer. */
  async flush(): Promise<void> {
    await Promise.all(this.#all.map(async (each) => await each.flush()))
  }

  /** Ends all waiting; what is under way is given back when its lease is over. */
  close(): void {
    for (const each of this.#all) each.close()
  }

  get #all(): (RecordLimiter | StoreBudget)[] {
    return [...this.#limiters.values(), ...this.#budgets.values()]
  }
}
