import type { ConfigEntry, ModelErrorKind } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'

/** A failed model call: an error with a kind. */
export type ModelFailure = XError & { readonly kind: ModelErrorKind }

/** The default reaction to each kind of failure: try the next config, or end the call. */
const DEFAULT_FAILOVER: Readonly<Record<ModelErrorKind, 'next' | 'stop'>> = {
  timeout: 'next',
  'rate-limit': 'next',
  quota: 'next',
  overloaded: 'next',
  server: 'next',
  connection: 'next',
  auth: 'next',
  'not-found': 'next',
  'invalid-request': 'next',
  'context-overflow': 'next',
  truncated: 'next',
  'content-filter': 'stop',
  aborted: 'stop',
}

/** Tells whether an error is a failed model call. */
export function isModelFailure(error: unknown): error is ModelFailure {
  return isXError(error) && error.kind !== undefined && Object.hasOwn(DEFAULT_FAILOVER, error.kind)
}

/**
 * The account of a request without an answer: it never left, the provider refused it and bills nothing, or nobody can know
 * whether it is billed.
 */
export type FailedOutcome = 'unsent' | 'refused' | 'unknown'

/** Kinds of refusals that no provider bills. */
const UNPAID_KINDS: ReadonlySet<ModelErrorKind> = new Set(['auth', 'rate-limit', 'quota', 'not-found'])

/** Kinds of refusals that no provider bills if it names the reason itself: a proxy may say as much of a paid answer. */
const UNPAID_IF_NAMED_KINDS: ReadonlySet<ModelErrorKind> = new Set([
  'invalid-request',
  'context-overflow',
  'content-filter',
  'overloaded',
])

/** Statuses by which providers refuse a request for a lack of capacity; other statuses of servers may follow on work. */
const OVERLOADED_STATUSES: ReadonlySet<number> = new Set([429, 498, 503, 529])

/** How far a request came. */
export interface SendingFacts {
  /** False if nothing has left. */
  readonly hasLeft: boolean
  /** True if the client has reported that the request leaves, as clients of providers do. */
  readonly hasReported: boolean
  /** True if content of the answer has arrived. */
  readonly hasContent: boolean
}

/** Decides the account of a request that failed; `failure` is undefined if its caller left. */
export function outcomeOf(failure: unknown, { hasLeft, hasReported, hasContent }: SendingFacts): FailedOutcome {
  if (!hasLeft) return 'unsent'
  if (hasContent || !isModelFailure(failure)) return 'unknown'
  const { kind, status, details } = failure
  // An error inside of an answer has no status of its own.
  if (status === undefined ? hasReported : !isRefusal(kind, status)) return 'unknown'
  if (UNPAID_KINDS.has(kind)) return 'refused'
  if (!UNPAID_IF_NAMED_KINDS.has(kind)) return 'unknown'
  // An overload that did not come as the status of a response may have come in the middle of an answer.
  if (kind === 'overloaded' && (status === undefined || details?.['inAnswer'] === true)) return 'unknown'
  if (status === undefined) return 'refused'
  const isNamed = ['code', 'type', 'param'].some((name) => details?.[name] !== undefined)
  return isNamed ? 'refused' : 'unknown'
}

const isRefusal = (kind: ModelErrorKind, status: number): boolean =>
  kind === 'overloaded' ? OVERLOADED_STATUSES.has(status) : status >= 400 && status < 500

/** The facts from which the next step of a call follows. */
export interface SendingState extends Pick<ConfigEntry, 'failover'> {
  /** Requests of this config that count against `maxRetries`, the failed one included. */
  readonly sendings: number
  readonly maxRetries: number
  /** Longest wait in seconds that a provider may ask for; above it the config is given up. */
  readonly maxRetryAfter: number
  /** True if a request that got no answer in time is sent again, although it may be paid for. */
  readonly retryTimeouts: boolean
  readonly streamed: boolean
  /** True for the last config of the list. */
  readonly last: boolean
  /** True if content of the answer has arrived. */
  readonly hasContent: boolean
  /** True if the reader has seen content: nothing can replace the answer any more. */
  readonly isOpen: boolean
  /** True until a request of this call was repeated because it had not left. */
  readonly mayRepeatUnsent: boolean
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
}

/** The step after a failed request: the same config is asked again (`isFree`: this request does not count), the next one, or none. */
export type SendingStep =
  | { readonly step: 'again'; readonly afterMs: number; readonly isFree?: true }
  | { readonly step: 'next' }
  | { readonly step: 'end' }

/**
 * Decides whether a request is sent again. Every reason to send again is decided here: a transient failure, a dropped
 * connection, a redirect, a better form of the request, and the next config.
 */
export function stepAfter(failure: ModelFailure, outcome: FailedOutcome, state: SendingState): SendingStep {
  const { kind, details } = failure
  if (kind === 'aborted' || state.isOpen) return { step: 'end' }
  if (outcome === 'unsent' && kind === 'connection' && state.mayRepeatUnsent) {
    return { step: 'again', afterMs: 0, isFree: true }
  }
  if (!state.hasContent && state.sendings <= state.maxRetries) {
    if (details?.['askAgain'] === true) return { step: 'again', afterMs: 0 }
    if (state.last && isTransient(failure) && mayRepeat(failure, outcome, state)) {
      const afterMs = delayMs(failure, state)
      if (afterMs !== undefined) return { step: 'again', afterMs }
    }
  }
  const reaction = state.failover?.[kind] ?? DEFAULT_FAILOVER[kind]
  return { step: !state.last && reaction === 'next' ? 'next' : 'end' }
}

/** Kinds of failures that another request may not have. */
export const TRANSIENT_KINDS: ReadonlySet<ModelErrorKind | undefined> = new Set([
  'connection',
  'overloaded',
  'rate-limit',
  'server',
  'timeout',
])

/** Tells whether another request may succeed: the word of the provider (`x-should-retry`) wins over the kind. */
function isTransient({ kind, details }: ModelFailure): boolean {
  const shouldRetry = details?.['shouldRetry']
  return typeof shouldRetry === 'boolean' ? shouldRetry : TRANSIENT_KINDS.has(kind)
}

/** Tells whether a request may be repeated although it may be paid for: one that only took long may still be answered. */
function mayRepeat(
  { kind, status }: ModelFailure,
  outcome: FailedOutcome,
  { streamed, retryTimeouts }: SendingState,
): boolean {
  const isLate = kind === 'timeout' && status === undefined
  return !isLate || outcome !== 'unknown' || streamed || retryTimeouts
}

/** Delay before the first retry; each further delay is twice as long. */
const FIRST_DELAY_MS = 500

const MAX_DELAY_MS = 8000

/** Part of a delay that is random. */
const JITTER_RATIO = 0.25

/**
 * Returns the milliseconds before a further request: as the provider asks, else 0.5 s, doubling up to 8 s. Returns
 * undefined if the provider asks for more than the config allows. The first dropped connection is a reason to use another
 * one, not to wait: servers close idle connections just when the next request is on its way.
 */
function delayMs(
  { kind, retryAfterMs, details }: ModelFailure,
  { sendings, maxRetryAfter, random }: SendingState,
): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs > maxRetryAfter * 1000 ? undefined : retryAfterMs
  if (kind === 'connection' && sendings === 1 && details?.['received'] !== true) return 0
  return Math.min(FIRST_DELAY_MS * 2 ** (sendings - 1), MAX_DELAY_MS) * (1 - random() * JITTER_RATIO)
}
