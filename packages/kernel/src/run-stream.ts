import type { EventBody, EventStream } from '@x/interfaces'
import { drive, type DriveOptions, showCaller } from './driver.ts'
import { ignore, type Steps } from './steps.ts'
import { XError } from './x-error.ts'

type AnyEvent = { readonly type: string }

/**
 * Runs steps as a stream of their events, with a promise of their `result`. It starts with the first `next()`, or when
 * somebody waits for the result, and goes on from an event only when the next one is asked for; once the result is waited
 * for, it goes on by itself, and a reader that has begun still gets every event. Leaving it early closes the steps. It can
 * be read once.
 *
 * It is written out, because the `return()` of an async generator function waits behind a `next()` that hangs.
 */
export function runStream<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(
  steps: Steps<T, E>,
  options: Omit<DriveOptions<L>, 'emit'> = {},
): EventStream<T, L> {
  type Item = IteratorResult<L, T>
  const asks: ((item: Item | Promise<Item>) => void)[] = []
  const events: { event: L; goOn: () => void }[] = []
  const outcome = Promise.withResolvers<T>()
  // A part of another run shows the caller of that one.
  const origin = options.run ? {} : new Error()
  let started = false
  /** True once a reader has begun, once somebody waits for the result, once it has been iterated. */
  let read = false
  let awaited = false
  let iterated = false
  let ended = false
  /** True once a reader has the end: later ones get an empty one. */
  let told = false
  let goOn: (() => void) | undefined

  const emit = (event: L): Promise<void> | undefined => {
    if (awaited && !read) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    events.push({ event, goOn: resolve })
    serve()
    return awaited ? undefined : promise
  }
  const driver = drive('stream', steps, { ...options, emit }, (failed, value) => {
    ended = true
    if (failed) outcome.reject(showCaller(value, origin))
    else outcome.resolve(value as T)
    // Nobody is left to wait for an event's being taken.
    goOnByItself()
    serve()
  })

  const goOnByItself = (): void => {
    goOn?.()
    for (const event of events) event.goOn()
  }

  /** Hands events, and at last the end, to waiting readers. */
  const serve = (): void => {
    while (asks[0]) {
      const next = events.shift()
      if (!next && !ended) return
      const answer = asks.shift()!
      if (next) {
        goOn = next.goOn
        if (asks[0]) goOn()
        answer({ done: false, value: next.event })
      } else {
        answer(told ? END : outcome.promise.then((value) => ({ done: true, value })))
        told = true
      }
    }
  }

  const start = (): void => {
    if (started) return
    started = true
    driver.start()
  }

  const leave = async (cause: unknown): Promise<void> => {
    started = told = true
    driver.halt(cause, true)
    await outcome.promise.catch(ignore)
    events.length = 0
  }

  const result = new Result<T>((resolve) => resolve(outcome.promise))
  // It is handled even when nobody waits for it.
  result.catch(ignore)
  result.onWait = () => {
    awaited = true
    goOnByItself()
    start()
  }

  return {
    result,
    next() {
      read = true
      const asked = new Promise<Item>((resolve) => asks.push(resolve))
      goOn?.()
      start()
      serve()
      return asked
    },
    async return(value) {
      await leave(new XError('aborted', 'left the stream'))
      return { done: true, value: await value }
    },
    async throw(error) {
      await leave(error)
      throw error
    },
    [Symbol.asyncIterator]() {
      if (iterated) throw new XError('invalid-state', 'a stream is read once')
      iterated = true
      return this
    },
    async [Symbol.asyncDispose]() {
      await this.return(undefined as T)
    },
  }
}

const END: IteratorResult<never, never> = { done: true } as IteratorResult<never, never>

/** A promise that tells when somebody waits for it. */
class Result<T> extends Promise<T> {
  declare onWait: (() => void) | undefined

  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.onWait?.()
    return super.then(onFulfilled, onRejected)
  }
}
