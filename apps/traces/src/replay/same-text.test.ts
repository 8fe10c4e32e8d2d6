import { expect, test } from 'vitest'
import { sameText } from './same-text.ts'

const JSON_ERROR = 'Error: Expecting value: line 1 column 1 (char 0)\n The argument must be in JSON format.'
const MISSING = "Error: greet() missing 1 required positional argument: 'who'"

test.each<[recorded: string, seen: string, same: boolean]>([
  ['hello', 'hello', true],
  ['hello', 'hello!', false],
  [JSON_ERROR, 'Error: Unexpected end of JSON input\n The argument must be in JSON format.', true],
  [JSON_ERROR, 'Error: Unexpected end of JSON input', false],
  [JSON_ERROR, 'Error: \n The argument must be in JSON format.', false],
  [JSON_ERROR, 'Unexpected end of JSON input\n The argument must be in JSON format.', false],
  [MISSING, 'Error: `who` is missing', true],
  [MISSING, 'Error: ', false],
  [`3\n\n${MISSING}\n\nHello`, '3\n\nError: `who` is missing\n\nHello', true],
  [`3\n\n${MISSING}\n\nHello`, '3\n\nError: `who` is missing\n\nHi', false],
  [`${MISSING}\n\n${JSON_ERROR}`, 'Error: no `who`\n\nError: no JSON\n The argument must be in JSON format.', true],
  [`${MISSING}\n\n${JSON_ERROR}`, 'Error: no `who`\n The argument must be in JSON format.', false],
  ['Error: kaboom', 'Error: bang', false],
  ['Error: Function missing not found.', 'Error: no such function', false],
])('%j and %j: %s', (recorded, seen, same) => {
  expect(sameText(recorded, seen)).toBe(same)
})
