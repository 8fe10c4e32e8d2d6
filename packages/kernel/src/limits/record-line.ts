import type { MaybePromise, RecordChange, RecordStore } from '@x/interfaces'
import { isThenable } from '../steps.ts'
import { XError } from '../x-error.ts'

/** The records that limiters and budgets share with other workers, and how this worker reaches them. */
export interface RecordPlace {
  readonly records: RecordStore
  /** Names this process, or this limiter in it, among those that share the records. */
  readonly worker: string
  /** Seconds without a sign of life after which what a worker holds counts no more; `Infinity`: nobody else shares the records. */
  readonly lease: number
  /** Seconds that the records may take to answer. */
  readonly storeTimeout: number
  /** Hears, once, that the records do not answer, until they do again. */
  readonly onError: (error: unknown) => void
}

/** One question to a record: the change that it makes there, and who hears the outcome. */
export interface RecordQuestion<A> {
  readonly change: RecordChange<A>
  readonly onAnswer: (answer: A) => void
  /** Hears that there is no answer; the change may have been made or not. */
  readonly onFailure: (error: unknown) => void
}

/** Options of a {@link RecordLine}. */
export interface RecordLineOptions<A> {
  readonly place: RecordPlace
  readonly key: string
  /** False if a store that goes down may forget the changes of its last moment. */
  readonly durable: boolean
  /** Makes a question from the present state of this process. */
  readonly makeQuestion: () => RecordQuestion<A>
  /** Called when the record knows everything. */
  readonly onIdle?: (() => void) | undefined
  /** How a question that failed is asked again; absent: only with the next one. */
  readonly again?: {
    readonly delayMs: number
    /** True if a caller waits for the answer, so that the process stays for it. */
    readonly isAwaited: () => boolean
  }
}

/**
 * Tells one record what this process holds, and asks it for more, by one question at a time. A question that is not answered
 * in time is given up: it changes nothing when the store hears it late, so that the next one is never overwritten.
 */
export class RecordLine<A> {
  readonly #options: RecordLineOptions<A>
  #state: 'idle' | 'asking' | 'failed' | 'closed' = 'idle'
  /** True if there is something new since the present question was made. */
  #isStale = false
  #question: RecordQuestion<A> | undefined
  #isDown = false
  #retry: ReturnType<typeof setTimeout> | undefined
  #pulse: ReturnType<typeof setInterval> | undefined
  /** Resolves the callers of `flush`. */
  #flushing: (() => void)[] = []

  constructor(options: RecordLineOptions<A>) {
    this.#options = options
  }

  get isIdle(): boolean {
    return this.#state === 'idle'
  }

  get isAsking(): boolean {
    return this.#state === 'asking'
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Notes that there is something to tell or to ask: asks at once, or after the question under way. */
  ask(): void {
    if (this.isClosed) return
    this.#isStale = true
    if (!this.isAsking) this.#start()
  }

  /** Resolves when the record knows everything, or the store does not answer. */
  async flush(): Promise<void> {
    if (this.isIdle || this.isClosed) return
    const flushed = new Promise<void>((resolve) => this.#flushing.push(resolve))
    if (this.#state === 'failed') this.#start()
    await flushed
  }

  /** Renews the lease of this process every third of it, as long as the process holds something. */
  beat(isHolding: boolean): void {
    const { lease } = this.#options.place
    if (!isHolding || lease === Infinity || this.isClosed) {
      clearInterval(this.#pulse)
      this.#pulse = undefined
      return
    }
    this.#pulse ??= unref(setInterval(() => this.ask(), (lease * 1000) / 3))
  }

  /** Asks nothing more; the question under way fails. */
  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#retry)
    this.beat(false)
    this.#giveUp(new XError('invalid-state', 'the record was closed'))
    this.#endFlushes()
  }

  #start(): void {
    const { place, key, durable, makeQuestion } = this.#options
    clearTimeout(this.#retry)
    this.#state = 'asking'
    this.#isStale = false
    const question = makeQuestion()
    this.#question = question
    let answer: MaybePromise<A | undefined>
    try {
      answer = place.records.change<A | undefined>(
        key,
        (value, now) => (question === this.#question ? question.change(value, now) : { value, answer: undefined }),
        { durable },
      )
    } catch (error) {
      return this.#onFailure(question, error)
    }
    if (isThenable(answer)) void this.#await(question, answer)
    else this.#onAnswer(question, answer as A)
  }

  async #await(question: RecordQuestion<A>, answer: PromiseLike<A | undefined>): Promise<void> {
    const { storeTimeout } = this.#options.place
    const timer = setTimeout(() => {
      this.#onFailure(question, new XError('timeout', `the records did not answer within ${storeTimeout} s`))
    }, storeTimeout * 1000)
    try {
      this.#onAnswer(question, (await answer) as A)
    } catch (error) {
      this.#onFailure(question, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #onAnswer(question: RecordQuestion<A>, answer: A): void {
    if (question !== this.#question) return
    this.#question = undefined
    this.#isDown = false
    question.onAnswer(answer)
    if (this.isClosed) return
    if (this.#isStale) return this.#start()
    this.#state = 'idle'
    this.#endFlushes()
    this.#options.onIdle?.()
  }

  #onFailure(question: RecordQuestion<A>, error: unknown): void {
    if (question !== this.#question) return
    const { place, again } = this.#options
    this.#state = 'failed'
    if (!this.#isDown) place.onError(error)
    this.#isDown = true
    this.#giveUp(error)
    this.#endFlushes()
    // Its failure may have made somebody ask anew.
    if (!again || this.#state !== 'failed') return
    this.#retry = setTimeout(() => this.#start(), again.delayMs)
    if (!again.isAwaited()) unref(this.#retry)
  }

  /** Fails the question under way. */
  #giveUp(error: unknown): void {
    const question = this.#question
    this.#question = undefined
    question?.onFailure(error)
  }

  #endFlushes(): void {
    for (const resolve of this.#flushing.splice(0)) resolve()
  }
}

/** Lets the process end although a timer runs, where the platform has that. */
export function unref<T>(timer: T): T {
  const { unref: letEnd } = timer as { readonly unref?: () => void }
  letEnd?.call(timer)
  return timer
}

/** Keeps records in this process; changes are made at once. */
export class MemoryRecords implements RecordStore {
  readonly #now: () => number
  readonly #values = new Map<string, unknown>()

  /** `now` gives the time in milliseconds; default: a clock that nobody sets. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  change<T>(key: string, change: RecordChange<T>): T {
    const { value, answer } = change(this.#values.get(key), this.#now())
    if (value === undefined) this.#values.delete(key)
    else this.#values.set(key, value)
    return answer
  }
}
