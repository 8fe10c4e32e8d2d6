import { describe, expect, test } from 'vitest'
import { parseJson } from './wire-values.ts'

describe('JSON of a provider', () => {
  test('cannot reach a prototype', () => {
    const parsed = parseJson('{"a": {"__proto__": {"evil": 1}, "constructor": {"prototype": {"evil": 1}}, "b": 2}}')
    expect(parsed).toEqual({ a: { b: 2 } })
    expect(Object.assign({}, (parsed as { a: object }).a)).not.toHaveProperty('evil')
  })

  test('is undefined for text that is not JSON', () => expect(parseJson('{"half')).toBeUndefined())
})
