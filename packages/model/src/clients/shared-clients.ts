import type { CacheStore, ConfigEntry, ModelClient, Provider } from '@x/interfaces'
import { createKeyMaker, type KeyMaker } from '../cache/cache-key.ts'
import { sameValue } from '../data/same-value.ts'

/** Clients, caches of seeds and digests of messages, which all wrappers of one `llmConfig` share. */
export interface SharedClients {
  /** Gives the client for an entry; it is made when it is first asked for, once for equal client-level keys. */
  clientFor(provider: Provider, entry: ConfigEntry): ModelClient
  /** Gives the cache of a seed; it is made once. */
  cacheFor(seed: number): CacheStore
  readonly keys: KeyMaker
}

/** Makes shared clients, empty at first. */
export function createSharedClients(defaultCache: (seed: number) => CacheStore): SharedClients {
  const clients: { provider: Provider; entry: ConfigEntry; client: ModelClient }[] = []
  /** The same by the entry itself: every answer asks several times. */
  const known = new WeakMap<ConfigEntry, { provider: Provider; client: ModelClient }>()
  const caches = new Map<number, CacheStore>()
  return {
    clientFor(provider, entry) {
      const before = known.get(entry)
      if (before?.provider === provider) return before.client
      let made = clients.find((each) => each.provider === provider && sameValue(each.entry, entry))
      if (!made) clients.push((made = { provider, entry, client: provider.createClient(entry) }))
      known.set(entry, made)
      return made.client
    },
    cacheFor(seed) {
      const known = caches.get(seed)
      if (known) return known
      const made = defaultCache(seed)
      caches.set(seed, made)
      return made
    },
    keys: createKeyMaker(),
  }
}
