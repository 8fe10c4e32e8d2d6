import { abortError } from '@x/kernel/abort'

/** Limits the time of a call or of a pause in a stream; forwards the caller's abort. */
export interface CallClock {
  /** Aborted by the caller or when the time is up. */
  readonly signal: AbortSignal
  /** Whether the time was up. */
  readonly timedOut: boolean
  /**
   * Gives a promise of what `use` makes of a value, which rejects with `aborted` as soon as the signal fires. For one wait
   * at a time: a stream waits once for every piece, and promises and listeners are most of what a piece costs.
   */
  until<T, R>(promise: PromiseLike<T>, use: (value: T) => R): Promise<R>
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
  let stopped = false
  const start = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => {
      timedOut = true
      controller.abort()
    }, ms)
  let timer = start()
  let fail: ((error: unknown) => void) | undefined
  controller.signal.addEventListener('abort', () => fail?.(abortError(controller.signal)), { once: true })
  const stop = (): void => {
    stopped = true
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
    until: (promise, use) =>
      new Promise((resolve, reject) => {
        fail = reject
        promise.then((value) => {
          try {
            if (!controller.signal.aborted) resolve(use(value))
          } catch (error) {
            reject(error)
          }
        }, reject)
        if (controller.signal.aborted) reject(abortError(controller.signal))
      }),
    restart() {
      if (stopped) return
      // A timer of a browser or a worker is a number.
      if (typeof timer === 'object') timer.refresh()
      else {
        clearTimeout(timer)
        timer = start()
      }
    },
    stop,
    cancel() {
      stop()
      controller.abort()
    },
  }
}
