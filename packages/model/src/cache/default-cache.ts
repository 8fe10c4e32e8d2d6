import type { CacheStore } from '@x/interfaces'
import { createDiskCache } from './disk-cache.ts'
import { createMemoryCache } from './memory-cache.ts'
import { createTieredCache } from './tiered-cache.ts'

/** The cache of a seed: the latest answers in memory, all on disk in `.cache/<seed>` of the working directory. */
export function defaultCache(seed: number): CacheStore {
  return createTieredCache(createMemoryCache(), createDiskCache({ dir: `.cache/${seed}` }))
}
