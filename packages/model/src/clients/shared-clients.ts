import type { CacheStore, ConfigEntry, ModelClient, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { KeyMaker } from '../cache/cache-key.ts'
import { createDiskCache, hasDisk } from '../cache/disk-cache.ts'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { createTieredCache } from '../cache/tiered-cache.ts'
import { sameValue } from '../data/plain-data.ts'
import { providerInErrors } from '../config/slot.ts'

/** Clients, caches by seed and digests of messages, which all wrappers of one `llmConfig` share. */
export interface SharedClients {
  /** Returns the client of an entry. It is made at its first use, once for equal client-level keys. */
  clientFor(provider: Provider, entry: ConfigEntry): ModelClient
  /** Returns the cache of a seed. It is made once. */
  cacheFor(seed: number): CacheStore
  readonly keys: KeyMaker
}

/** Makes shared clients, empty at first. `makeCache` makes the cache of a seed. */
export function createSharedClients(makeCache: (seed: number) => CacheStore = defaultCache): SharedClients {
  const clients: { provider: Provider; entry: ConfigEntry; client: ModelClient }[] = []
  /** The clients by entry object, for fast lookups: every answer makes several. */
  const clientByEntry = new WeakMap<ConfigEntry, { provider: Provider; client: ModelClient }>()
  const caches = new Map<number, CacheStore>()
  return {
    clientFor(provider, entry) {
      const known = clientByEntry.get(entry)
      if (known?.provider === provider) return known.client
      let shared = clients.find((other) => other.provider === provider && sameValue(other.entry, entry))
      if (!shared) clients.push((shared = { provider, entry, client: newClient(provider, entry) }))
      clientByEntry.set(entry, shared)
      return shared.client
    },
    cacheFor(seed) {
      const known = caches.get(seed)
      if (known) return known
      const cache = makeCache(seed)
      caches.set(seed, cache)
      return cache
    },
    keys: new KeyMaker(),
  }
}

function newClient(provider: Provider, entry: ConfigEntry): ModelClient {
  const client: Partial<ModelClient> | undefined = provider.createClient(entry)
  if (typeof client?.create === 'function') return client as ModelClient
  throw new XError(
    'invalid-config',
    `\`createClient\` of the provider \`${providerInErrors(provider)}\` gave no client: return one, and no promise`,
  )
}

/**
 * Makes the default cache of a seed: the latest answers in memory, all answers on disk in `.cache/<seed>` of the working
 * directory. Without a disk, as in browsers and workers, in memory only.
 */
export function defaultCache(seed: number): CacheStore {
  const memory = createMemoryCache()
  return hasDisk() ? createTieredCache(memory, createDiskCache({ dir: `.cache/${seed}` })) : memory
}
