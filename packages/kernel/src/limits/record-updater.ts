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

/** One update of a record: the change, and who hears its outcome. */
export interface RecordUpdate<A> {
  readonly change: RecordChange<A>
  readonly onAnswer: (answer: A) => void
  /** Hears that there is no answer; the change may have been made or not. */
  readonly onFailure: (error: unknown) => void
}

/** Options of a {@link RecordUpdater}. */
export interface RecordUpdaterOptions<A> {
  readonly place: RecordPlace
  readonly key: string
  /** False if a store that goes down may forget the changes of its last moment. */
  readonly durable: boolean
  /** Makes an update from the present state of this process. */
  readonly makeUpdate: () => RecordUpdate<A>
  /** Called when the record knows everything. */
  readonly onIdle?: (() => void) | undefined
  /** How an update that failed is made again; absent: only with the next one. */
  readonly again?: {
    readonly delayMs: number
    /** True if a caller waits for the answer, so that the process stays for it. */
    readonly isAwaited: () => boolean
  }
}

/**
 * Keeps a record up to date with the state of this process, and asks it for more, by one update at a time. An update that is
 * not answered in time is given up: it changes nothing when the store makes it late, so that the next one is never overwritten.
 */
export class RecordUpdater<A> {
  readonly #options: RecordUpdaterOptions<A>
  #state: 'idle' | 'updating' | 'failed' | 'closed' = 'idle'
  /** True if there is something new since the present update was made. */
  #isStale = false
  #update: RecordUpdate<A> | undefined
  #isDown = false
  #retry: ReturnType<typeof setTimeout> | undefined
  #pulse: ReturnType<typeof setInterval> | undefined
  /** Resolves the callers of `flush`. */
  #flushing: (() => void)[] = []

  constructor(options: RecordUpdaterOptions<A>) {
    this.#options = options
  }

  get isIdle(): boolean {
    return this.#state === 'idle'
  }

  get isUpdating(): boolean {
    return this.#state === 'updating'
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Notes that the state has changed: updates the record at once, or after the update under way. */
  update(): void {
    if (this.isClosed) return
    this.#isStale = true
    if (!this.isUpdating) this.#start()
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
    this.#pulse ??= unref(setInterval(() => this.update(), (lease * 1000) / 3))
  }

  /** Makes no further update; the one under way fails. */
  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#retry)
    this.beat(false)
    this.#giveUp(new XError('invalid-state', 'the record was closed'))
    this.#endFlushes()
  }

  #start(): void {
    const { place, key, durable, makeUpdate } = this.#options
    clearTimeout(this.#retry)
    this.#state = 'updating'
    this.#isStale = false
    const update = makeUpdate()
    this.#update = update
    let answer: MaybePromise<A | undefined>
    try {
      answer = place.records.change<A | undefined>(
        key,
        (value, now) => (update === this.#update ? update.change(value, now) : { value, answer: undefined }),
        { durable },
      )
    } catch (error) {
      return this.#onFailure(update, error)
    }
    if (isThenable(answer)) void this.#await(update, answer)
    else this.#onAnswer(update, answer as A)
  }

  async #await(update: RecordUpdate<A>, answer: PromiseLike<A | undefined>): Promise<void> {
    const { storeTimeout } = this.#options.place
    const timer = setTimeout(() => {
      this.#onFailure(update, new XError('timeout', `the records did not answer within ${storeTimeout} s`))
    }, storeTimeout * 1000)
    try {
      this.#onAnswer(update, (await answer) as A)
    } catch (error) {
      this.#onFailure(update, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #onAnswer(update: RecordUpdate<A>, answer: A): void {
    if (update !== this.#update) return
    this.#update = undefined
    this.#isDown = false
    update.onAnswer(answer)
    if (this.isClosed) return
    if (this.#isStale) return this.#start()
    this.#state = 'idle'
    this.#endFlushes()
    this.#options.onIdle?.()
  }

  #onFailure(update: RecordUpdate<A>, error: unknown): void {
    if (update !== this.#update) return
    const { place, again } = this.#options
    this.#state = 'failed'
    if (!this.#isDown) place.onError(error)
    this.#isDown = true
    this.#giveUp(error)
    this.#endFlushes()
    // Its failure may have made somebody update anew.
    if (!again || this.#state !== 'failed') return
    this.#retry = setTimeout(() => this.#start(), again.delayMs)
    if (!again.isAwaited()) unref(this.#retry)
  }

  /** Fails the update under way. */
  #giveUp(error: unknown): void {
    const update = this.#update
    this.#update = undefined
    update?.onFailure(error)
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
