import { abortError } from '@x/kernel/abort'

/** Limits the time of a call or of a pause in a stream; forwards the abort of the caller. */
export interface CallClock {
  /** Aborted by the caller or by the timeout. */
  readonly signal: AbortSignal
  readonly timedOut: boolean
  /**
   * Returns a promise of the result of `use` for a value; it rejects with `aborted` as soon as the signal fires. Only one
   * wait at a time: a stream waits once for every piece, and promises and listeners are most of the cost of a piece.
   */
  until<T, R>(promise: PromiseLike<T>, use: (value: T) => R): Promise<R>
  /** Restarts the timeout, after a piece has arrived or when another attempt begins. */
  restart(): void
  stop(): void
  /** Stops the clock and aborts the call. */
  cancel(): void
}

/** Longest delay of a timer of the platform. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Starts a clock with a timeout in seconds. */
export function startCallClock(signal: AbortSignal | undefined, timeout: number): CallClock {
  return new TimerClock(signal, Math.min(timeout * 1000, MAX_TIMER_MS))
}

class TimerClock implements CallClock {
  readonly signal: AbortSignal
  timedOut = false
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #timeoutMs: number
  #timer: ReturnType<typeof setTimeout>
  #isStopped = false
  /** Rejects the current wait. */
  #reject: ((error: unknown) => void) | undefined

  constructor(caller: AbortSignal | undefined, timeoutMs: number) {
    this.signal = this.#controller.signal
    this.#caller = caller
    this.#timeoutMs = timeoutMs
    this.#timer = this.#start()
    this.signal.addEventListener('abort', () => this.#reject?.(abortError(this.signal)), { once: true })
    if (caller?.aborted) this.#abort()
    caller?.addEventListener('abort', this.#abort)
  }

  until<T, R>(promise: PromiseLike<T>, use: (value: T) => R): Promise<R> {
    const { signal } = this
    return new Promise((resolve, reject) => {
      this.#reject = reject
      promise.then((value) => {
        try {
          if (!signal.aborted) resolve(use(value))
        } catch (error) {
          reject(error)
        }
      }, reject)
      if (signal.aborted) reject(abortError(signal))
    })
  }

  restart(): void {
    if (this.#isStopped) return
    // A timer of a browser or a worker is a number.
    if (typeof this.#timer === 'object') this.#timer.refresh()
    else {
      clearTimeout(this.#timer)
      this.#timer = this.#start()
    }
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#abort)
  }

  cancel(): void {
    this.stop()
    this.#controller.abort()
  }

  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason)

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      this.timedOut = true
      this.#controller.abort()
    }, this.#timeoutMs)
  }
}
