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
