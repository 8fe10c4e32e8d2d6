import type { CacheStore, ConfigEntry, ModelClient, Provider } from '@x/interfaces'
import { createKeyMaker, type KeyMaker } from './cache-key.ts'

/** What all wrappers made from one `llmConfig` share: clients, caches of seeds, digests of messages. */
export interface Family {
  /** Gives the client for an entry; it is made when it is first asked for, once for equal client-level keys. */
  clientFor(provider: Provider, entry: ConfigEntry): ModelClient
  /** Gives the cache of a seed; it is made once. */
  cacheFor(seed: number): CacheStore
  readonly keys: KeyMaker
}

/** Makes a family without clients and caches. */
export function createFamily(defaultCache: (seed: number) => CacheStore): Family {
  const clients: { provider: Provider; entry: ConfigEntry; client: ModelClient }[] = []
  const caches = new Map<number, CacheStore>()
  return {
    clientFor(provider, entry) {
      const known = clients.find((made) => made.provider === provider && sameValue(made.entry, entry))
      if (known) return known.client
      const client = provider.createClient(entry)
      clients.push({ provider, entry, client })
      return client
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

/** Tells whether two values of configs mean the same; functions and live objects by identity. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!isPlain(a) || !isPlain(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  )
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}
