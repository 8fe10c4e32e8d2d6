import type { CacheClaim, CacheStore, StoredAnswer } from '@x/interfaces'
import { newToken } from '../platform.ts'
import { checkCache, CACHE_KINDS, WEEK, type SharedCacheOptions } from '../shared-cache.ts'
import { readJson } from '../stored-json.ts'
import { RedisConnection } from './redis-connection.ts'

/** Options of {@link createRedisCache}. */
export interface RedisCacheOptions extends SharedCacheOptions {
  /** The server, such as `redis://localhost:6379`. */
  readonly url: string
}

const SERVER = { protocol: /^rediss?:\/\//u, example: 'redis://localhost:6379' }

/** Prolongs a claim, if it is still this one. */
const RENEW = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0"
/** Ends a claim, if it is still this one. */
const RELEASE = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0"

/**
 * Makes a cache of model answers on Redis or Valkey that many processes share: of those that miss the same answer, one asks
 * for it. It needs `ioredis`. Its methods return promises, so `createSync` cannot use it.
 */
export function createRedisCache(options: RedisCacheOptions): CacheStore {
  checkCache('createRedisCache', options, CACHE_KINDS, SERVER)
  const { url, namespace, ttl = WEEK, name = namespace, onError = () => {} } = options
  const connection = new RedisConnection(url, onError)
  const answerKey = (key: string): string => `answers:${namespace}:${key}`
  const claimKey = (key: string): string => `claims:${namespace}:${key}`
  const age = ttl === Infinity ? undefined : milliseconds(ttl)
  return {
    name,
    async get(key) {
      const text = await connection.use((redis) => redis.get(answerKey(key)))
      return text === null ? undefined : (readJson(text) as StoredAnswer)
    },
    async set(key, value) {
      // At once: what becomes of the value later is not kept.
      const text = JSON.stringify(value)
      await connection.use((redis) =>
        age === undefined ? redis.set(answerKey(key), text) : redis.set(answerKey(key), text, 'PX', age),
      )
    },
    async claim(key, lease) {
      const token = newToken()
      const made = await connection.use((redis) => redis.set(claimKey(key), token, 'PX', milliseconds(lease), 'NX'))
      if (made === null) return null
      return {
        async renew(seconds) {
          const renewed = connection.use((redis) => redis.eval(RENEW, 1, claimKey(key), token, milliseconds(seconds)))
          return (await renewed) === 1
        },
        async release() {
          await connection.use((redis) => redis.eval(RELEASE, 1, claimKey(key), token))
        },
      } satisfies CacheClaim
    },
    async close() {
      await connection.close()
    },
  }
}

const milliseconds = (seconds: number): number => Math.max(1, Math.round(seconds * 1000))
