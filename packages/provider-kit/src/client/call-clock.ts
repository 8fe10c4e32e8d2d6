import { abortError } from '@x/kernel/abort'

/** Limits the time of a call or of a pause in a stream; forwards the caller's abort. */
export interface CallClock {
  /** Aborted by the caller or when the time is up. */
  readonly signal: AbortSignal
  /** Whether the time was up. */
  readonly timedOut: boolean
  /**
   * Gives a promise of the same value that rejects with `aborted` as soon as the signal fires. For one wait at a time: a
   * stream waits once for every piece, and a listener for each of them is most of what a piece costs.
   */
  until<T>(promise: PromiseLike<T>): Promise<T>
  /** Restarts the time, after a piece has arrived or when another attempt begins. */
  restart(): void
  stop(): void
  /** Stops the clock and aborts the call. */
  cancel(): void
}

/** Longest time a timer of the platform can run, in milliseconds. */
const LONGEST = 2 ** 31 - 1

/** Starts a clock of some seconds. */
export function startCallClock(signal: AbortSignal | undefined, seconds: number): CallClock {
  const controller = new AbortController()
  const ms = Math.min(seconds * 1000, LONGEST)
  const abort = (): void => controller.abort(signal?.reason)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    controller.abort()
  }, ms)
  let fail: ((error: unknown) => void) | undefined
  controller.signal.addEventListener('abort', () => fail?.(abortError(controller.signal)), { once: true })
  const stop = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut
    },
    until: (promise) =>
      new Promise((resolve, reject) => {
        fail = reject
        promise.then(resolve, reject)
        if (controller.signal.aborted) reject(abortError(controller.signal))
      }),
    restart: () => void timer.refresh(),
    stop,
    cancel() {
      stop()
      controller.abort()
    },
  }
}
