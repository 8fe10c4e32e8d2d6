import { expect, it } from 'vitest'
import { textOfResult } from '../data/message.ts'

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
