import type { CacheClaim, CacheStore, StoredAnswer } from '@x/interfaces'
import type { Redis } from 'ioredis'
import { newToken } from '../platform.ts'
import { checkCache, CACHE_KINDS, WEEK, type SharedCacheOptions } from '../shared-cache.ts'
import { readJson } from '../stored-json.ts'
import { connectRedis } from './redis-client.ts'

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
  let connected: Promise<Redis> | undefined
  let closed = false
  const client = async (): Promise<Redis> => {
    if (closed) throw new Error(`the cache \`${name}\` is closed`)
    return await (connected ??= connectRedis(url, onError))
  }
  const answerKey = (key: string): string => `answers:${namespace}:${key}`
  const claimKey = (key: string): string => `claims:${namespace}:${key}`
  const age = ttl === Infinity ? [] : (['PX', milliseconds(ttl)] as const)
  return {
    name,
    async get(key) {
      const text = await (await client()).get(answerKey(key))
      return text === null ? undefined : (readJson(text) as StoredAnswer)
    },
    async set(key, value) {
      // At once: what becomes of the value later is not kept.
      const text = JSON.stringify(value)
      const redis = await client()
      await (age.length === 0 ? redis.set(answerKey(key), text) : redis.set(answerKey(key), text, age[0], age[1]))
    },
    async claim(key, lease) {
      const redis = await client()
      const token = newToken()
      const made = await redis.set(claimKey(key), token, 'PX', milliseconds(lease), 'NX')
      if (made === null) return null
      return {
        async renew(seconds) {
          return (await redis.eval(RENEW, 1, claimKey(key), token, milliseconds(seconds))) === 1
        },
        async release() {
          await redis.eval(RELEASE, 1, claimKey(key), token)
        },
      } satisfies CacheClaim
    },
    async close() {
      closed = true
      const redis = await connected
      redis?.disconnect()
    },
  }
}

const milliseconds = (seconds: number): number => Math.max(1, Math.round(seconds * 1000))
