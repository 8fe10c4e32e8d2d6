import fc from 'fast-check'
import { expect, it } from 'vitest'
import { diffLines } from './line-diff.ts'

const shown = (before: string, after: string): string =>
  diffLines(before.split(''), after.split(''))
    .map(({ sign, text }) => sign + text)
    .join('')

it.each([
  ['', '', ''],
  ['', 'ab', '+a+b'],
  ['ab', '', '-a-b'],
  ['abc', 'abc', ' a b c'],
  ['abc', 'axc', ' a-b+x c'],
  ['abcd', 'acd', ' a-b c d'],
  ['aaa', 'aaaa', ' a a a+a'],
])('compares %s with %s', (before, after, lines) => {
  expect(shown(before, after)).toBe(lines)
})

it('leads from any text to any other', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after)
      const side = (sign: string): string[] => diff.filter((line) => line.sign !== sign).map(({ text }) => text)
      expect([side('+'), side('-')]).toEqual([before, after])
    }),
  )
})

it('finds few changes far apart, and gives up on texts that differ in most lines', () => {
  const before = Array.from({ length: 5_000 }, (_, index) => `line ${index}`)
  const after = before.with(10, 'x').with(4_900, 'y')
  expect(diffLines(before, after).filter(({ sign }) => sign !== ' ')).toHaveLength(4)
  const other = before.map((line) => `${line}!`)
  expect(diffLines(before, other).filter(({ sign }) => sign !== ' ')).toHaveLength(10_000)
})
