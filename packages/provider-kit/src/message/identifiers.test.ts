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

test.each([
  ['small letters and digits', 12, /[^a-z0-9]/gu, /^[a-z0-9]{1,12}$/u],
  ['letters alone', 20, /[^A-Za-z]/gu, /^[A-Za-z]{1,20}$/u],
  ['capital letters and `_`', 24, /[^A-Z_]/gu, /^[A-Z_]{1,24}$/u],
  ['digits', 16, /\D/gu, /^\d{1,16}$/u],
  ['a letter first', 30, /[^\w]|^[^A-Za-z]/gu, /^[A-Za-z]\w{0,29}$/u],
  ['few characters', 8, /[^\w]/gu, /^\w{1,8}$/u],
])('rules of any kind hold for what is made: %s', (_, maxLength, forbidden, legal) => {
  fc.assert(
    fc.property(texts, (list) => {
      const ids = ['call_1', 'call_2', '1abc', 'a__b', ...list]
      const map = createIdMap({ maxLength, forbidden }, ids)
      const made = ids.map(map)
      for (const id of made) expect(id).toMatch(legal)
      expect(new Set(made).size).toBe(new Set(ids).size)
      const names = createNameMap(ids, { maxLength, forbidden })
      for (const name of ids) expect(names.to(name)).toMatch(legal)
    }),
    { numRuns: 30 },
  )
  const exact = createIdMap({ minLength: maxLength, maxLength, forbidden })
  expect(exact('call_1')).toMatch(legal)
  expect(exact('call_1')).not.toBe(exact('call_2'))
})

test('a rule that leaves no identifier is named, in place of a search without an end', () => {
  const impossible = createIdMap({ maxLength: 8, forbidden: /[\s\S]/gu })
  expect(() => impossible('call_1')).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  const few = createIdMap({ maxLength: 1, forbidden: /[^ab]/gu })
  const [first, second] = [few('call_1'), few('call_2')]
  expect([first, second].toSorted()).toEqual(['a', 'b'])
  expect(() => few('call_3')).toThrow('widen the rule')
})
