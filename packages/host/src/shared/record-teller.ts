import type { MaybePromise, RecordChange, RecordStore } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'

/** A question to a record, as it stands when it is put. */
export interface RecordQuestion<A> {
  readonly change: RecordChange<A>
  readonly onAnswer: (answer: A) => void
  /** Hears that there is no answer; whether the change was made is not known. */
  readonly onFailure: (error: unknown) => void
}

/** Options of a {@link RecordTeller}. */
export interface RecordTellerOptions<A> {
  readonly records: RecordStore
  readonly key: string
  /** Makes the question of now. */
  readonly question: () => RecordQuestion<A>
  /** Whether somebody waits for the next answer, who keeps the process. */
  readonly isAwaited: () => boolean
  /** Hears that the record knows everything. */
  readonly onQuiet: () => void
  /** Hears, once, that the record does not answer, until it does again. */
  readonly onError: (error: unknown) => void
}

/** Seconds that the record may take to answer. */
const TIMEOUT = 5
/** Milliseconds after which a record that did not answer is asked again. */
const RETRY = 500

/**
 * Keeps a record up to date with what changes here, by one question at a time. One that is not answered in time is given
 * up: it changes nothing when it is heard later, so that the next question is the last word.
 */
export class RecordTeller<A> {
  readonly #options: RecordTellerOptions<A>
  #state: 'quiet' | 'asking' | 'resting' | 'closed' = 'quiet'
  /** Whether something has changed that is in no question yet. */
  #hasNews = false
  #current: RecordQuestion<A> | undefined
  #isDown = false
  #retry: NodeJS.Timeout | undefined
  /** Those who wait until the record knows everything, or does not answer. */
  #flushing: (() => void)[] = []

  constructor(options: RecordTellerOptions<A>) {
    this.#options = options
  }

  get isQuiet(): boolean {
    return this.#state === 'quiet'
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Notes that something has changed, and tells it at once or behind the question under way. */
  tell(): void {
    if (this.isClosed) return
    this.#hasNews = true
    if (this.#state !== 'asking') this.#ask()
  }

  /** Resolves when the record knows everything, or does not answer. */
  async flush(): Promise<void> {
    if (this.isQuiet || this.isClosed) return
    const flushed = new Promise<void>((resolve) => this.#flushing.push(resolve))
    if (this.#state === 'resting') this.#ask()
    await flushed
  }

  /** Tells nothing more; the question under way has no answer then. */
  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#retry)
    this.#give(new XError('invalid-state', 'it was closed'))
    this.#flushed()
  }

  #ask(): void {
    const { records, key } = this.#options
    const question = this.#options.question()
    clearTimeout(this.#retry)
    this.#state = 'asking'
    this.#hasNews = false
    this.#current = question
    let answer: MaybePromise<A | undefined>
    try {
      answer = records.change<A | undefined>(key, (value, now) =>
        question === this.#current ? question.change(value, now) : { value, answer: undefined },
      )
    } catch (error) {
      return this.#failed(question, error)
    }
    if (isThenable(answer)) void this.#await(question, answer)
    else this.#answered(question, answer as A)
  }

  async #await(question: RecordQuestion<A>, answer: PromiseLike<A | undefined>): Promise<void> {
    const late = new XError('timeout', `no answer within ${TIMEOUT} s`)
    const timer = setTimeout(() => this.#failed(question, late), TIMEOUT * 1000)
    try {
      this.#answered(question, (await answer) as A)
    } catch (error) {
      this.#failed(question, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #answered(question: RecordQuestion<A>, answer: A): void {
    if (question !== this.#current) return
    this.#current = undefined
    this.#isDown = false
    question.onAnswer(answer)
    if (this.#hasNews) return this.#ask()
    this.#state = 'quiet'
    this.#flushed()
    this.#options.onQuiet()
  }

  #failed(question: RecordQuestion<A>, error: unknown): void {
    if (question !== this.#current) return
    this.#state = 'resting'
    this.#give(error)
    this.#flushed()
    if (!this.#isDown) this.#options.onError(error)
    this.#isDown = true
    this.#retry = setTimeout(() => this.#ask(), RETRY)
    if (!this.#options.isAwaited()) this.#retry.unref()
  }

  /** Gives the question under way up. */
  #give(error: unknown): void {
    const question = this.#current
    this.#current = undefined
    question?.onFailure(error)
  }

  #flushed(): void {
    for (const resolve of this.#flushing.splice(0)) resolve()
  }
}
