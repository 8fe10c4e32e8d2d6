import type { EventBody } from '@x/interfaces'
import { ignore } from './ignore.ts'
import { wait, type Steps } from './steps.ts'

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
