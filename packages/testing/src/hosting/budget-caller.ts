import type { Budget, BudgetCall, Reservation, RoomWaiter, Spending } from '@x/interfaces'

/** Facts of a call of a test. */
interface CallFacts {
  readonly model?: string | undefined
  readonly input?: number | undefined
  readonly maxTokens?: number | undefined
  readonly maxOutput?: number | undefined
  /** US dollars of a token. */
  readonly price?: number | undefined
}

/** A call that reserves, and waits for headroom if the budget queues it. */
export class BudgetCaller implements BudgetCall, RoomWaiter {
  readonly model: string
  readonly maxTokens: number | undefined
  readonly maxOutput: number | undefined
  readonly #input: number
  readonly #price: number
  readonly #budget: Budget
  readonly #reserved = Promise.withResolvers<Reservation>()
  waiting = false
  /** Number of times that the budget queued this call. */
  waits = 0
  #leave: (() => void) | undefined

  constructor(budget: Budget, { model = 'm', input = 0, maxTokens, maxOutput, price = 0 }: CallFacts = {}) {
    this.model = model
    this.maxTokens = maxTokens
    this.maxOutput = maxOutput
    this.#input = input
    this.#price = price
    this.#budget = budget
  }

  /** Resolves when there is headroom; fails when there will never be any. */
  reserve(): Promise<Reservation> {
    this.retry()
    return this.#reserved.promise
  }

  estimate(outputTokens: number): Spending {
    const tokens = this.#input + outputTokens
    return { cost: tokens * this.#price, tokens, calls: 1 }
  }

  onQueued(leave: () => void): void {
    this.waiting = true
    this.waits++
    this.#leave = leave
  }

  retry(): void {
    void this.#try()
  }

  leave(): void {
    this.#leave?.()
  }

  async #try(): Promise<void> {
    this.waiting = false
    try {
      this.#reserved.resolve(await this.#budget.reserve(this.estimate(0), { call: this, waiter: this }))
    } catch (error) {
      if (!this.waiting) this.#reserved.reject(error)
    }
  }
}
