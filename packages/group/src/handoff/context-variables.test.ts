import { expect, test } from 'vitest'
import { fillVariables } from './context-variables.ts'

test.each([
  ['variables, and leaves names without one', '{who} asks {what}', 'Ann asks {what}', ['what']],
  ['a name between two braces as the placeholder itself', 'Write {{who}} for {who}.', 'Write {who} for Ann.', []],
  ['no other braces', '{"a":{"b":{}}} of {who}', '{"a":{"b":{}}} of Ann', []],
])('a template fills %s', (_, template, text, missing) => {
  const found: string[] = []
  expect(fillVariables(template, { who: 'Ann' }, (name) => found.push(name))).toBe(text)
  expect(found).toEqual(missing)
})
