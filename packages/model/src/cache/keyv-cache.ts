import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** The methods of Keyv, or of a similar store, that a cache needs. */
export interface KeyValueStore {
  get(key: string): Promise<unknown>
  /** `ttl` is in milliseconds. */
  set(key: string, value: unknown, ttl?: number): Promise<unknown>
  disconnect?(): Promise<unknown>
}

/** Options of a cache in a shared store. */
export interface KeyvCacheOptions {
  /** Keeps the answers of programs that share the store apart. Required. */
  readonly namespace: string
  /** Seconds for which an answer is valid; default: without end. */
  readonly ttl?: number | undefined
  readonly name?: string | undefined
}

const KEYV_CACHE_KINDS: OptionKinds<KeyvCacheOptions> = { namespace: kind.text, ttl: kind.positive, name: kind.text }

/** Makes a cache from any Keyv store (Redis, Postgres, …). Its methods return promises, so `createSync` cannot use it. */
export function createKeyvCache(store: KeyValueStore, options: KeyvCacheOptions): CacheStore {
  checkOptions(options ?? null, KEYV_CACHE_KINDS, 'run `createKeyvCache`')
  if (options.namespace === undefined) {
    throw new XError(
      'invalid-argument',
      "cannot run `createKeyvCache`: `namespace` is missing, and answers of other programs in the store would mix with its own; name one, as in { namespace: 'my-app' }",
    )
  }
  const { namespace, ttl, name = namespace } = options
  return {
    name,
    get: async (key) => ((await store.get(`${namespace}/${key}`)) ?? undefined) as StoredAnswer | undefined,
    set: async (key, value) => void (await store.set(`${namespace}/${key}`, value, ttl && ttl * 1000)),
    close: async () => void (await store.disconnect?.()),
  }
}
