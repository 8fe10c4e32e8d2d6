import type { ModelErrorKind } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { abortable, throwIfAborted } from '@x/kernel/abort'

/** Timer and random numbers for retries. */
export interface RetryClock {
  /** Waits some milliseconds; stops waiting when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** A number from 0 up to 1. */
  readonly random: () => number
}

/** Limits for retries. */
export interface RetryOptions {
  /** Further attempts; read after each, so that the caller may lower it. */
  readonly maxRetries: number
  /** Longest wait, in seconds, that a provider may ask for; above it the call fails at once. */
  readonly maxRetryAfter: number
  readonly signal: AbortSignal | undefined
  readonly clock: RetryClock
}

/** Kinds of failures that may pass. */
const TRANSIENT: ReadonlySet<ModelErrorKind> = new Set(['connection', 'overloaded', 'rate-limit', 'server', 'timeout'])

/** Tells whether another attempt may succeed: what the provider says of it (`x-should-retry`) wins over the kind. */
function mayPass({ kind, details }: XError): boolean {
  const said = details?.['shouldRetry']
  return typeof said === 'boolean' ? said : kind !== undefined && TRANSIENT.has(kind)
}

/** Makes a call, and repeats it after a passing failure: after the time that the provider asks for, else 0.5 s, doubling up to 8 s. */
export async function retry<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxRetryAfter, signal, clock } = options
  for (let attempt = 0; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      throwIfAborted(signal)
      if (attempt >= options.maxRetries || !isXError(error) || !mayPass(error)) throw error
      const asked = error.retryAfterMs
      if (asked !== undefined && asked > maxRetryAfter * 1000) throw error
      const backoff = Math.min(500 * 2 ** attempt, 8000) * (1 - clock.random() * 0.25)
      await abortable(clock.sleep(asked ?? backoff, signal), signal)
    }
  }
}

/** Creates the clock of the platform; a stopped sleep clears its timer. */
export function platformClock(): RetryClock {
  return {
    random: Math.random,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(wake, ms)
        function wake(): void {
          clearTimeout(timer)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        signal?.addEventListener('abort', wake)
      }),
  }
}
