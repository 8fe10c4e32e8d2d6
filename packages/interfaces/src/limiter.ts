import type { MaybePromise } from './maybe-promise.ts'

/** Limits of a model under one account. */
export interface RateLimits {
  /** Most requests in a period; default: no limit. */
  readonly requests?: number | undefined
  /** Most tokens in a period, input and output together; default: no limit. */
  readonly tokens?: number | undefined
  /** Most calls under way at once; default: no limit. */
  readonly inFlight?: number | undefined
  /** Seconds of a period; default 60. */
  readonly per?: number | undefined
}

/** A call that asks a limiter for its permit. */
export interface LimitedCall {
  /** Name of the model; `countTokens` for counts of tokens, of all models together. */
  readonly model: string
  /** Names who pays, such as a hash of the API key; never a key itself. Accounts have limits of their own. */
  readonly account: string
  /** Estimate of the tokens that the call will use, input and output together. */
  readonly tokens: number
}

/** What a call has used; a field that is absent leaves the estimate as it was. */
export interface UsedPermit {
  /** Tokens, input and output together. */
  readonly tokens?: number | undefined
  /** Requests that were sent; the permit has counted one. */
  readonly requests?: number | undefined
  /** How long the provider asks everybody to wait, in milliseconds: nobody gets a permit until then, at most 60 s. */
  readonly retryAfterMs?: number | undefined
}

/** The right to make one call. */
export interface Permit {
  /** Ends the call, once: it is no longer under way, and what it has used takes the place of the estimate. */
  end(used?: UsedPermit): void
}

/** What a limiter knows of one model and account. */
export interface LimiterState {
  readonly model: string
  readonly account: string
  readonly limits: RateLimits
  /** Requests that count in the present period. */
  readonly requests: number
  /** Tokens that count in the present period. */
  readonly tokens: number
  /** Calls under way. */
  readonly inFlight: number
  /** Calls that wait for a permit. */
  readonly waiting: number
}

/**
 * Limits how often models are asked, by all who share it. A call waits for its permit and is never refused for want of
 * room; a model without limits gets a permit at once.
 */
export interface Limiter {
  /**
   * Gives a permit, at once or when there is room; calls of one process get theirs in the order in which they came. The
   * signal ends the waiting, with `aborted`. A blocking call refuses a promise with `async-in-sync`.
   */
  acquire(call: LimitedCall, options?: { readonly signal?: AbortSignal | undefined }): MaybePromise<Permit>
  /** What is known of the models and accounts that were asked for here. */
  state?(): Promise<readonly LimiterState[]>
}
