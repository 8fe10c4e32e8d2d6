import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { LRUCache } from 'lru-cache'
import { copyAnswer, copyData } from '../data/plain-data.ts'

/** Bounds of a cache. */
export interface CacheBounds {
  /** Most answers. */
  readonly maxEntries?: number | undefined
  /** Most bytes of all answers, as JSON. */
  readonly maxBytes?: number | undefined
  /** Most bytes of one answer; a larger one is not kept. */
  readonly maxEntryBytes?: number | undefined
  /** Seconds for which an answer is valid; default: without end. */
  readonly ttl?: number | undefined
}

/** Options of a cache in memory. */
export interface MemoryCacheOptions extends CacheBounds {
  readonly name?: string | undefined
  /** Returns milliseconds of any clock; default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/** Kinds of the options that bound a cache. */
export const CACHE_BOUND_KINDS: OptionKinds<CacheBounds> = {
  maxEntries: kind.whole(1),
  maxBytes: kind.whole(1),
  maxEntryBytes: kind.whole(1),
  ttl: kind.positive,
}

const MEMORY_CACHE_KINDS: OptionKinds<MemoryCacheOptions> = { ...CACHE_BOUND_KINDS, name: kind.text, now: kind.call }

/** Makes a cache in memory that keeps the latest answers: by default at most 1,000, and at most 32 MiB. */
export function createMemoryCache(options: MemoryCacheOptions = {}): CacheStore {
  checkOptions(options, MEMORY_CACHE_KINDS, 'run `createMemoryCache`')
  const { name = 'memory', maxEntries = 1000, maxBytes = 32 * 2 ** 20, maxEntryBytes = 2 ** 20, ttl, now } = options
  const answers = new LRUCache<string, StoredAnswer>({
    max: maxEntries,
    maxSize: maxBytes,
    maxEntrySize: maxEntryBytes,
    sizeCalculation: (value) => JSON.stringify(value).length,
    ...(ttl !== undefined && { ttl: ttl * 1000, ttlResolution: 0 }),
    ...(now && { perf: { now } }),
  })
  return {
    name,
    get: (key) => {
      const answer = answers.get(key)
      return answer && copyAnswer(answer)
    },
    set: (key, value) => void answers.set(key, copyData(value)),
    close: () => answers.clear(),
  }
}
