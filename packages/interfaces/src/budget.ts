import type { MaybePromise } from './maybe-promise.ts'

/** Amounts that calls use. */
export interface Spending {
  /** US dollars. */
  cost: number
  /** Input and output tokens together. */
  tokens: number
  /** Requests to a model, each sending again included. */
  calls: number
}

/** A model call, as a budget sees it for its estimate. */
export interface BudgetCall {
  /** Name of the model. */
  readonly model: string
  /** Most output tokens that the request allows; undefined without a limit. */
  readonly maxTokens: number | undefined
  /** Most output tokens that the model supports; undefined if unknown. */
  readonly maxOutput: number | undefined
  /** Returns what the call uses with so many output tokens; its input is estimated, or at most (`atMost`). */
  estimate(outputTokens: number, atMost?: boolean): Spending
}

/** A caller that can wait for headroom in a budget. It holds no reservation meanwhile: two callers cannot deadlock. */
export interface RoomWaiter {
  /** True if the last refusal is not final, because calls in flight may still free headroom. */
  readonly waiting: boolean
  /** Called before such a refusal, when the caller is enqueued; `leave` removes it from the queue. */
  onQueued(leave: () => void): void
  /** Reserves again at once, because there may be headroom. */
  retry(): void
}

/** Options of a reservation. */
export interface ReserveOptions {
  /** The call to admit. All budgets of a call get the same object, so that a common parent counts it once. */
  readonly call?: BudgetCall | undefined
  /** The caller, if it can wait; default: every refusal is final. */
  readonly waiter?: RoomWaiter | undefined
}

/** Facts about an answer beside its amounts. */
export interface SettledAnswer {
  /** Output tokens; absent without a complete answer. */
  readonly outputTokens?: number | undefined
  /** True if cost and tokens are estimates, because the provider did not report them. */
  readonly estimated?: boolean | undefined
}

/** The amounts of a budget that are reserved for one call. */
export interface Reservation {
  /**
   * The amounts that are reserved now, in US dollars, tokens and calls; a request whose outcome is unknown is settled at them.
   * Absent: the budget does not tell, and the estimate stands for them.
   */
  readonly amounts?: Spending | undefined
  /** Output limit that the request has to set, so that the call fits. */
  readonly maxTokens?: number | undefined
  /** Replaces the estimate by the actual usage. A promise is not awaited; its rejection is a warning. */
  settle(actual: Spending, answer?: SettledAnswer): void
  /** Returns the amounts of a call that was not made; after `settle` it does nothing. */
  release(): void
}

/** A limit that several wrappers share: every call reserves before it is made and settles afterwards. */
export interface Budget {
  /**
   * Reserves the estimate of one call; throws `budget-exceeded` if it does not fit. A promise is awaited; blocking calls
   * refuse it.
   */
  reserve(estimate: Spending, options?: ReserveOptions): MaybePromise<Reservation>
  /** The settled and the reserved amounts together. */
  readonly spent: Spending
}

/** The state of a budget in a store. */
export interface BudgetState {
  readonly limit: Partial<Spending>
  /** Settled amounts of the current period. */
  readonly used: Spending
  /** Amounts that all workers have reserved for calls in flight. */
  readonly open: Spending
  /** Headroom, never below 0; an amount without a limit is absent. */
  readonly left: Partial<Spending>
  /** End of the current period, in milliseconds since 1970; null without periods. */
  readonly until: number | null
}

/** A budget that many processes share. `spent` is the last state that this process has read. */
export interface SharedBudget extends Budget {
  /** Reads the state of the budget from the store. */
  state(): Promise<BudgetState>
}
