import type { EventBody, MaybePromise, Run, RunScope } from '@x/interfaces'

/** A wait on a value that may be a promise. */
export const WAIT_REQUEST = 0
/** A group of steps that run side by side. */
export const POOL_REQUEST = 1
/** A question for the run that these steps belong to. */
export const RUN_REQUEST = 2
/** A change of the scope; the answer is a function that restores the old scope. */
export const SCOPE_REQUEST = 3

/** A request of steps to the driver. Its `type` is a number; that of an event is a text. */
export type Request =
  | { readonly type: typeof WAIT_REQUEST; readonly value: unknown; readonly what: string }
  | PoolRequest
  | { readonly type: typeof RUN_REQUEST }
  | { readonly type: typeof SCOPE_REQUEST; readonly scope: RunScope }

/** A group of children to run. */
export interface PoolRequest {
  readonly type: typeof POOL_REQUEST
  readonly next: () => AnySteps | undefined
  readonly limit: number
}

/** An operation written once: it yields requests and events of type `E` to a driver and returns a `T`. */
export type Steps<T, E extends { readonly type: string } = EventBody> = Generator<Request | E, T, unknown>

/** Steps of any result and any events, as the driver sees them. */
export type AnySteps = Generator<Request | { readonly type: string }, unknown, unknown>

/** Tells a promise, or anything else with a `then`, from a plain value. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/**
 * Goes on with a value that may be a promise; `what` names it if the blocking face has to refuse it.
 * Plain values visit the driver too, so that an abort is seen after every call outside.
 */
export function* wait<T>(value: MaybePromise<T>, what: string): Steps<T, never> {
  return (yield { type: WAIT_REQUEST, value, what }) as T
}

/** Gives the run that these steps belong to: its face, its signal, its `emit`. */
export function* currentRun(): Steps<Run, never> {
  return (yield { type: RUN_REQUEST }) as Run
}

/**
 * Runs the steps that `next` gives, at most `limit` at once (default: no limit; one in the sync face). `next` is asked
 * again whenever one ends, until nothing runs and it has none. When one fails, the others are stopped.
 */
export function* pool<E extends { readonly type: string } = EventBody>(
  next: () => Steps<unknown, E> | undefined,
  limit: number = Infinity,
): Steps<void, E> {
  if (!(limit >= 1)) throw new RangeError(`limit ${limit} is below 1`)
  yield { type: POOL_REQUEST, next, limit }
}

/**
 * Runs independent steps, at most `limit` at once (default: all; one after the other in the sync face); the results keep
 * their order. When one fails, the others are stopped. With a limit, steps that wait for each other must come in the
 * order of their dependence.
 */
export function* all<T, E extends { readonly type: string } = EventBody>(
  children: readonly Steps<T, E>[],
  limit: number = Infinity,
): Steps<T[], E> {
  const results: T[] = []
  let index = 0
  yield* pool(() => {
    const child = children[index]
    return child && keep(results, index++, child)
  }, limit)
  return results
}

function* keep<T, E extends { readonly type: string }>(
  results: T[],
  index: number,
  child: Steps<T, E>,
): Steps<void, E> {
  results[index] = yield* child
}

/**
 * Hands the items of a source on, one at a time, as the events that `handle` makes of them (nothing for `undefined`), and
 * gives what the source returned. A source that is left before its end is told so and never waited for.
 */
export function* each<I, R, E extends { readonly type: string } = EventBody>(
  source: AsyncIterable<I, R> | Iterable<I, R>,
  handle: (item: I) => E | undefined,
  what: string = 'a stream',
): Steps<R, E> {
  const items = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let ended = false
  try {
    for (;;) {
      const item = yield* wait<IteratorResult<I, R>>(items.next(), what)
      if (item.done) {
        ended = true
        return item.value
      }
      const event = handle(item.value)
      if (event) yield event
    }
  } finally {
    // The source may fail while it is being left: what made us leave is what the caller hears of.
    if (!ended) (async () => await items.return?.())().catch(ignore)
  }
}

/** Runs steps in a scope of their own: it is what the run hands down to them and to what they call. */
export function* within<T, E extends { readonly type: string } = EventBody>(
  scope: RunScope,
  steps: Steps<T, E>,
): Steps<T, E> {
  // What takes it back is called and not yielded: a generator that yields while it is closed would go on.
  const back = (yield { type: SCOPE_REQUEST, scope }) as () => void
  try {
    return yield* steps
  } finally {
    back()
  }
}

/** Does nothing: for a rejection that somebody else hears of. */
export const ignore = (): void => {}
