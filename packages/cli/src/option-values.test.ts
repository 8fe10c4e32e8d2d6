import { describe, expect, it } from 'vitest'
import { dollarsOf, portOf, secondsOf, shareOf, wholeFrom } from './option-values.ts'

describe('the value of an option', () => {
  it.each([
    ['port', portOf, ['0', '4983', '65535'], ['65536', '-1', '80.5', 'http']],
    ['whole number from 1 on', wholeFrom(1), ['1', '20'], ['0', '-1', '1.5', 'many', '1e20']],
    ['number of seconds', secondsOf, ['1', '0.5'], ['0', '-1', 'soon', 'Infinity']],
    ['amount of dollars', dollarsOf, ['0', '2.50'], ['-1', '$2', 'Infinity']],
    ['share', shareOf, ['0', '0.8', '1'], ['-0.1', '1.1', 'all']],
  ])('is a %s, and nothing else', (_, read, right, wrong) => {
    expect(right.map(read)).toEqual(right.map(Number))
    // A variable of a shell that is not set is an empty text.
    for (const text of [...wrong, '', ' ']) expect(() => read(text)).toThrow(/^Give /u)
  })
})
