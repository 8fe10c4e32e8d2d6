import type { CacheStore } from '@x/interfaces'
import { createDiskCache, createKeyvCache, createMemoryCache, createTieredCache } from '@x/model'
import { cacheStoreContract } from '@x/testing'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const runner = { describe, test, expect }
const parent = mkdtempSync(join(tmpdir(), 'x-cache-contract-'))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

const disk = (): CacheStore => createDiskCache({ dir: mkdtempSync(join(parent, 'cache-')) })
const shared = (): CacheStore => createKeyvCache(sharedStore(), { namespace: 'n' })

/** A store of texts that many may share, as Redis is behind Keyv. */
function sharedStore(): Parameters<typeof createKeyvCache>[0] {
  const texts = new Map<string, string>()
  return {
    get: async (key) => JSON.parse(texts.get(key) ?? 'null') as unknown,
    set: async (key, value) => texts.set(key, JSON.stringify(value)),
  }
}

cacheStoreContract(runner, { name: 'memory', create: () => createMemoryCache(), blocking: true })
cacheStoreContract(runner, {
  name: 'disk',
  create: disk,
  blocking: true,
  // A disk cache is named by its folder.
  reopen: ({ name }) => createDiskCache({ dir: name }),
  claims: true,
  join: ({ name }) => createDiskCache({ dir: name }),
})
cacheStoreContract(runner, { name: 'a shared store', create: shared })
cacheStoreContract(runner, {
  name: 'memory over disk',
  create: () => createTieredCache(createMemoryCache(), disk()),
  blocking: true,
  reopen: ({ name }) => createTieredCache(createMemoryCache(), createDiskCache({ dir: name })),
  claims: true,
  join: ({ name }) => createTieredCache(createMemoryCache(), createDiskCache({ dir: name })),
})
cacheStoreContract(runner, {
  name: 'memory over a shared store',
  create: () => createTieredCache(createMemoryCache(), shared()),
})
