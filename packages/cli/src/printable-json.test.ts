import { expect, it } from 'vitest'
import { printableJson } from './printable-json.ts'

it('writes a value so that a terminal shows all of it, and a parser reads the same', () => {
  const value = { 'a\u200B': 'x\u001B[2J\u202E\u061C\u{E0041}\u2028', emoji: '❤\uFE0F\u200D🔥', text: 'ab\n' }
  const line = printableJson(value)
  expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
  expect(JSON.parse(line)).toEqual(value)
})
