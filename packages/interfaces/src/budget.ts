/** What calls use up. */
export interface Spending {
  /** US dollars. */
  cost: number
  /** Input and output tokens together. */
  tokens: number
  /** Calls of a model. */
  calls: number
}

/** A part of a budget that is set aside for one call. */
export interface Reservation {
  /** Replaces the estimate by what the call really used. */
  settle(actual: Spending): void
  /** Gives everything back, for a call that used nothing. */
  release(): void
}

/** A limit that several wrappers share: every call reserves before it is made and settles afterwards. */
export interface Budget {
  /** Sets the estimate of one call aside; fails with `budget-exceeded` when it does not fit. */
  reserve(estimate: Spending): Reservation
  /** What was used up and what is set aside, together. */
  readonly spent: Spending
}
