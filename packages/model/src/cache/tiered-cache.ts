import type { CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'
import { isThenable } from '@x/kernel'

/** The way to ask a store: directly, or with a limit and without errors. */
export interface StoreAccess {
  get(store: CacheStore, key: string): MaybePromise<StoredAnswer | undefined>
  set(store: CacheStore, key: string, value: StoredAnswer): MaybePromise<void>
}

/** A cache of two tiers. Who uses it may say how each tier is asked, so that one that fails does not take the other with it. */
export interface TieredCache extends CacheStore {
  get(key: string, access?: StoreAccess): MaybePromise<StoredAnswer | undefined>
  set(key: string, value: StoredAnswer, access?: StoreAccess): MaybePromise<void>
}

const DIRECT: StoreAccess = {
  get: (store, key) => store.get(key),
  set: (store, key, value) => store.set(key, value),
}

/** The caches of two tiers; a copy of one, which may have other methods, is not among them. */
const tieredCaches = new WeakMap<CacheStore, TieredCache>()

/** The stores that keep the claims of caches of two tiers. */
const claimStores = new WeakMap<CacheStore, CacheStore>()

/** Gives the store that keeps the claims of a cache: of two tiers, the one that has them. */
export const claimStoreOf = (store: CacheStore): CacheStore => claimStores.get(store) ?? store

/** Gives a store as a cache of two tiers; undefined when it is not one. */
export const asTiered = (store: CacheStore): TieredCache | undefined => tieredCaches.get(store)

/** Makes one cache of a fast and a lasting one: answers of the lasting one are kept in the fast one when they are found. */
export function createTieredCache(fast: CacheStore, lasting: CacheStore, name: string = lasting.name): CacheStore {
  const claims = [lasting, fast].find((tier) => tier.claim !== undefined)
  const cache: TieredCache = {
    name,
    get: (key, access = DIRECT) =>
      then(access.get(fast, key), (near) => {
        if (near !== undefined) return near
        return then(access.get(lasting, key), (far) => {
          if (far !== undefined) keepBeside(() => access.set(fast, key, far))
          return far
        })
      }),
    set: (key, value, access = DIRECT) => then(access.set(fast, key, value), () => access.set(lasting, key, value)),
    ...(claims && { claim: (key: string, lease: number) => claims.claim!(key, lease) }),
    close: () => then(fast.close?.(), () => lasting.close?.()),
  }
  tieredCaches.set(cache, cache)
  if (claims) claimStores.set(cache, claimStoreOf(claims))
  return cache
}

/** Keeps an answer in the fast tier, which the one who asked does not wait for; a failure costs a lookup and nothing else. */
function keepBeside(set: () => MaybePromise<void>): void {
  try {
    const kept = set()
    if (isThenable(kept)) kept.then(undefined, () => {})
  } catch {
    // The lasting tier still has it.
  }
}

/** Goes on at once with a plain value, so that two stores that do not wait make one that does not. */
function then<T, R>(value: MaybePromise<T>, go: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isThenable(value) ? value.then(go) : go(value)
}
