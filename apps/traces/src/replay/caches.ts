import type { CacheStore } from '@x/interfaces'

/** Makes the caches of one replay: one in memory per seed, empty at first. */
export function cachesBySeed(): (seed: number) => CacheStore {
  const stores = new Map<number, CacheStore>()
  return (seed) => {
    const store = stores.get(seed) ?? createStore(`seed ${seed}`)
    stores.set(seed, store)
    return store
  }
}

function createStore(name: string): CacheStore {
  const entries = new Map<string, string>()
  return {
    name,
    get: (key) => (entries.has(key) ? JSON.parse(entries.get(key)!) : undefined),
    set(key, value) {
      entries.set(key, JSON.stringify(value))
    },
  }
}
