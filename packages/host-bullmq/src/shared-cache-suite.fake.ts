import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { expect, onTestFinished, test } from 'vitest'
import type { TestServer } from './servers.fake.ts'

const stored: StoredAnswer = {
  answer: {
    id: 'a',
    model: 'm',
    created: 0,
    choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  },
  cost: 1,
}

/** What a cache on a server does beside what every cache does. */
export function sharedCacheSuite(
  server: TestServer,
  create: (options: { readonly namespace: string; readonly ttl?: number }) => CacheStore,
): void {
  const open = (namespace: string, ttl?: number): CacheStore => {
    const cache = create({ namespace, ...(ttl !== undefined && { ttl }) })
    onTestFinished(async () => await cache.close?.())
    return cache
  }

  test('namespaces do not mix, neither in answers nor in claims', async () => {
    const [a, b] = [open('a'), open('b')]
    await a.set('k', stored)
    expect([await a.get('k'), await b.get('k')]).toEqual([stored, undefined])
    expect(await a.claim!('k', 60)).not.toBeNull()
    expect(await b.claim!('k', 60)).not.toBeNull()
  })

  test('what is being written when a cache is closed is kept', async () => {
    const [closed, reopened] = [open('closed'), open('closed')]
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
    for (const key of keys) void closed.set(key, stored) // not waited for
    await closed.close!()
    const found = await Promise.all(keys.map(async (key) => await reopened.get(key)))
    expect(found).toEqual(keys.map(() => stored))
  })

  test('a claim ends whose answer is being written when a cache is closed', async () => {
    const [closed, reopened] = [open('claimed'), open('claimed')]
    const claim = (await closed.claim!('k', 60))!
    const ended = (async () => {
      await closed.set('k', stored)
      await claim.release()
    })()
    await closed.close!()
    await ended
    expect(await reopened.claim!('k', 60)).not.toBeNull()
  })

  test('answers age', async () => {
    const cache = open('old', 0.05)
    await cache.set('k', stored)
    await expect.poll(async () => await cache.get('k')).toBeUndefined()
    await open('for ever', Infinity).set('k', stored)
    expect(await open('for ever').get('k')).toEqual(stored)
  })

  test.each([{}, { namespace: 'x', ttl: 0 }, { namespace: '' }, { namespace: 'x', misspelt: 1 }, null])(
    'refuses %j',
    (options) => {
      expect(() => create(options as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    },
  )

  test('a server that is killed fails its operations, and a cache goes on with the server that comes back', async () => {
    const cache = open('killed')
    await cache.set('k', stored)
    await server.kill()
    const tried = async (act: () => unknown): Promise<string> => {
      try {
        await act()
        return 'done'
      } catch {
        return 'failed'
      }
    }
    const lost = tried(() => cache.get('k'))
    await server.start()
    expect(['done', 'failed']).toContain(await lost)
    await expect.poll(async () => await tried(() => cache.set('after', stored))).toBe('done')
    expect(await cache.get('after')).toEqual(stored)
  })
}
