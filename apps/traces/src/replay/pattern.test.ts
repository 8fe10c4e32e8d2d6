import { expect, test } from 'vitest'
import { pattern } from './pattern.ts'

test.each([
  ['bye$', 'say bye', true],
  ['bye$', 'say bye\n', true],
  ['bye$', 'bye then', false],
  ['(?i)BYE', 'say bye', true],
  ['BYE', 'say bye', false],
  ['(?m)^one$', 'zero\none\ntwo', true],
  ['^one$', 'zero\none\ntwo', false],
  ['(?s)a.b', 'a\nb', true],
  [String.raw`\Aone\Z`, 'one', true],
  [String.raw`\Aone\Z`, 'one\n', false],
  [String.raw`costs 5\$`, 'costs 5$ or more', true],
  ['(?P<what>cat)', 'a cat', true],
  ['', '', true],
])('%s in %j: %s', (when, text, found) => {
  expect(pattern(when).test(text)).toBe(found)
})
