import { describe, expect, onTestFinished, test } from 'vitest'
import { createDiskCache, hasDisk } from '../cache/disk-cache.ts'
import { defaultCache } from './shared-clients.ts'

test('this runtime has a disk', () => expect(hasDisk()).toBe(true))

describe.each([
  ['a browser', { process: undefined }],
  ['a worker with Node compatibility', { navigator: { userAgent: 'Cloudflare-Workers' } }],
])('in %s', (_, globals) => {
  const within = <T>(run: () => T): T => {
    const before = new Map(Object.keys(globals).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)!]))
    const restore = (): void => {
      for (const [key, property] of before) Object.defineProperty(globalThis, key, property)
    }
    onTestFinished(restore)
    for (const [key, value] of Object.entries(globals))
      Object.defineProperty(globalThis, key, { value, configurable: true, writable: true })
    try {
      return run()
    } finally {
      restore()
    }
  }

  test('the default cache is in memory', () => {
    const answer = { choices: [], usage: null } as never
    const found = within(() => {
      const cache = defaultCache(41)
      void cache.set('key', answer)
      return { name: cache.name, answer: cache.get('key') }
    })
    expect(found).toEqual({ name: 'memory', answer })
  })

  test('a cache on disk is refused when it is made', () => {
    expect(() => within(() => createDiskCache({ dir: '.cache' }))).toThrow(
      expect.objectContaining({
        code: 'invalid-state',
        message: expect.stringContaining('createMemoryCache') as unknown,
      }),
    )
  })
})
