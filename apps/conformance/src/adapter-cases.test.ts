import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const at = (file: string): URL => new URL(`../../../${file}`, import.meta.url)
const rows = readFileSync(at('docs/adapter-cases.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, number, , where = ''] = line.split('|').map((cell) => cell.trim())
    return number && /^[XOREAG]\d+$/u.test(number)
      ? [{ number, files: [...where.matchAll(/`([\w/.-]+\.test\.ts)`/gu)].map(([, file]) => file!) }]
      : []
  })

const numbers = Object.entries({ X: 30, O: 30, R: 22, E: 14, A: 41, G: 35 }).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, n) => `${letter}${n + 1}`),
)

test('the table holds every case once', () => {
  expect(rows.map(({ number }) => number)).toEqual(numbers)
})

test.each(rows.filter(({ files }) => files.length > 0))(
  '$number is proven by files that are there',
  ({ number, files }) => {
    expect(files.filter((file) => !existsSync(at(file)))).toEqual([])
    // A case of one wire format has its number in the test that is its own.
    if (/^[REAG]/u.test(number)) {
      const text = files.map((file) => readFileSync(at(file), 'utf8')).join('\n')
      expect(text).toMatch(new RegExp(`\\b${number}\\b`, 'u'))
    }
  },
)
