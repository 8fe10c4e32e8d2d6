import type { MaybePromise } from '@x/interfaces'
import { isThenable } from '@x/kernel'

/** Continues with a value that may be a promise; a plain value stays plain, so that blocking calls can use it. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isThenable(value) ? value.then(next) : next(value)
}
