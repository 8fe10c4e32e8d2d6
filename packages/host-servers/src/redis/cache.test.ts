import { cacheStoreContract } from '@x/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { findProgram, skipWithout, startRedis } from '../servers.fake.ts'
import { sharedCacheSuite } from '../shared-cache-suite.fake.ts'
import { createRedisCache } from './redis-cache.ts'

const program = findProgram('redis-server')

if (program) {
  const server = await startRedis(program)
  afterAll(() => server.close())
  let caches = 0
  const open = (namespace: string = `cache-${caches++}`) => createRedisCache({ url: server.url, namespace })
  cacheStoreContract(
    { describe, test, expect },
    {
      name: 'redis',
      create: () => open(),
      reopen: ({ name }) => open(name),
      claims: true,
      join: ({ name }) => open(name),
    },
  )
  sharedCacheSuite(server, (options) => createRedisCache({ url: server.url, ...options }))
} else skipWithout('redis')
