import { expect, it } from 'vitest'
import { plainText } from './plain-text.ts'

it.each([
  ['a\u001B[2Jb\u0007\u009B31mc', 'abc'],
  ['\u001B]8;;https://a.invalid\u0007link\u001B]8;;\u001B\\', 'link'],
  ['\u001B]0;title\u009Ca\u001B(Bb\u001B7c\u009B1;2Hd\u001B]x', 'abcdx'],
  ['50 %\r100 %\r\n', '50 %\n100 %\r\n'],
  ['abc\u202Edcba', String.raw`abc\u202edcba`],
  ['a\u061C\u200E\u200Fb', String.raw`a\u061c\u200e\u200fb`],
  ['rm\u200B\uFEFF\u00AD', String.raw`rm\u200b\ufeff\u00ad`],
  ['say\u{E0068}\u{E0069}', String.raw`say\u{e0068}\u{e0069}`],
  ['a\u200Db', String.raw`a\u200db`],
  ['❤\uFE0F\u200D🔥 猫\u{E0101} می\u200Cروم', '❤\uFE0F\u200D🔥 猫\u{E0101} می\u200Cروم'],
])('shows %j as %j', (text, shown) => {
  expect(plainText(text)).toBe(shown)
})
