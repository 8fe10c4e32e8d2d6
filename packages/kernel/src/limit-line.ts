import type { MaybePromise, Permit, RateLimits, RecordChange, RecordStore, UsedPermit } from '@x/interfaces'
import { abortError, throwIfAborted } from './abortable.ts'
import { decideLimit, type LimitAnswer, type LimitCorrection, type LimitQuestion } from './limit-rules.ts'
import { isThenable } from './steps.ts'
import { XError } from './x-error.ts'

/** How limiters reach what they share. */
export interface LimitPlace {
  readonly records: RecordStore
  /** Names this process, or this limiter in it, among those that share the records. */
  readonly worker: string
  /** Seconds without a sign of life after which the calls of a worker count no more; `Infinity`: nobody else shares them. */
  readonly lease: number
  /** Seconds that the records may take to answer. */
  readonly storeTimeout: number
  /** Hears, once, that the records do not answer, until they do again. */
  readonly onError: (error: unknown) => void
}

/** The limits of one model and account, and where a call goes when their record does not answer; undefined: it is refused. */
export interface LimitOfLine {
  readonly key: string
  readonly limits: RateLimits
  readonly instead: LimitLine | undefined
}

/** A call that waits for its permit. */
interface WaitingCall {
  readonly tokens: number
  readonly signal: AbortSignal | undefined
  grant(permit: MaybePromise<Permit>): void
  refuse(error: unknown): void
}

/** The answer to a question that was given up. */
const NOTHING: LimitAnswer = { granted: 0, slot: 0, again: 0 }

/** Most calls that one question is about. */
const BATCH = 100
/** Seconds for which records that do not answer are left alone. */
const REST = 5

/** The calls of one process that wait for one limit, first come first served. Several of them are one question to the records. */
export class LimitLine {
  readonly #place: LimitPlace
  readonly #limit: LimitOfLine
  #waiting: WaitingCall[] = []
  #corrections: LimitCorrection[] = []
  #pause = 0
  #held = 0
  /** Whether calls have ended that the record still counts. */
  #stale = false
  /** The question under way, until it is answered or given up. */
  #question: LimitQuestion | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #pulse: ReturnType<typeof setInterval> | undefined
  #isDown = false
  /** Those who wait until the records know everything. */
  #flushing: (() => void)[] = []
  #warned = false
  #closed = false

  constructor(place: LimitPlace, limit: LimitOfLine) {
    this.#place = place
    this.#limit = limit
  }

  /** Gives a permit, or a promise of one. */
  acquire(tokens: number, signal: AbortSignal | undefined): MaybePromise<Permit> {
    throwIfAborted(signal)
    if (this.#closed) throw closedError()
    if (this.#isDown && this.#limit.instead) return this.#limit.instead.acquire(tokens, signal)
    let outcome: { readonly permit: MaybePromise<Permit> } | { readonly error: unknown } | undefined
    const queued = Promise.withResolvers<Permit>()
    const leave = (): void => {
      const index = this.#waiting.indexOf(call)
      if (index >= 0) this.#waiting.splice(index, 1)
      call.refuse(abortError(signal!))
    }
    const call: WaitingCall = {
      tokens,
      signal,
      grant(permit) {
        signal?.removeEventListener('abort', leave)
        outcome ??= { permit }
        queued.resolve(permit)
      },
      refuse(error) {
        signal?.removeEventListener('abort', leave)
        outcome ??= { error }
        queued.reject(error)
      },
    }
    // What was given at once is not waited for.
    queued.promise.catch(() => {})
    signal?.addEventListener('abort', leave, { once: true })
    this.#waiting.push(call)
    this.#ask()
    if (!outcome) return queued.promise
    if ('error' in outcome) throw outcome.error
    return outcome.permit
  }

  /** Ends a call that had a permit of a part of the period for so many tokens. */
  end(slot: number, estimate: number, { tokens = estimate, requests = 1, retryAfterMs = 0 }: UsedPermit = {}): void {
    this.#held--
    this.#stale = true
    const correction = { slot, tokens: tokens - estimate, requests: requests - 1 }
    if (correction.tokens !== 0 || correction.requests !== 0) this.#corrections.push(correction)
    this.#pause = Math.max(this.#pause, retryAfterMs)
    this.#ask()
  }

  /** Resolves when the records know what has ended here, or do not answer. */
  async flush(): Promise<void> {
    if (this.#closed || (!this.#question && !this.#stale)) return
    const flushed = new Promise<void>((resolve) => this.#flushing.push(resolve))
    this.#ask()
    await flushed
  }

  /** Ends all waiting and tells the records nothing more. */
  close(): void {
    this.#closed = true
    this.#flushed()
    clearTimeout(this.#timer)
    clearInterval(this.#pulse)
    for (const call of this.#waiting.splice(0)) call.refuse(closedError())
    this.#limit.instead?.close()
  }

  /** Tells the records what has ended, and asks them for what waits. */
  #ask(): void {
    if (this.#question || this.#closed) return
    clearTimeout(this.#timer)
    const { records, worker, lease } = this.#place
    const { key, limits } = this.#limit
    const asked = this.#waiting.slice(0, BATCH)
    const question: LimitQuestion = {
      ...{ worker, limits, lease: lease * 1000, held: this.#held, pause: this.#pause },
      wants: asked.map(({ tokens }) => tokens),
      corrections: this.#corrections.splice(0),
    }
    this.#pause = 0
    this.#stale = false
    this.#question = question
    // One that was given up and is heard late says what was, and asks for nobody.
    const change: RecordChange<LimitAnswer> = (value, now) =>
      question === this.#question ? decideLimit(value, now, question) : { value, answer: NOTHING }
    try {
      // A store that goes down forgets the permits of its last moment at most, and is told again of those under way.
      const answer = records.change(key, change, { durable: false })
      if (isThenable(answer)) void this.#hear(question, answer, asked)
      else this.#told(asked, answer)
    } catch (error) {
      this.#failed(error)
    }
  }

  async #hear(question: LimitQuestion, answer: PromiseLike<LimitAnswer>, asked: readonly WaitingCall[]): Promise<void> {
    const { storeTimeout } = this.#place
    const timer = setTimeout(() => {
      this.#failed(new XError('timeout', `the records did not answer within ${storeTimeout} s`))
    }, storeTimeout * 1000)
    try {
      const told = await answer
      // What was granted and is answered too late counts, although nobody uses it.
      if (question === this.#question) this.#told(asked, told)
    } catch (error) {
      if (question === this.#question) this.#failed(error)
    } finally {
      clearTimeout(timer)
    }
  }

  #told(asked: readonly WaitingCall[], { granted, slot, again }: LimitAnswer): void {
    if (this.#closed) return
    this.#warned = false
    this.#held += granted
    const unused: number[] = []
    for (const call of asked.slice(0, granted)) {
      const index = this.#waiting.indexOf(call)
      if (index < 0) unused.push(call.tokens)
      else {
        this.#waiting.splice(index, 1)
        call.grant(new LinePermit(this, slot, call.tokens))
      }
    }
    this.#question = undefined
    this.#beat()
    for (const tokens of unused) this.end(slot, tokens, { tokens: 0, requests: 0 })
    if (this.#question) return
    const isNew = this.#waiting.length > 0 && granted === asked.length
    if (isNew || this.#stale) return this.#ask()
    this.#flushed()
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#ask(), again)
  }

  #flushed(): void {
    for (const resolve of this.#flushing.splice(0)) resolve()
  }

  /** Shows that this process lives as long as it has calls under way. */
  #beat(): void {
    const { lease } = this.#place
    if (this.#held === 0 || lease === Infinity) {
      clearInterval(this.#pulse)
      this.#pulse = undefined
      return
    }
    this.#pulse ??= setInterval(() => this.#ask(), (lease * 1000) / 3)
    unref(this.#pulse)
  }

  #failed(error: unknown): void {
    this.#question = undefined
    this.#flushed()
    if (this.#closed) return
    const { instead } = this.#limit
    if (!this.#warned) this.#place.onError(error)
    this.#warned = true
    const calls = this.#waiting.splice(0)
    if (instead) {
      this.#isDown = true
      unref(setTimeout(() => (this.#isDown = false), REST * 1000))
    }
    for (const call of calls) {
      if (!instead) call.refuse(downError(error))
      else {
        try {
          call.grant(instead.acquire(call.tokens, call.signal))
        } catch (refused) {
          call.refuse(refused)
        }
      }
    }
  }
}

class LinePermit implements Permit {
  readonly #slot: number
  readonly #tokens: number
  #line: LimitLine | undefined

  constructor(line: LimitLine, slot: number, tokens: number) {
    this.#line = line
    this.#slot = slot
    this.#tokens = tokens
  }

  end(used?: UsedPermit): void {
    this.#line?.end(this.#slot, this.#tokens, used)
    this.#line = undefined
  }
}

const downError = (cause: unknown): XError =>
  new XError(
    'connection-failed',
    'the limiter could not ask the store that it shares with other workers: start the store, or let workers keep the limits alone with `whenDown: "alone"`',
    { cause },
  )

const closedError = (): XError =>
  new XError('invalid-state', 'the limiter was closed with its host: end the work before you close the host')

/** Lets the process end although a timer runs, where the platform has that. */
const unref = (timer: unknown): void => (timer as { unref?: () => void }).unref?.()
