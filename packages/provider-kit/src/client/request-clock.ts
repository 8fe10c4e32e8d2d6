import type { ModelCallOptions, ModelClient } from '@x/interfaces'
import { abortError } from '@x/kernel/abort'
import { modelFailure } from '../failure/model-failure.ts'
import { watchRequest, type RequestWatcher } from '../http/request-watch.ts'

/** Limits for the parts of a request, in seconds. */
type CallTimeouts = NonNullable<ModelCallOptions['timeouts']>

/** A limit for the time of a request, or of one of its parts. */
export type ClockName = keyof CallTimeouts

/** Longest delay of a timer of the platform. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The time of one request: forwards the abort of the caller, ends each part of the request at its limit, and hears how far it comes. */
export class RequestClock implements RequestWatcher {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: RequestClock = RequestClock.#withoutLimits()
  /** True if the caller has aborted the request. */
  hasCallerLeft = false
  /** The limit that has ended the request. */
  expired: ClockName | undefined
  /** True if the transport reports how far the request comes. */
  isWatched = false
  /** True after the first byte of the response. */
  hasResponse = false
  /** True after the first byte of the request was handed to a connection. */
  hasLeft = false
  #controller: AbortController | undefined
  /** The request under way, which the clock stops itself. */
  #request: { stop(): void } | undefined
  /** Takes the listener off the caller. */
  readonly #leave: (() => void) | undefined
  readonly #limits: CallTimeouts
  readonly #report: ModelCallOptions['onSend']
  #part: Exclude<ClockName, 'call'> = 'firstByte'
  #timer: ReturnType<typeof setTimeout> | undefined
  #timerMs: number | undefined
  #callTimer: ReturnType<typeof setTimeout> | undefined
  #callStart = 0
  #callLeftMs: number
  #isHeld = false
  #isStopped = false
  /** Rejects the current wait. */
  #reject: ((error: unknown) => void) | undefined

  /** Limits are in seconds; `report` hears whether the request has left. */
  constructor(
    caller: Pick<ModelCallOptions, 'signal' | 'onStop'>,
    limits: CallTimeouts,
    report?: ModelCallOptions['onSend'],
  ) {
    this.#limits = limits
    this.#report = report
    this.#callLeftMs = (limits.call ?? Infinity) * 1000
    this.#startPart()
    this.#startCall()
    this.#leave = caller.onStop ? caller.onStop(this.#abort) : this.#follow(caller.signal)
  }

  /** Aborted by the caller or by a limit; made when it is read. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      watchRequest(this.#controller.signal, this)
    }
    return this.#controller.signal
  }

  /** Whether the caller or a limit has aborted the request. */
  get isAborted(): boolean {
    return this.#controller?.signal.aborted ?? false
  }

  stops(request: { stop(): void }): void {
    this.#request = request
    if (this.isAborted) request.stop()
  }

  begin(): void {
    if (this.hasLeft) {
      throw modelFailure(
        'connection',
        'the client was about to send a second request for one call, and only the wrapper sends again: turn the retries of its SDK off',
        { details: { shouldRetry: false } },
      )
    }
    this.isWatched = true
    this.#report?.(false)
    this.#enter('connect')
  }

  onSend(): void {
    this.hasLeft = true
    this.#report?.(true)
    this.#enter('firstByte')
  }

  onUnsent(): void {
    this.hasLeft = false
    this.#report?.(false)
  }

  onBytes(): void {
    this.hasResponse = true
    this.#enter('silence')
  }

  /**
   * Returns a promise of the result of `use` for a value; it rejects with `aborted` as soon as the signal fires. Only one
   * wait at a time: a stream waits once for every piece, and promises and listeners are most of the cost of a piece.
   */
  until<T, R>(promise: PromiseLike<T>, use: (value: T) => R): Promise<R> {
    this.#resume()
    return new Promise((resolve, reject) => {
      this.#reject = reject
      promise.then((value) => {
        try {
          if (!this.isAborted) resolve(use(value))
        } catch (error) {
          reject(error)
        }
      }, reject)
      if (this.isAborted) reject(abortError(this.signal))
    })
  }

  /** Returns a promise of the same value, which rejects with `aborted` as soon as the request is aborted. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      promise.then(resolve, reject)
      if (this.isAborted) reject(abortError(this.signal))
    })
  }

  /** Pauses all limits until the next wait: the reader of a stream holds an event. */
  hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    if (!this.#callTimer) return
    clearTimeout(this.#callTimer)
    this.#callLeftMs -= performance.now() - this.#callStart
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    clearTimeout(this.#callTimer)
    this.#leave?.()
  }

  /** Stops the clock and aborts the request. */
  cancel(): void {
    this.stop()
    this.#end()
  }

  readonly #abort = (reason: unknown): void => {
    this.hasCallerLeft = true
    this.#end(reason)
  }

  #follow(signal: AbortSignal | undefined): (() => void) | undefined {
    if (!signal) return undefined
    const hear = (): void => this.#abort(signal.reason)
    if (signal.aborted) hear()
    signal.addEventListener('abort', hear)
    return () => signal.removeEventListener('abort', hear)
  }

  static #withoutLimits(): RequestClock {
    const clock = new RequestClock({}, {})
    // A fraction, as real times are: an integer would be another layout.
    clock.#callStart = 0.5
    return clock
  }

  /** Aborts the request, and the wait for it. */
  #end(reason?: unknown): void {
    if (this.isAborted) return
    const { signal } = this
    this.#controller!.abort(reason)
    this.#request?.stop()
    this.#reject?.(abortError(signal))
  }

  #enter(part: Exclude<ClockName, 'call'>): void {
    if (this.#isStopped) return
    this.#part = part
    this.#startPart()
  }

  /** Starts the limit of the current part at a wait, and goes on with the limit of the call after a hold. */
  #resume(): void {
    if (this.#isStopped) return
    this.#startPart()
    if (this.#isHeld) this.#startCall()
    this.#isHeld = false
  }

  /** Starts the limit of the current part anew. */
  #startPart(): void {
    const { [this.#part]: seconds } = this.#limits
    if (seconds === undefined) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      return
    }
    const ms = Math.min(seconds * 1000, MAX_TIMER_MS)
    // A timer of a browser or a worker is a number.
    if (ms === this.#timerMs && typeof this.#timer === 'object') {
      this.#timer.refresh()
      return
    }
    clearTimeout(this.#timer)
    this.#timerMs = ms
    this.#timer = setTimeout(() => {
      if (!this.#isHeld) this.#expire(this.#part)
    }, ms)
  }

  #startCall(): void {
    if (this.#callLeftMs === Infinity) return
    this.#callStart = performance.now()
    this.#callTimer = setTimeout(() => this.#expire('call'), Math.min(this.#callLeftMs, MAX_TIMER_MS))
  }

  #expire(name: ClockName): void {
    this.expired = name
    this.#end()
  }
}

/** Seconds that a request may take, unless a config says otherwise. */
const DEFAULT_TIMEOUT_S = 600

/**
 * Returns the limits of a request. `timeout` limits the whole of a request for a complete answer; of a stream it limits the
 * time to connect, to the first byte and between two bytes, because nobody knows how long its answer is.
 */
export function limitsOf(
  { timeouts, timeout = DEFAULT_TIMEOUT_S }: Pick<ModelCallOptions, 'timeout' | 'timeouts'>,
  streamed: boolean,
): CallTimeouts {
  if (!streamed) return timeouts ? { call: timeout, ...timeouts } : { call: timeout }
  return { connect: timeout, firstByte: timeout, silence: timeout, ...timeouts }
}

/** Creates the timer and the random numbers of the platform; a stopped sleep clears its timer. */
export function platformClock(): NonNullable<ModelClient['clock']> {
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
