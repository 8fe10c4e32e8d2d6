import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LinearPattern } from './linear-pattern.ts'

const free = (): void => {}

/** Tells what the pattern and the platform say of a text. The platform looks between the halves of a character too. */
function both(source: string, text: string): [linear: boolean, native: boolean] {
  const native = new RegExp(source, 'uy')
  const starts = Array.from(text).map((_, index, characters) => characters.slice(0, index).join('').length)
  const isFound = [...starts, text.length].some((start) => {
    native.lastIndex = start
    return native.test(text)
  })
  return [new LinearPattern(source).test(text, free), isFound]
}

const CHARACTERS = ['a', 'b', 'é', ' ', '_', '-', '1', '\n', '🙂', '\uD800', '\uDE00', '\u2028', 'A', '.']

/** Patterns of small size with every part of the syntax but back-references. */
const patterns: fc.Arbitrary<string> = fc.letrec<{ all: string; atom: string; sequence: string }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 4 },
    tie('sequence'),
    fc.tuple(tie('sequence'), tie('all')).map(([one, other]) => `${one}|${other}`),
  ),
  sequence: fc
    .array(
      fc.oneof(
        fc
          .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{0,2}', '{1,}', '{0}', '{1,3}?'))
          .map(([atom, quantifier]) => atom + quantifier),
        fc.constantFrom('^', '$', '\\b', '\\B'),
        fc.tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('all')).map(([mark, inner]) => `${mark}${inner})`),
      ),
      { maxLength: 3 },
    )
    .map((parts) => parts.join('')),
  atom: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'a',
      'b',
      '1',
      '.',
      '\\d',
      '\\w',
      '\\W',
      '\\s',
      '[ab]',
      '[^a-c\\]\\n]',
      '🙂',
      '\\u{1F642}',
      '\\-'.slice(1),
    ),
    fc.constantFrom(
      '\\ud83d\\ude42',
      '\\xe9',
      '\\u00e9',
      '\\p{L}',
      '\\P{Lu}',
      '[\\p{L}\\d_-]',
      '\\.',
      '\\n',
      '\\cJ',
      '[^]',
      '[]',
    ),
    fc.tuple(fc.constantFrom('(', '(?:'), tie('all')).map(([mark, inner]) => `${mark}${inner})`),
  ),
})).all

describe('a pattern of a schema', () => {
  it('matches what the platform matches', () => {
    const texts = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 8 }).map((characters) => characters.join(''))
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 1, maxLength: 5 }), (source, each) => {
        for (const text of each) {
          const [linear, native] = both(source, text)
          expect(linear, `/${source}/u on ${JSON.stringify(text)}`).toBe(native)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['^[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+$', ['a.b@c.de', 'a@b', 'a b@c.de']],
    ['^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$', ['Passw0rdX', 'password1', 'Pass w0rdX', 'P1']],
    ['^(?<year>\\d{4})-(?<month>0[1-9]|1[0-2])$', ['2026-11', '2026-13']],
    ['(?<=\\$)\\d+(?:\\.\\d\\d)?', ['costs $12.50', '12.50']],
    ['^[^/]*(?:/[^/]*)*$', ['a/b/c', '']],
    ['', ['', 'x']],
  ])('matches what the platform matches: %s', (source, texts) => {
    for (const text of texts) {
      const [linear, native] = both(source, text)
      expect(linear).toBe(native)
    }
  })

  // The platform may take minutes here: Node 22 does, once it has compiled other patterns.
  it.each([
    [30, true],
    [29, false],
  ])('matches ^(?:a?){30}a{30}$ on %i letters: %j', (length, matches) => {
    expect(new LinearPattern('^(?:a?){30}a{30}$').test('a'.repeat(length), free)).toBe(matches)
  })

  it.each([
    ['^(a)\\1$', /back-reference/u],
    ['(?<x>a)\\k<x>', /back-reference/u],
    ['(', /not a regular expression/u],
    ['a'.repeat(5001), /more than 5000 characters/u],
    ['(?:a{100}){100}', /more than 5000 states/u],
    ['a{99999999999}', /more than 5000 states/u],
    [`${'('.repeat(200)}${')'.repeat(200)}`, /more than 100 groups/u],
  ])('is refused with a reason: %.20s', (source, reason) => {
    expect(() => new LinearPattern(source)).toThrow(reason)
  })

  it.each([
    '^(a+)+$',
    '(a*)*$',
    '^(a|a)*$',
    '^(?=(a+)+$)',
    'a*a*a*a*a*b',
    '(.*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?<=(a+)+)b',
  ])('takes steps in proportion to the text: %s', (source) => {
    const pattern = new LinearPattern(source)
    const stepsFor = (length: number): number => {
      let steps = 0
      pattern.test(`${'a'.repeat(length)}!`, (more) => (steps += more))
      return steps
    }
    expect(stepsFor(20_000)).toBeLessThanOrEqual(2.3 * stepsFor(10_000))
  })
})
