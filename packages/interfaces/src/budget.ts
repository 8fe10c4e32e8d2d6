import type { MaybePromise } from './maybe-promise.ts'

/** What calls use up. */
export interface Spending {
  /** US dollars. */
  cost: number
  /** Input and output tokens together. */
  tokens: number
  /** Requests that are sent to a model, further attempts included. */
  calls: number
}

/** A call of a model, as a budget that makes estimates of its own needs to know it. */
export interface BudgetCall {
  /** Name of the model. */
  readonly model: string
  /** Most output tokens that the request allows; undefined when it sets no limit. */
  readonly maxTokens: number | undefined
  /** Most output tokens that the model gives; undefined when that is unknown. */
  readonly maxOutput: number | undefined
  /** Returns what the call uses with so many output tokens: by an estimate of its input, or by the most that it can be (`atMost`). */
  estimate(outputTokens: number, atMost?: boolean): Spending
}

/** A caller that can wait for room in a budget. It holds nothing while it waits, so that no two callers wait for each other. */
export interface RoomWaiter {
  /** Whether the refusal that was just thrown is not final, since calls in flight may still make room. */
  readonly waiting: boolean
  /** Hears, before such a refusal, that it is in a queue; `leave` takes it out of it. */
  onQueued(leave: () => void): void
  /** Reserves again, at once, since there may be room. */
  retry(): void
}

/** Options of a reservation. */
export interface ReserveOptions {
  /** The call that is about to be made; the same object in every budget that has to admit it, so that none counts it twice. */
  readonly call?: BudgetCall | undefined
  /** The caller, when it can wait; default: every refusal is final. */
  readonly waiter?: RoomWaiter | undefined
}

/** What is known of an answer beside what it cost. */
export interface SettledAnswer {
  /** Output tokens; absent when there is no whole answer. */
  readonly outputTokens?: number | undefined
  /** Whether cost and tokens are estimates, since the provider did not tell them. */
  readonly estimated?: boolean | undefined
}

/** A part of a budget that is set aside for one call. */
export interface Reservation {
  /** Most output tokens that there is room for, when the request has to set that limit. */
  readonly maxTokens?: number | undefined
  /** Sets one more call aside, for a request that is sent again; false when it does not fit. Absent: every request is allowed. */
  addCall?(): boolean
  /** Replaces the estimate by what the call really used. Nobody waits for a promise; its rejection is a warning. */
  settle(actual: Spending, answer?: SettledAnswer): void
  /** Gives everything back, for a call that was not made; after `settle` it does nothing. */
  release(): void
}

/** A limit that several wrappers share: every call reserves before it is made and settles afterwards. */
export interface Budget {
  /**
   * Sets the estimate of one call aside; fails with `budget-exceeded` when it does not fit. A promise is waited for, except
   * in blocking calls, which refuse it.
   */
  reserve(estimate: Spending, options?: ReserveOptions): MaybePromise<Reservation>
  /** What was used up and what is set aside, together. */
  readonly spent: Spending
}

/** What a budget that lives in a store knows. */
export interface BudgetState {
  readonly limit: Partial<Spending>
  /** Amounts that calls of the present period have used. */
  readonly used: Spending
  /** Amounts that are set aside for calls under way, by all workers. */
  readonly open: Spending
  /** Amounts that are left of the limit; a dimension without a limit is absent. Never below 0. */
  readonly left: Partial<Spending>
  /** When the present period ends, in milliseconds since 1970; null without periods. */
  readonly until: number | null
}

/** A budget that many processes share. What it has `spent` is what this process has heard last. */
export interface SharedBudget extends Budget {
  /** Asks the store how the budget stands. */
  state(): Promise<BudgetState>
}
