import type { XEvent } from '@x/interfaces'
import { drive } from './driver.ts'
import type { Steps } from './steps.ts'
import { XError } from './x-error.ts'

/**
 * Runs steps as a stream of their events that returns their result. It starts with the first `next()` and goes on from
 * an event only when the next one is asked for. Leaving it early closes the steps.
 *
 * It is written out, because the `return()` of an async generator function waits behind a `next()` that hangs.
 */
export function runStream<T, E extends { readonly type: string } = XEvent>(
  steps: Steps<T, E>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<E, T, void> {
  type Item = IteratorResult<E, T>
  const end: Item = { done: true, value: undefined as T }
  const asks: PromiseWithResolvers<Item>[] = []
  const events: { event: E; goOn: () => void }[] = []
  const ended = Promise.withResolvers<void>()
  let started = false
  /** Tells how it ended; there is none while it runs. */
  let give: ((ask: PromiseWithResolvers<Item>) => void) | undefined
  let goOn: (() => void) | undefined

  const driver = drive(
    'stream',
    steps,
    {
      signal,
      emit: (event: E) =>
        new Promise<void>((resolve) => {
          events.push({ event, goOn: resolve })
          serve()
        }),
    },
    (failed, value) => {
      // Nobody is left to wait for an event's being taken.
      goOn?.()
      for (const event of events) event.goOn()
      give = (ask) => (failed ? ask.reject(value) : ask.resolve({ done: true, value: value as T }))
      ended.resolve()
      serve()
    },
  )

  /** Gives those who ask what there is. */
  const serve = (): void => {
    while (asks.length > 0 && (events.length > 0 || give)) {
      const ask = asks.shift()!
      const next = events.shift()
      if (next) {
        goOn = next.goOn
        if (asks.length > 0) goOn()
        ask.resolve({ done: false, value: next.event })
      } else {
        give!(ask)
        give = (later) => later.resolve(end)
      }
    }
  }

  const leave = async (cause: unknown): Promise<void> => {
    const waiting = asks.splice(0)
    driver.halt(cause)
    await ended.promise
    events.length = 0
    give = (later) => later.resolve(end)
    for (const ask of waiting) ask.resolve(end)
  }

  return {
    next() {
      const ask = Promise.withResolvers<Item>()
      asks.push(ask)
      goOn?.()
      if (!started) {
        started = true
        driver.start()
      }
      serve()
      return ask.promise
    },
    async return(value) {
      await leave(new XError('aborted', 'the stream was left'))
      return { done: true, value: await value }
    },
    async throw(error) {
      await leave(error)
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await this.return(undefined as T)
    },
  }
}
