import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
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

/** An answer that is kept. */
interface Kept {
  readonly answer: StoredAnswer
  readonly bytes: number
  /** Time from which it is not valid. */
  readonly until: number
}

/** Makes a cache in memory that keeps the answers that were read or written last: by default at most 1,000, and at most 32 MiB. */
export function createMemoryCache(options: MemoryCacheOptions = {}): CacheStore {
  checkOptions(options, MEMORY_CACHE_KINDS, 'run `createMemoryCache`')
  const { name = 'memory', maxEntries = 1000, maxBytes = 32 * 2 ** 20, maxEntryBytes = 2 ** 20 } = options
  const { ttl = Infinity, now = () => performance.now() } = options
  // A map keeps the order of its keys, and each key that is used goes to the end.
  const kept = new Map<string, Kept>()
  let newest: string | undefined
  let bytes = 0
  const drop = (key: string): void => {
    bytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  const keep = (key: string, entry: Kept): void => {
    kept.set(key, entry)
    bytes += entry.bytes
    newest = key
  }
  return {
    name,
    get: (key) => {
      const found = kept.get(key)
      if (found === undefined) return undefined
      if (found.until !== Infinity && now() >= found.until) {
        drop(key)
        return undefined
      }
      if (key !== newest) {
        drop(key)
        keep(key, found)
      }
      return copyAnswer(found.answer)
    },
    set: (key, value) => {
      drop(key)
      const answer = copyData(value)
      const size = JSON.stringify(answer).length
      if (size > Math.min(maxEntryBytes, maxBytes)) return
      keep(key, { answer, bytes: size, until: ttl === Infinity ? Infinity : now() + ttl * 1000 })
      for (const oldest of kept.keys()) {
        if (kept.size <= maxEntries && bytes <= maxBytes) break
        drop(oldest)
      }
    },
    close: () => {
      kept.clear()
      bytes = 0
    },
  }
}
