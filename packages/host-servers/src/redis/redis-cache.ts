import type { CacheClaim, CacheStore, StoredAnswer } from '@x/interfaces'
import { DEFAULT_TIMEOUT_S } from '../pending-calls.ts'
import { newToken } from '../platform.ts'
import { checkCache, DEFAULT_TTL_S, SHARED_CACHE_KINDS, type SharedCacheOptions } from '../shared-cache.ts'
import { readJson } from '../stored-text.ts'
import { REDIS_URL, RedisConnection } from './redis-client.ts'

/** Options of {@link createRedisCache}. */
export interface RedisCacheOptions extends SharedCacheOptions {
  /** The server, such as `redis://localhost:6379`. */
  readonly url: string
}

/** Renews a claim if its token is still the same. */
const RENEW_CLAIM_LUA = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0"
/** Releases a claim if its token is still the same. */
const RELEASE_CLAIM_LUA = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0"

/**
 * Makes a cache of model answers on Redis or Valkey that many processes share: of the processes that miss the same answer,
 * one calls the model. It needs `ioredis`. Its methods return promises, so `createSync` cannot use it.
 */
export function createRedisCache(options: RedisCacheOptions): CacheStore {
  checkCache('createRedisCache', options, SHARED_CACHE_KINDS, REDIS_URL)
  const { url, namespace, ttl = DEFAULT_TTL_S, name = namespace, onError = () => {} } = options
  const connection = new RedisConnection({ url, timeout: DEFAULT_TIMEOUT_S, onError })
  const answerKey = (key: string): string => `answers:${namespace}:${key}`
  const claimKey = (key: string): string => `claims:${namespace}:${key}`
  const ttlMs = ttl === Infinity ? undefined : milliseconds(ttl)
  return {
    name,
    async get(key) {
      const text = await connection.use((redis) => redis.get(answerKey(key)))
      return text === null ? undefined : (readJson(text) as StoredAnswer)
    },
    async set(key, value) {
      // Serialised before the first wait, because the caller may change the value later.
      const text = JSON.stringify(value)
      await connection.use((redis) =>
        ttlMs === undefined ? redis.set(answerKey(key), text) : redis.set(answerKey(key), text, 'PX', ttlMs),
      )
    },
    async claim(key, lease) {
      const token = newToken()
      const made = await connection.use((redis) => redis.set(claimKey(key), token, 'PX', milliseconds(lease), 'NX'))
      if (made === null) return null
      return {
        async renew(seconds) {
          const renewed = connection.use((redis) =>
            redis.eval(RENEW_CLAIM_LUA, 1, claimKey(key), token, milliseconds(seconds)),
          )
          return (await renewed) === 1
        },
        async release() {
          await connection.use((redis) => redis.eval(RELEASE_CLAIM_LUA, 1, claimKey(key), token))
        },
      } satisfies CacheClaim
    },
    async close() {
      await connection.close()
    },
  }
}

const milliseconds = (seconds: number): number => Math.max(1, Math.round(seconds * 1000))
