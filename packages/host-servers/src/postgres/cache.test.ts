import { cacheStoreContract } from '@x/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { findPostgres, skipWithout, startPostgres } from '../servers.fake.ts'
import { sharedCacheSuite } from '../shared-cache-suite.fake.ts'
import { createPostgresCache } from './postgres-cache.ts'

const programs = findPostgres()

if (programs) {
  const server = await startPostgres(programs)
  afterAll(() => server.close())
  let caches = 0
  const open = (namespace: string = `cache-${caches++}`) => createPostgresCache({ url: server.url, namespace })
  cacheStoreContract(
    { describe, test, expect },
    {
      name: 'postgres',
      create: () => open(),
      reopen: ({ name }) => open(name),
      claims: true,
      join: ({ name }) => open(name),
    },
  )
  sharedCacheSuite(server, (options) => createPostgresCache({ url: server.url, ...options }))
} else skipWithout('postgres')
