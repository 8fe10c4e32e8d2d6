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
  test('what is being written when a cache is closed is kept', async () => {
    const message = { role: 'assistant' as const, content: 'Yes.' }
    const choices = [{ index: 0, message, finish_reason: 'stop' as const }]
    const answer = { answer: { id: 'a', model: 'm', created: 0, choices }, cost: 0 }
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
    const [closed, reopened] = [open('closed'), open('closed')]
    for (const key of keys) void closed.set(key, answer) // not waited for
    await closed.close!()
    const found = await Promise.all(keys.map(async (key) => await reopened.get(key)))
    expect(found).toEqual(keys.map(() => answer))
    await reopened.close!()
  })
  sharedCacheSuite(server, (options) => createPostgresCache({ url: server.url, ...options }))
} else skipWithout('postgres')
