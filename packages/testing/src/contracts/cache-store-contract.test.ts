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
  [
    'cuts keys',
    (store) => ({
      get: (key) => store.get(key.slice(0, 255)),
      set: (key, value) => store.set(key.slice(0, 255), value),
    }),
    /keys apart/u,
  ],
  [
    'trims keys',
    (store) => ({ get: (key) => store.get(key.trim()), set: (key, value) => store.set(key.trim(), value) }),
    /keys apart/u,
  ],
  [
    'takes a cost of 0 for none',
    (store) => ({ set: (key, { answer, cost }) => store.set(key, { answer, cost: cost || null }) }),
    /cost of nothing/u,
  ],
  [
    'rounds the cost',
    (store) => ({
      set: (key, { answer, cost }) => store.set(key, { answer, cost: cost && Math.round(cost * 1e9) / 1e9 }),
    }),
    /all its digits/u,
  ],
  [
    'keeps the columns that it has',
    (store) => ({
      set: (key, { answer: { id, model, created, choices, usage }, cost }) =>
        store.set(key, { answer: { id, model, created, choices, ...(usage && { usage }) }, cost }),
    }),
    /every part/u,
  ],
  ['takes seconds for milliseconds', () => ({ claim: claimOf((lease) => lease) }), /in seconds/u],
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
  const failed = await failing((runner) =>
    cacheStoreContract(runner, { name: 'broken', blocking: true, claims: 'claim' in create(), create }),
  )
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

/** Makes the claims of one process, whose leases last so many milliseconds. */
function claimOf(msOf: (lease: number) => number): NonNullable<CacheStore['claim']> {
  const ends = new Map<string, number>()
  return (key, lease) => {
    if ((ends.get(key) ?? 0) > performance.now()) return null
    ends.set(key, performance.now() + msOf(lease))
    return { renew: () => true, release: () => void ends.delete(key) }
  }
}

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
