import type { EventBody, EventStream } from '@x/interfaces'
import { Driver, type DriveOptions, showCaller } from './driver.ts'
import { ignore, type Steps } from './steps.ts'
import { XError } from './x-error.ts'

type AnyEvent = { readonly type: string }

/**
 * Runs steps as a stream of their events, with a promise of their `result`. It starts with the first `next()`, or when
 * somebody waits for the result, and goes on from an event only when the next one is asked for; once the result is waited
 * for, it goes on by itself, and a reader that has begun still gets every event. Leaving it early closes the steps. It can
 * be read once.
 */
export const runStream = <T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(
  steps: Steps<T, E>,
  options: Omit<DriveOptions<L>, 'emit'> = {},
): EventStream<T, L> => new StepStream<T, E, L>(steps, options)

/** Not an async generator function: the `return()` of one waits behind a `next()` that hangs. */
class StepStream<T, E extends AnyEvent, L extends AnyEvent> implements EventStream<T, L> {
  readonly result: Promise<T>
  readonly #outcome = Promise.withResolvers<T>()
  readonly #driver: Driver
  /** Readers that wait for an event, oldest first. */
  readonly #readers: ((item: IteratorResult<L, T> | Promise<IteratorResult<L, T>>) => void)[] = []
  /** Events that wait for a reader, oldest first. */
  readonly #events: { event: L; resume: () => void }[] = []
  /** Resumes the steps from the event that was read last. */
  #resume: (() => void) | undefined
  #isStarted = false
  #isRead = false
  /** True once somebody waits for the result. */
  #isAwaited = false
  #isIterated = false
  #isEnded = false
  /** True once a reader has the end: later ones get an empty one. */
  #isEndRead = false

  constructor(steps: Steps<T, E>, options: Omit<DriveOptions<L>, 'emit'>) {
    // A part of another run shows the caller of that one.
    const origin = options.run ? {} : new Error()
    const emit = (event: L): Promise<void> | undefined => this.#emit(event)
    this.#driver = new Driver('stream', steps, { ...options, emit }, (failed, value) => {
      this.#isEnded = true
      if (failed) this.#outcome.reject(showCaller(value, origin))
      else this.#outcome.resolve(value as T)
      this.#resumeAll()
      this.#serve()
    })
    const result = new ObservedPromise<T>((resolve) => resolve(this.#outcome.promise))
    // It is handled even when nobody waits for it.
    result.catch(ignore)
    result.onWait = () => {
      this.#isAwaited = true
      this.#resumeAll()
      this.#start()
    }
    this.result = result
  }

  next(): Promise<IteratorResult<L, T>> {
    this.#isRead = true
    const item = new Promise<IteratorResult<L, T>>((resolve) => this.#readers.push(resolve))
    this.#resume?.()
    this.#start()
    this.#serve()
    return item
  }

  async return(value: T | PromiseLike<T>): Promise<IteratorResult<L, T>> {
    await this.#leave(new XError('aborted', 'the stream was left'))
    return { done: true, value: await value }
  }

  async throw(error: unknown): Promise<IteratorResult<L, T>> {
    await this.#leave(error)
    throw error
  }

  [Symbol.asyncIterator](): this {
    if (this.#isIterated) throw new XError('invalid-state', 'a stream is read once')
    this.#isIterated = true
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return(undefined as T)
  }

  /** Takes an event from the steps; they wait until it is read, unless somebody waits for the result. */
  #emit(event: L): Promise<void> | undefined {
    if (this.#isAwaited && !this.#isRead) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#events.push({ event, resume: resolve })
    this.#serve()
    return this.#isAwaited ? undefined : promise
  }

  /** Lets the steps go on without waiting for readers. */
  #resumeAll(): void {
    this.#resume?.()
    for (const { resume } of this.#events) resume()
  }

  /** Hands events, and at last the end, to waiting readers. */
  #serve(): void {
    while (this.#readers[0]) {
      const next = this.#events.shift()
      if (!next && !this.#isEnded) return
      const answer = this.#readers.shift()!
      if (next) {
        this.#resume = next.resume
        if (this.#readers[0]) this.#resume()
        answer({ done: false, value: next.event })
      } else {
        answer(this.#isEndRead ? STREAM_END : this.#outcome.promise.then((value) => ({ done: true, value })))
        this.#isEndRead = true
      }
    }
  }

  #start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#driver.start()
  }

  async #leave(cause: unknown): Promise<void> {
    this.#isStarted = this.#isEndRead = true
    this.#driver.halt(cause, true)
    await this.#outcome.promise.catch(ignore)
    this.#events.length = 0
  }
}

const STREAM_END: IteratorResult<never, never> = { done: true, value: undefined as never }

/** A promise that tells when somebody waits for it. */
class ObservedPromise<T> extends Promise<T> {
  onWait: (() => void) | undefined

  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.onWait?.()
    return super.then(onFulfilled, onRejected)
  }
}
