import { expect, test } from 'vitest'
import { createIdMap, createNameMap } from './identifiers.ts'
import fc from 'fast-check'

const RULE = { maxLength: 20, forbidden: /[^\w-]/gu }
const texts = fc.uniqueArray(fc.oneof(fc.string({ maxLength: 40 }), fc.stringMatching(/^[\w-]{1,25}$/u)), {
  maxLength: 30,
})

test('makes legal, unique and stable ids, and keeps legal ones', () => {
  fc.assert(
    fc.property(texts, (ids) => {
      const map = createIdMap(RULE, ids)
      const given = ids.map(map)
      for (const id of given) expect(id).toMatch(/^[\w-]{1,20}$/u)
      expect(new Set(given).size).toBe(ids.length)
      expect(ids.map(map)).toEqual(given)
      expect(ids.map(createIdMap(RULE, ids))).toEqual(given)
      for (const id of ids) if (/^[\w-]{1,20}$/u.test(id)) expect(map(id)).toBe(id)
    }),
  )
})

test('makes unique and stable letters and digits for ids of an exact length', () => {
  const exact = { minLength: 9, maxLength: 9, forbidden: /[^A-Za-z0-9]/gu }
  fc.assert(
    fc.property(texts, (ids) => {
      const map = createIdMap(exact, ids)
      const given = ids.map(map)
      for (const id of given) expect(id).toMatch(/^[A-Za-z0-9]{9}$/u)
      expect(new Set(given).size).toBe(ids.length)
      expect(ids.map(createIdMap(exact, ids))).toEqual(given)
    }),
  )
  expect(createIdMap(exact, ['D681PevKs'])('D681PevKs')).toBe('D681PevKs')
})

test('makes legal names and restores them', () => {
  fc.assert(
    fc.property(texts, (names) => {
      const map = createNameMap(names, RULE)
      const given = names.map((name) => map.to(name))
      for (const name of given) expect(name).toMatch(/^[\w-]{1,20}$/u)
      expect(given.map((name) => map.from(name))).toEqual(names)
    }),
  )
  expect(createNameMap([], RULE).from('unknown')).toBe('unknown')
})
