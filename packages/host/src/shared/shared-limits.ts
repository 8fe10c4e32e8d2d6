import type { Limiter, RecordStore, SharedBudget } from '@x/interfaces'
import { checkLimits, RecordLimiter, type LimitsByModel } from '@x/kernel/limiter'
import { newChatId } from '../platform.ts'
import { limitUnits } from './budget-units.ts'
import { checkBudget, checkLimiterOptions, type HostBudgetOptions, type HostLimiterOptions } from './shared-options.ts'
import { StoreBudget } from './store-budget.ts'

/** Budgets that are kept in memory, whether or not they are used. */
const MOST_BUDGETS = 1000

/** Limiters and budgets of one process in the records of a backend. */
export class SharedLimits {
  readonly #records: RecordStore
  readonly #onError: (error: unknown) => void
  /** Budgets by their name and options: those who make one again get the same. */
  readonly #budgets = new Map<string, { readonly text: string; readonly budget: StoreBudget }>()

  readonly #open = new Set<{ flush(): Promise<void>; close(): void }>()

  constructor(records: RecordStore, onError: (error: unknown) => void) {
    this.#records = records
    this.#onError = onError
  }

  limiter(limits: LimitsByModel, options: HostLimiterOptions = {}): Limiter {
    checkLimits(limits, 'make a limiter of a host')
    checkLimiterOptions(options)
    const { lease = 30, storeTimeout = 2, whenDown = 'alone', onError = this.#onError } = options
    const worker = newChatId()
    const limiter = new RecordLimiter({
      ...{ records: this.#records, prefix: 'limit:', worker },
      ...{ limits, lease, storeTimeout, whenDown, onError },
    })
    this.#open.add(limiter)
    return limiter
  }

  budget(name: string, options: HostBudgetOptions): SharedBudget {
    checkBudget(name, options)
    const text = JSON.stringify(options)
    const known = this.#budgets.get(name)
    if (known?.text === text) return known.budget
    const { per, perCall, strict = false, minTokens = 1024, whenFull = 'wait' } = options
    const { lease = 30, onError = this.#onError } = options
    const budget = new StoreBudget({
      ...{ records: this.#records, key: `budget:${name}`, worker: newChatId(), lease, onError },
      rules: { name, per, perCall, strict, minTokens, limit: limitUnits(options) },
      waits: whenFull === 'wait',
    })
    this.#forgetIdle()
    this.#budgets.set(name, { text, budget })
    this.#open.add(budget)
    return budget
  }

  /** Forgets budgets that nobody uses, where there are many: those who make one again get another for the same record. */
  #forgetIdle(): void {
    if (this.#budgets.size < MOST_BUDGETS) return
    for (const [name, { budget }] of this.#budgets) {
      if (!budget.isIdle) continue
      this.#budgets.delete(name)
      this.#open.delete(budget)
    }
  }

  /** Resolves when the store knows what has ended, or does not answer. */
  async flush(): Promise<void> {
    await Promise.all([...this.#open].map(async (each) => await each.flush()))
  }

  /** Ends all waiting; what is under way is given back when its lease is over. */
  close(): void {
    for (const each of this.#open) each.close()
  }
}
