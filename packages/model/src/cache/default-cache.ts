import type { CacheStore } from '@x/interfaces'
import { createDiskCache } from './disk-cache.ts'
import { hasDisk } from './has-disk.ts'
import { createMemoryCache } from './memory-cache.ts'
import { createTieredCache } from './tiered-cache.ts'

/**
 * The cache of a seed: the latest answers in memory, all on disk in `.cache/<seed>` of the working directory. Where there
 * is no disk, as in browsers and workers, in memory only.
 */
export function defaultCache(seed: number): CacheStore {
  const memory = createMemoryCache()
  return hasDisk() ? createTieredCache(memory, createDiskCache({ dir: `.cache/${seed}` })) : memory
}
