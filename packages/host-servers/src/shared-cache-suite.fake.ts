import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { expect, onTestFinished, test } from 'vitest'
import type { TestServer } from './servers.fake.ts'

const STORED_ANSWER: StoredAnswer = {
  answer: {
    id: 'a',
    model: 'm',
    created: 0,
    choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  },
  cost: 1,
}

/** Tests of a shared cache, beside the contract of caches. */
export function sharedCacheSuite(
  server: TestServer,
  create: (options: { readonly namespace: string; readonly ttl?: number }) => CacheStore,
): void {
  const open = (namespace: string, ttl?: number): CacheStore => {
    const cache = create({ namespace, ...(ttl !== undefined && { ttl }) })
    onTestFinished(async () => await cache.close?.())
    return cache
  }

  test('namespaces have separate answers and claims', async () => {
    const [a, b] = [open('a'), open('b')]
    await a.set('k', STORED_ANSWER)
    expect([await a.get('k'), await b.get('k')]).toEqual([STORED_ANSWER, undefined])
    expect(await a.claim!('k', 60)).not.toBeNull()
    expect(await b.claim!('k', 60)).not.toBeNull()
  })

  test('pending writes are kept when a cache is closed', async () => {
    const [closed, reopened] = [open('closed'), open('closed')]
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
    for (const key of keys) void closed.set(key, STORED_ANSWER) // not awaited
    await closed.close!()
    const found = await Promise.all(keys.map(async (key) => await reopened.get(key)))
    expect(found).toEqual(keys.map(() => STORED_ANSWER))
  })

  test('a claim is released although its cache is closed while the answer is written', async () => {
    const [closed, reopened] = [open('claimed'), open('claimed')]
    const claim = (await closed.claim!('k', 60))!
    const ended = (async () => {
      await closed.set('k', STORED_ANSWER)
      await claim.release()
    })()
    await closed.close!()
    await ended
    expect(await reopened.claim!('k', 60)).not.toBeNull()
  })

  test('answers expire', async () => {
    const cache = open('old', 0.05)
    await cache.set('k', STORED_ANSWER)
    await expect.poll(async () => await cache.get('k')).toBeUndefined()
    await open('for ever', Infinity).set('k', STORED_ANSWER)
    expect(await open('for ever').get('k')).toEqual(STORED_ANSWER)
  })

  test.each([{}, { namespace: 'x', ttl: 0 }, { namespace: '' }, { namespace: 'x', misspelt: 1 }, null])(
    'refuses %j',
    (options) => {
      expect(() => create(options as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    },
  )

  test('operations fail while the server is down, and work again after its restart', async () => {
    const cache = open('killed')
    await cache.set('k', STORED_ANSWER)
    await server.kill()
    const attempt = async (act: () => unknown): Promise<string> => {
      try {
        await act()
        return 'done'
      } catch {
        return 'failed'
      }
    }
    const lost = attempt(() => cache.get('k'))
    await server.start()
    expect(['done', 'failed']).toContain(await lost)
    await expect.poll(async () => await attempt(() => cache.set('after', STORED_ANSWER))).toBe('done')
    expect(await cache.get('after')).toEqual(STORED_ANSWER)
  })
}
