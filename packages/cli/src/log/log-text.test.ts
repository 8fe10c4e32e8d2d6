import { expect, it } from 'vitest'
import { costText, durationText, oneLine, tableText } from './log-text.ts'

it.each([
  ['short', 10, 'short'],
  ['  a \n\t b  ', 10, 'a b'],
  ['exactly ten', 11, 'exactly ten'],
  ['one more than ten', 10, 'one more …'],
  // Blanks that are shown as one hide what comes behind them.
  [`a${' '.repeat(100)}b`, 10, 'a …'],
  [`${' '.repeat(100)}a b`, 10, 'a b'],
  [`a b${' '.repeat(100)}`, 10, 'a b'],
  ['12345678😀😀', 10, '12345678…'],
])('%j on a line of %d characters is %j', (text, length, line) => {
  expect(oneLine(text, length)).toBe(line)
})

it.each([
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [59_949, '59.9 s'],
  [59_999, '1 min 0 s'],
  [3_599_900, '1 h 0 min'],
])('%d ms are %j', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

it('puts any number of rows under each other', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [at === 5 ? 'wide' : 'x', 'y'])
  expect(tableText(rows).slice(0, 8)).toBe('x     y\n')
})

it('says of a sum whether all prices are known', () => {
  expect(costText({ cost: 0 })).toBe('$0')
  expect(costText({ cost: 0.5, unpriced: 0 })).toBe('$0.5000')
  expect(costText({ cost: 0.5, unpriced: 2 })).toBe('at least $0.5000')
  expect(costText({ cost: 0, unpriced: 2 })).toBe('price unknown')
  expect(costText({ cost: 1e-9 })).toBe('below $0.000001')
  expect(costText({ cost: 1e-9, unpriced: 2 })).toBe('price unknown')
})
