import { describe, expect, test } from 'vitest'
import { parseJson, wellFormedJson } from './wire-values.ts'

describe('JSON of a provider', () => {
  test('cannot reach a prototype', () => {
    const parsed = parseJson('{"a": {"__proto__": {"evil": 1}, "constructor": {"prototype": {"evil": 1}}, "b": 2}}')
    expect(parsed).toEqual({ a: { b: 2 } })
    expect(Object.assign({}, (parsed as { a: object }).a)).not.toHaveProperty('evil')
  })

  test('is undefined for text that is not JSON', () => expect(parseJson('{"half')).toBeUndefined())
})

test.each([
  ['cut \uD83D', 'cut \uFFFD'],
  ['\uDE00 and \uD83D\uD83D', '\uFFFD and \uFFFD\uFFFD'],
  ['whole 😀, a path C:\\ud83d, \\\uD83D "\u0007"', 'whole 😀, a path C:\\ud83d, \\\uFFFD "\u0007"'],
])('half of a character becomes a sign for an unreadable one: %j', (text, whole) => {
  const json = JSON.stringify({ text })
  expect(wellFormedJson(json)).not.toBe(json)
  expect(JSON.parse(wellFormedJson(json))).toEqual({ text: whole })
})

test('a character that is written as two halves stays', () => {
  const json = String.raw`["\ud83d\ude00", "\uD83D\uDE00"]`
  expect(wellFormedJson(json)).toBe(json)
})
