import type { MaybePromise } from './maybe-promise.ts'

/** Limits of a model under one account. */
export interface RateLimits {
  /** Most requests per period; default: no limit. */
  readonly requests?: number | undefined
  /** Most tokens per period, input and output together; default: no limit. */
  readonly tokens?: number | undefined
  /** Most concurrent calls; default: no limit. */
  readonly inFlight?: number | undefined
  /** Period in seconds; default 60. */
  readonly per?: number | undefined
}

/** A call that needs a permit of a limiter. */
export interface LimitedCall {
  /** Name of the model; `countTokens` for token counts of all models together. */
  readonly model: string
  /** Id of the account, such as a hash of the API key, never the key itself. Each account has its own limits. */
  readonly account: string
  /** Estimate of the tokens that the call will use, input and output together. */
  readonly tokens: number
}

/** The usage of a call; an absent field keeps the estimate. */
export interface UsedPermit {
  /** Tokens, input and output together. */
  readonly tokens?: number | undefined
  /** Requests that were sent; the permit counts one. */
  readonly requests?: number | undefined
  /** Milliseconds that the provider asks all callers to wait: no permit is given until then, for at most 60 s. */
  readonly retryAfterMs?: number | undefined
}

/** The right to make one call. */
export interface Permit {
  /** Ends the call: it is no longer in flight, and its usage replaces the estimate. Further calls do nothing. */
  end(used?: UsedPermit): void
}

/** The state of a limiter for one model and account. */
export interface LimiterState {
  readonly model: string
  readonly account: string
  readonly limits: RateLimits
  /** Requests of the current period. */
  readonly requests: number
  /** Tokens of the current period. */
  readonly tokens: number
  /** Calls in flight. */
  readonly inFlight: number
  /** Calls that wait for a permit. */
  readonly waiting: number
}

/**
 * Limits the rate of model calls by all who share it. A call waits for a permit and is never refused; a model without limits
 * gets a permit at once.
 */
export interface Limiter {
  /**
   * Returns a permit, at once or when the limits allow; calls of one process are served in order. The signal ends the waiting
   * with `aborted`. A blocking call refuses a promise with `async-in-sync`.
   */
  acquire(call: LimitedCall, options?: { readonly signal?: AbortSignal | undefined }): MaybePromise<Permit>
  /** Returns the state of the models and accounts that were used here. */
  state?(): Promise<readonly LimiterState[]>
}
