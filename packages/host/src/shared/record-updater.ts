import type { MaybePromise, RecordChange, RecordStore } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'

/** One update of a record: a change, and listeners for its outcome. */
export interface RecordUpdate<A> {
  readonly change: RecordChange<A>
  readonly onAnswer: (answer: A) => void
  /** Called when there is no answer; the change may have been made or not. */
  readonly onFailure: (error: unknown) => void
}

/** Options of a {@link RecordUpdater}. */
export interface RecordUpdaterOptions<A> {
  readonly records: RecordStore
  readonly key: string
  /** Makes an update from the present state of this process. */
  readonly makeUpdate: () => RecordUpdate<A>
  /** True if a caller waits for the next answer, so that the retry keeps the process running. */
  readonly isAwaited: () => boolean
  /** Called when the record is up to date. */
  readonly onIdle: () => void
  /** Called with the first error of a store that does not answer, and again after it has answered. */
  readonly onError: (error: unknown) => void
}

/** Time that the store may take to answer. */
const ANSWER_TIMEOUT_S = 5
/** Delay before an update that failed is retried. */
const RETRY_DELAY_MS = 500

/**
 * Keeps a record up to date with the state of this process, by one update at a time. An update that is not answered in time
 * is abandoned: it changes nothing when the store runs it later, so that the next update is never overwritten.
 */
export class RecordUpdater<A> {
  readonly #options: RecordUpdaterOptions<A>
  #state: 'idle' | 'updating' | 'failed' | 'closed' = 'idle'
  /** True if the state has changed since the current update was made. */
  #isStale = false
  #current: RecordUpdate<A> | undefined
  #isDown = false
  #retry: NodeJS.Timeout | undefined
  /** Resolves the callers of `flush`. */
  #flushing: (() => void)[] = []

  constructor(options: RecordUpdaterOptions<A>) {
    this.#options = options
  }

  get isIdle(): boolean {
    return this.#state === 'idle'
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Notes that the state has changed: updates the record at once, or after the update under way. */
  update(): void {
    if (this.isClosed) return
    this.#isStale = true
    if (this.#state !== 'updating') this.#start()
  }

  /** Resolves when the record is up to date or the store does not answer. */
  async flush(): Promise<void> {
    if (this.isIdle || this.isClosed) return
    const flushed = new Promise<void>((resolve) => this.#flushing.push(resolve))
    if (this.#state === 'failed') this.#start()
    await flushed
  }

  /** Makes no further update; the one under way fails. */
  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#retry)
    this.#abandon(new XError('invalid-state', 'the record was closed'))
    this.#resolveFlushes()
  }

  #start(): void {
    const { records, key } = this.#options
    const update = this.#options.makeUpdate()
    clearTimeout(this.#retry)
    this.#state = 'updating'
    this.#isStale = false
    this.#current = update
    let answer: MaybePromise<A | undefined>
    try {
      answer = records.change<A | undefined>(key, (value, now) =>
        update === this.#current ? update.change(value, now) : { value, answer: undefined },
      )
    } catch (error) {
      return this.#onFailure(update, error)
    }
    if (isThenable(answer)) void this.#await(update, answer)
    else this.#onAnswer(update, answer as A)
  }

  async #await(update: RecordUpdate<A>, answer: PromiseLike<A | undefined>): Promise<void> {
    const timeout = new XError('timeout', `no answer within ${ANSWER_TIMEOUT_S} s`)
    const timer = setTimeout(() => this.#onFailure(update, timeout), ANSWER_TIMEOUT_S * 1000)
    try {
      this.#onAnswer(update, (await answer) as A)
    } catch (error) {
      this.#onFailure(update, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #onAnswer(update: RecordUpdate<A>, answer: A): void {
    if (update !== this.#current) return
    this.#current = undefined
    this.#isDown = false
    update.onAnswer(answer)
    if (this.#isStale) return this.#start()
    this.#state = 'idle'
    this.#resolveFlushes()
    this.#options.onIdle()
  }

  #onFailure(update: RecordUpdate<A>, error: unknown): void {
    if (update !== this.#current) return
    this.#state = 'failed'
    this.#abandon(error)
    this.#resolveFlushes()
    if (!this.#isDown) this.#options.onError(error)
    this.#isDown = true
    this.#retry = setTimeout(() => this.#start(), RETRY_DELAY_MS)
    if (!this.#options.isAwaited()) this.#retry.unref()
  }

  /** Fails the update under way. */
  #abandon(error: unknown): void {
    const update = this.#current
    this.#current = undefined
    update?.onFailure(error)
  }

  #resolveFlushes(): void {
    for (const resolve of this.#flushing.splice(0)) resolve()
  }
}
