import { expect, it } from 'vitest'
import { storedMessage, textOfResult } from '../data/message.ts'

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

it.each([
  ['a text', 'as it is', 'as it is'],
  ['nothing', undefined, ''],
  ['null', null, ''],
  ['an object', { a: [1] }, '{"a":[1]}'],
  ['a number without JSON', 12n, '12'],
  ['a cycle', cycle, '[object Object]'],
])('%s', (_, result, text) => {
  expect(textOfResult(result)).toBe(text)
})

it('a stored message is a frozen copy, whatever its keys are named', () => {
  const given = JSON.parse('{"a":{"__proto__":{"b":[{"c":1}]},"d":"e"}}') as Record<string, Record<string, unknown>>
  const { provider_metadata: kept } = storedMessage({ content: 'x', provider_metadata: given }, 'user', 'me')
  expect(JSON.stringify(kept)).toBe(JSON.stringify(given))
  const inner = kept!['a'] as Record<string, unknown>
  expect(Object.getPrototypeOf(inner)).toBe(Object.prototype)
  const [item] = (Object.values(inner)[0] as { b: object[] }).b
  expect([inner, item, kept].every((each) => Object.isFrozen(each))).toBe(true)
  expect(Object.isFrozen(given['a'])).toBe(false)
})

it('a stored message has no empty list of calls', () => {
  const stored = storedMessage({ content: 'Hi', tool_calls: [] }, 'assistant', 'me')
  expect(stored).toEqual({ content: 'Hi', role: 'assistant', name: 'me' })
  const empty = storedMessage({ content: null, tool_calls: [] }, 'assistant', 'me')
  expect(empty).toEqual({ content: '', role: 'assistant', name: 'me' })
  expect(storedMessage(empty, 'assistant', 'me')).toEqual(empty)
})

it.each([
  [5, '5'],
  [false, 'false'],
  [{ x: 1 }, '{"x":1}'],
])('a content that is no text, as %j, is kept as its text, which a model can read', (content, text) => {
  const stored = storedMessage({ content: content as never }, 'assistant', 'me')
  expect(stored).toEqual({ content: text, role: 'assistant', name: 'me' })
})
