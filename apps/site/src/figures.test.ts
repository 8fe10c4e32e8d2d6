import { expect, it } from 'vitest'
import { figuresPage, figuresText } from './figures.ts'

const COMPARISON = `
## Results

| figure | 22 November | 27 November | undici, 27 November |
| --- | --: | --: | --: |
| one call, processor time × | 0.43 | 0.5 | 0.2 |
| tool loop, processor time of a turn × | 0.68 | 0.75 | 0.21 |
| memory hit, µs | 15 | 17 | 1.1 |
`

it('puts the figures of a package on one row, and keeps the others apart', () => {
  const place = { date: '2026-01-31', machine: 'a machine', load: 1 }
  const text = figuresText(
    {
      node: 'v24',
      counts: {
        'files of the import of @x/a': 2,
        'installed @x/a, kB': 10,
        'packed @x/a, kB': 3,
        'requests of a call': 1,
      },
      measured: {
        'import of @x/a': { value: 5, unit: 'ms', ...place },
        'a call': { value: 9, unit: 'µs', 'to openai': 0.5, ...place },
      },
    },
    COMPARISON,
  )
  expect(text).toContain('| `@x/a` | 2 | 10 | 3 | 5 |')
  expect(text).toContain('| requests of a call | 1 |')
  expect(text).toContain('| a call | 9 µs | 0.5 |  | 2026-01-31 | 1 |')
  expect(text.match(/\| .*@x\/a/gu)).toHaveLength(1)
})

it('draws the ratios of processor time, the largest value or 1 over the whole width', () => {
  const text = figuresText({ node: 'v24', counts: {}, measured: {} }, COMPARISON)
  const [drawing = ''] = /<svg.*<\/svg>/u.exec(text) ?? []
  expect([...drawing.matchAll(/<rect [^>]*width="([\d.]+)"/gu)].map(([, width]) => width)).toEqual([
    '150.0',
    '60.0',
    '225.0',
    '63.0',
  ])
  expect(drawing).toContain('tool loop, a turn')
  expect(text).toContain('Measured on 27 November;')
})

it('refuses a comparison without its columns', () => {
  expect(() => figuresText({ node: 'v24', counts: {}, measured: {} }, '## Results\n\n| figure | today |\n')).toThrow(
    'have no columns',
  )
})

it('draws the table of the repository', () => {
  expect(figuresPage().text.match(/<rect /gu)!.length).toBeGreaterThan(20)
})
