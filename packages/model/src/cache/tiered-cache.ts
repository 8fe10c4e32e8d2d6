import type { CacheStore } from '@x/interfaces'
import { isThenable } from '@x/kernel'

/** Makes one cache of a fast and a lasting one: answers of the lasting one are kept in the fast one when they are found. */
export function createTieredCache(fast: CacheStore, lasting: CacheStore, name: string = lasting.name): CacheStore {
  return {
    name,
    get: (key) =>
      then(fast.get(key), (near) => {
        if (near !== undefined) return near
        return then(lasting.get(key), (far) => (far === undefined ? undefined : then(fast.set(key, far), () => far)))
      }),
    set: (key, value) => then(fast.set(key, value), () => lasting.set(key, value)),
    close: () => then(fast.close?.(), () => lasting.close?.()),
  }
}

/** Goes on at once with a plain value, so that two stores that do not wait make one that does not. */
function then<T, R>(value: T | PromiseLike<T>, go: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isThenable(value) ? value.then(go) : go(value)
}
