import type { CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'
import { isThenable } from '@x/kernel'

/** How a tier is read and written: directly, or with a time limit and without errors. */
export interface StoreAccess {
  get(store: CacheStore, key: string): MaybePromise<StoredAnswer | undefined>
  set(store: CacheStore, key: string, value: StoredAnswer): MaybePromise<void>
}

/** A cache of two tiers. The caller may pass how each tier is accessed, so that a failing tier does not fail the other. */
export interface TieredCache extends CacheStore {
  get(key: string, access?: StoreAccess): MaybePromise<StoredAnswer | undefined>
  set(key: string, value: StoredAnswer, access?: StoreAccess): MaybePromise<void>
}

const DIRECT_ACCESS: StoreAccess = {
  get: (store, key) => store.get(key),
  set: (store, key, value) => store.set(key, value),
}

/** Caches that `createTieredCache` made. A copy of one, which may have other methods, is not among them. */
const tieredCaches = new WeakMap<CacheStore, TieredCache>()

/** The tier that keeps the claims of each tiered cache. */
const claimStores = new WeakMap<CacheStore, CacheStore>()

/** Returns the store that keeps the claims of a cache: of a tiered cache, the tier that has claims. */
export const claimStoreOf = (store: CacheStore): CacheStore => claimStores.get(store) ?? store

/** Returns a store as a tiered cache; undefined when it is not one. */
export const asTiered = (store: CacheStore): TieredCache | undefined => tieredCaches.get(store)

/** Makes one cache of a fast and a lasting tier: an answer that only the lasting tier has is copied to the fast tier. */
export function createTieredCache(fast: CacheStore, lasting: CacheStore, name: string = lasting.name): CacheStore {
  const claims = [lasting, fast].find((tier) => tier.claim !== undefined)
  const cache: TieredCache = {
    name,
    get: (key, access = DIRECT_ACCESS) =>
      then(access.get(fast, key), (hit) => {
        if (hit !== undefined) return hit
        return then(access.get(lasting, key), (answer) => {
          if (answer !== undefined) copyToFast(() => access.set(fast, key, answer))
          return answer
        })
      }),
    set: (key, value, access = DIRECT_ACCESS) =>
      then(access.set(fast, key, value), () => access.set(lasting, key, value)),
    ...(claims && { claim: (key: string, lease: number) => claims.claim!(key, lease) }),
    close: () => then(fast.close?.(), () => lasting.close?.()),
  }
  tieredCaches.set(cache, cache)
  if (claims) claimStores.set(cache, claimStoreOf(claims))
  return cache
}

/** Writes to the fast tier without waiting; a failure costs a later lookup and nothing else. */
function copyToFast(set: () => MaybePromise<void>): void {
  try {
    const writing = set()
    if (isThenable(writing)) writing.then(undefined, () => {})
  } catch {
    // The lasting tier still has it.
  }
}

/** Continues at once with a plain value, so that two synchronous stores make a synchronous cache. */
function then<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isThenable(value) ? value.then(next) : next(value)
}
