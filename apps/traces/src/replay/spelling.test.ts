import { expect, test } from 'vitest'
import { camelCase, snakeCase } from './spelling.ts'
import { fill, spacedJson } from './template.ts'

test.each([
  ['max_turns', 'maxTurns'],
  ['generate_oai_reply', 'generateOaiReply'],
  ['finished_chat_indexes_to_exclude_from_carryover', 'finishedChatIndexesToExcludeFromCarryover'],
  ['name', 'name'],
])('%s is our %s, and back', (theirs, ours) => {
  expect(camelCase(theirs)).toBe(ours)
  expect(snakeCase(ours)).toBe(theirs)
})

test('an attribute that is private there has no underscore here', () => {
  expect(camelCase('_human_input')).toBe('humanInput')
})

test('texts are filled; what is no text is spelled as recorded JSON', () => {
  expect(fill('{a} and {b}', { a: 'x', b: { k: [1, null], l: 'y' } })).toBe('x and {"k": [1, null], "l": "y"}')
  expect(() => fill('{a}', {})).toThrow('no such value')
  expect(spacedJson([])).toBe('[]')
})
