import { expect, test } from 'vitest'
import { applied, mutantsOf, OPERATORS } from './operators.ts'

/** A source for which every operator has something to change. */
const SOURCE = `import { other } from './other.ts'
type Word = 'kept'
const one = { a: 1, b: other(1, 2), 'c-d': true }
const two = [1, 2].map((each) => each + 1).filter((each) => !one.c || each > 1)
const words = (given: string[]): string[] => given
async function run(first, second) {
  if (first) await other(first, second)
  for (const each of two) other?.(\`\${each} of two\`)
  switch (first) {
    case 'text':
      return /\\W/u
  }
}
`

test('each operator finds what it changes', () => {
  const used = new Set(mutantsOf(SOURCE).map(({ operator }) => operator))
  expect(Object.keys(OPERATORS).filter((operator) => !used.has(operator))).toEqual([])
})

test('each mutant is another text, and the same source always gives the same mutants', () => {
  const texts = mutantsOf(SOURCE).map((mutant) => applied(SOURCE, mutant))
  expect(new Set([SOURCE, ...texts]).size).toBe(texts.length + 1)
  expect(mutantsOf(SOURCE).map((mutant) => applied(SOURCE, mutant))).toEqual(texts)
})

test('types and imports stay', () => {
  for (const mutant of mutantsOf(SOURCE)) {
    expect(applied(SOURCE, mutant).startsWith("import { other } from './other.ts'\ntype Word = 'kept'\n")).toBe(true)
  }
})
