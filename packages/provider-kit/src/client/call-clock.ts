/** Limits the time of a call or of a pause in a stream; forwards the caller's abort. */
export interface CallClock {
  /** Aborted by the caller or when the time is up. */
  readonly signal: AbortSignal
  /** Whether the time was up. */
  readonly timedOut: boolean
  /** Restarts the time, after a piece has arrived. */
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
    restart: () => void timer.refresh(),
    stop,
    cancel() {
      stop()
      controller.abort()
    },
  }
}
