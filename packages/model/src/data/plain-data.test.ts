import type { StoredAnswer } from '@x/interfaces'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyAnswer } from './plain-data.ts'

test('a copy of an answer is equal to it and shares no object with it, whatever the answer holds', () => {
  const any = fc.oneof(fc.jsonValue(), fc.constant(undefined))
  const part = (keys: readonly string[]) => fc.dictionary(fc.constantFrom(...keys, 'other'), any)
  const choice = fc.record({ index: fc.nat(), message: fc.oneof(part(['role', 'content']), any), more: any })
  const choices = fc.oneof(fc.array(fc.oneof(choice, any)), any)
  const answer = fc.record({ id: any, choices, usage: fc.oneof(part(['prompt_tokens']), any), raw: any })
  fc.assert(
    fc.property(fc.record({ answer: fc.oneof(answer, any), cost: any }), (stored) => {
      const given = stored as unknown as StoredAnswer
      const copy = copyAnswer(given)
      expect(copy).toEqual(given)
      expect([...objectsIn(copy)].filter((each) => objectsIn(given).has(each))).toEqual([])
    }),
  )
})

function objectsIn(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null) return found
  found.add(value)
  for (const each of Object.values(value)) objectsIn(each, found)
  return found
}
