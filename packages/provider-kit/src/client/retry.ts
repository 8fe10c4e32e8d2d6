import type { ModelErrorKind } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { abortable, throwIfAborted } from '@x/kernel/abort'

/** Timer and random numbers for retries. */
export interface RetryClock {
  /** Waits some milliseconds, or until the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** A number from 0 up to 1. */
  readonly random: () => number
}

/** Limits for retries. */
export interface RetryOptions {
  /** Further attempts; read after each, so that the caller may lower the number. */
  readonly maxRetries: number
  /** Longest wait in seconds that a provider may ask for; above it the call fails at once. */
  readonly maxRetryAfter: number
  readonly signal: AbortSignal | undefined
  readonly clock: RetryClock
}

/** Delay before the first retry; each further delay is twice as long. */
const FIRST_DELAY_MS = 500

const MAX_DELAY_MS = 8000

/** Part of a delay that is random. */
const JITTER_RATIO = 0.25

/** Makes a call, and repeats it after a transient failure: after the delay of the provider, else 0.5 s, doubling up to 8 s. */
export async function retry<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxRetryAfter, signal, clock } = options
  for (let attempt = 0; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      throwIfAborted(signal)
      if (attempt >= options.maxRetries || !isXError(error) || !isTransient(error)) throw error
      const retryAfterMs = error.retryAfterMs
      if (retryAfterMs !== undefined && retryAfterMs > maxRetryAfter * 1000) throw error
      const backoffMs = Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (1 - clock.random() * JITTER_RATIO)
      await abortable(clock.sleep(retryAfterMs ?? backoffMs, signal), signal)
    }
  }
}

const TRANSIENT_KINDS: ReadonlySet<ModelErrorKind> = new Set([
  'connection',
  'overloaded',
  'rate-limit',
  'server',
  'timeout',
])

/** Tells whether another attempt may succeed: the word of the provider (`x-should-retry`) wins over the kind. */
function isTransient({ kind, details }: XError): boolean {
  const shouldRetry = details?.['shouldRetry']
  return typeof shouldRetry === 'boolean' ? shouldRetry : kind !== undefined && TRANSIENT_KINDS.has(kind)
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
