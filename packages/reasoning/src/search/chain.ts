import type { MaybePromise } from '@x/interfaces'
import { isThenable } from '@x/kernel'

/** Passes a value that may be a promise to the next function; with a plain value it stays synchronous. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isThenable(value) ? value.then(next) : next(value)
}
