import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { cacheStoreContract } from './cache-store-contract.ts'
import { failing } from './failing.fake.ts'

/** A store of texts, as a database would be. */
function textStore(texts: Map<string, string> = new Map()): CacheStore {
  return {
    name: 'texts',
    get: (key) => {
      const text = texts.get(key)
      return text === undefined ? undefined : (JSON.parse(text) as StoredAnswer)
    },
    set: (key, value) => void texts.set(key, JSON.stringify(value)),
    close: () => {},
  }
}

const places = new Map<CacheStore, Map<string, string>>()

cacheStoreContract(
  { describe, test, expect },
  {
    name: 'a map of texts',
    blocking: true,
    create() {
      const texts = new Map<string, string>()
      const store = textStore(texts)
      places.set(store, texts)
      return store
    },
    reopen: (closed) => textStore(places.get(closed)),
  },
)

const broken: readonly (readonly [string, (store: CacheStore) => Partial<CacheStore>, RegExp])[] = [
  ['has no name', () => ({ name: '' }), /a name/u],
  ['gives null', (store) => ({ get: (key) => store.get(key) ?? (null as never) }), /undefined/u],
  ['forgets the cost', (store) => ({ set: (key, { answer }) => store.set(key, { answer, cost: 0 }) }), /unknown cost/u],
  ['keeps the first', (store) => ({ set: (key, value) => void (store.get(key) ?? store.set(key, value)) }), /latest/u],
  ['hands out what it holds', () => live(), /object changes later/u],
  [
    'writes on what it gets',
    (store) => ({ set: (key, value) => store.set(key, Object.assign(value, { at: 1 })) }),
    /as it was/u,
  ],
  [
    'folds keys',
    (store) => ({
      get: (key) => store.get(key.toLowerCase()),
      set: (key, value) => store.set(key.toLowerCase(), value),
    }),
    /keys apart/u,
  ],
  ['loses concurrent answers', (store) => oneAtATime(store), /at once/u],
  [
    'answers later',
    (store) => ({ set: async (key, value) => await store.set(key, value) }),
    /^answers without promises/u,
  ],
]

test.each(broken)('a store that %s is found out', async (_, change, name) => {
  const create = (): CacheStore => {
    const store = textStore()
    return { ...store, ...change(store) }
  }
  const failed = await failing((runner) => cacheStoreContract(runner, { name: 'broken', blocking: true, create }))
  expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(name)]))
})

test('a store that forgets, or does not close twice, is found out', async () => {
  let closed = 0
  const create = (): CacheStore => ({
    ...textStore(),
    close() {
      if (++closed % 2 === 0) throw new Error('closed')
    },
  })
  const failed = await failing((runner) =>
    cacheStoreContract(runner, { name: 'broken', create, reopen: () => textStore() }),
  )
  expect(failed).toEqual(expect.arrayContaining(['may be closed twice', expect.stringContaining('opened again')]))
})

function live(): Partial<CacheStore> {
  const held = new Map<string, StoredAnswer>()
  return { get: (key) => held.get(key), set: (key, value) => void held.set(key, value) }
}

function oneAtATime(store: CacheStore): Partial<CacheStore> {
  let busy = false
  return {
    async set(key, value) {
      if (busy) return
      busy = true
      await Promise.resolve()
      await store.set(key, value)
      busy = false
    },
  }
}
