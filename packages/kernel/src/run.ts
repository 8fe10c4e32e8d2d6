import type { Listener, XEvent } from '@x/interfaces'
import { abortError } from './abort.ts'
import { Driver } from './driver.ts'
import type { Steps } from './steps.ts'
import { XError } from './x-error.ts'

type Event = { readonly type: string }

/** Runs steps on this stack and gives their result; a promise on the way is refused with `async-in-sync`. */
export function runSync<T, E extends Event = XEvent>(
  steps: Steps<T, E>,
  options: { emit?: Listener<E> | undefined } = {},
): T {
  let outcome: { failed: boolean; value: unknown } | undefined
  const driver = new Driver('sync', steps, options.emit as Listener | undefined, (failed, value) => {
    outcome = { failed, value }
  })
  driver.start()
  if (outcome!.failed) throw outcome!.value
  return outcome!.value as T
}

/**
 * Runs steps and gives a promise of their result. Events go to `emit`, which is awaited; an abort of `signal` closes the
 * steps and rejects with `aborted`.
 */
export async function runAsync<T, E extends Event = XEvent>(
  steps: Steps<T, E>,
  { signal, emit }: { signal?: AbortSignal | undefined; emit?: Listener<E> | undefined } = {},
): Promise<T> {
  if (signal?.aborted) throw abortError(signal)
  return await new Promise<T>((resolve, reject) => {
    const onAbort = (): void => driver.halt(abortError(signal!))
    const driver = new Driver('async', steps, emit as Listener | undefined, (failed, value) => {
      signal?.removeEventListener('abort', onAbort)
      if (failed) reject(value)
      else resolve(value as T)
    })
    signal?.addEventListener('abort', onAbort)
    driver.start()
  })
}

/**
 * Runs steps as a stream of their events that returns their result. It starts with the first `next()` and goes on from
 * an event only when the next one is asked for. Leaving it early closes the steps.
 */
export function runStream<T, E extends Event = XEvent>(
  steps: Steps<T, E>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<E, T, void> {
  return new EventStream<T, E>(steps, signal)
}

interface Ask<T, E> {
  resolve(result: IteratorResult<E, T>): void
  reject(error: unknown): void
}

/** Written out, because a `return()` of an async generator function would wait behind a `next()` that hangs. */
class EventStream<T, E extends Event> implements AsyncGenerator<E, T, void> {
  readonly #signal: AbortSignal | undefined
  readonly #driver: Driver
  readonly #asks: Ask<T, E>[] = []
  readonly #events: { event: E; goOn: () => void }[] = []
  readonly #ended = Promise.withResolvers<void>()
  #goOn: (() => void) | undefined
  #state: 'idle' | 'running' | 'ended' = 'idle'
  #outcome: { failed: boolean; value: unknown } | undefined

  constructor(steps: Steps<T, E>, signal: AbortSignal | undefined) {
    this.#signal = signal
    this.#driver = new Driver(
      'stream',
      steps,
      (event) => this.#offer(event as unknown as E),
      (failed, value) => {
        signal?.removeEventListener('abort', this.#onAbort)
        this.#state = 'ended'
        this.#outcome = { failed, value }
        this.#ended.resolve()
        this.#serve()
      },
    )
  }

  readonly #onAbort = (): void => this.#halt(abortError(this.#signal!))

  #halt(cause: unknown): void {
    this.#events.length = 0
    this.#driver.halt(cause)
  }

  #offer(event: E): Promise<void> {
    return new Promise((goOn) => {
      this.#events.push({ event, goOn })
      this.#serve()
    })
  }

  #serve(): void {
    while (this.#asks.length > 0 && (this.#events.length > 0 || this.#outcome)) {
      const ask = this.#asks.shift()!
      const next = this.#events.shift()
      if (next) {
        this.#goOn = next.goOn
        ask.resolve({ done: false, value: next.event })
        continue
      }
      const { failed, value } = this.#outcome!
      this.#outcome = { failed: false, value: undefined }
      if (failed) ask.reject(value)
      else ask.resolve({ done: true, value: value as T })
    }
  }

  next(): Promise<IteratorResult<E, T>> {
    return new Promise((resolve, reject) => {
      this.#asks.push({ resolve, reject })
      if (this.#state === 'idle') this.#start()
      this.#goOn?.()
      this.#goOn = undefined
      this.#serve()
    })
  }

  #start(): void {
    this.#state = 'running'
    if (this.#signal?.aborted) return this.#onAbort()
    this.#signal?.addEventListener('abort', this.#onAbort)
    this.#driver.start()
  }

  async #leave(cause: unknown): Promise<void> {
    if (this.#state !== 'ended') {
      const asks = this.#asks.splice(0)
      this.#halt(cause)
      await this.#ended.promise
      for (const ask of asks) ask.resolve({ done: true, value: undefined as T })
    }
    this.#events.length = 0
    this.#outcome = { failed: false, value: undefined }
  }

  async return(value: T | PromiseLike<T>): Promise<IteratorResult<E, T>> {
    await this.#leave(new XError('aborted', 'the stream was left before its end'))
    return { done: true, value: await value }
  }

  async throw(error: unknown): Promise<IteratorResult<E, T>> {
    await this.#leave(error)
    throw error
  }

  [Symbol.asyncIterator](): AsyncGenerator<E, T, void> {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return(undefined as T)
  }
}
