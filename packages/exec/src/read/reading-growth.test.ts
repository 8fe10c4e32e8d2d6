import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../run/plain-text.ts'
import { codeReader, contentText } from './code-reader.ts'
import { commandWarning } from './command-warning.ts'
import { nameFault, requestedName } from './file-name.ts'
import { MAX_INFERRED_CHARACTERS } from './infer-lang.ts'
import { quietPip } from '../run/plan.ts'
import { extractCode, markdownCode } from './reference-reading.ts'

/** Everything that reads what a model or its code wrote, on the thread of the program. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  fenced: (text) => codeReader({ inferLang: () => '' }).extractCode(text),
  'reference-legacy': (text) => extractCode(text),
  'reference-legacy with ticks': (text) => extractCode(text, { detectSingleLineCode: true }),
  reference: (text) => markdownCode(text, () => ''),
  content: (text) => contentText([{ type: 'text', text }]),
  commandWarning,
  requestedName,
  nameFault,
  quietPip: (text) => quietPip(text, 'sh'),
  plainText,
}

const PIECES = [
  ...[
    '```',
    '`',
    '~~~',
    '~',
    ' ',
    '   ',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\u2028',
    '\u2029',
    '> ',
    '- ',
    '1. ',
    'a',
    'x```\n',
    '9',
  ],
  ...[
    'mv ',
    'rm ',
    '/dev/null',
    '>',
    ':(){ ',
    'pip install ',
    '# ',
    '<!-- ',
    'filename:',
    '.',
    '/',
    '\u001b',
    '\u009b',
    '[',
    ']',
    ';',
    '?',
  ],
  ...['(', ')', '"""', "'", 'if x:\n', 'lambda:', '$?!}])', '\u{1f642}'],
] as const

const SMALL_LENGTH = 8_192
const LENGTH_FACTOR = 8

/** Milliseconds of computing that do not count as growth: compiling, collecting garbage. */
const NOISE_MS = 60

/** Milliseconds of computing, the least of a few attempts; waiting for other programs is not counted. */
function computing(work: () => unknown): number {
  let least = Infinity
  for (let round = 0; round < 3 && (round === 0 || least > NOISE_MS / 4); round++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

const repeated = (start: string, unit: string, end: string, length: number): string =>
  start + unit.repeat(Math.ceil(length / unit.length)) + end

/** Eight times the text may take three times as long as eight times; with the square it would be 64. */
function expectLinear(read: (text: string) => unknown, start: string, unit: string, end: string): void {
  const large = computing(() => read(repeated(start, unit, end, SMALL_LENGTH * LENGTH_FACTOR)))
  if (large <= NOISE_MS) return
  const small = computing(() => read(repeated(start, unit, end, SMALL_LENGTH)))
  expect(
    large,
    `${SMALL_LENGTH} characters took ${small} ms, ${SMALL_LENGTH * LENGTH_FACTOR} took ${large} ms`,
  ).toBeLessThan(3 * LENGTH_FACTOR * Math.max(small, 1))
}

describe('reading grows with its text', () => {
  const known: [what: string, start: string, unit: string, end: string][] = [
    ['blanks after a fence', '```', ' ', ''],
    ['blanks after a fence, and a word', '```', ' ', 'x'],
    ['openers that nothing closes', '', 'x```\n', ''],
    ['ticks, then a line end that is none of markdown', '', '`', '\u2028x'],
    ['tildes, then a lone carriage return', '', '~', '\rx'],
    ['marks of quotes', '', '> ', '```'],
    ['quoted lines', '> ```\n', '> > > > x\n', ''],
    ['moves', '', 'mv ', '/dev/nul'],
    ['a move and blanks', 'mv', ' ', '/dev/nul'],
    ['moves and blanks', '', 'mv   \n', '/dev/nul'],
    ['a comment that never ends', '<!-- filename:', ' -- ', ''],
    ['an escape sequence that never ends', '\u001b', ';?', ''],
  ]
  for (const [name, read] of Object.entries(READERS)) {
    it.each(known)(`${name}: %s`, (_, ...text) => expectLinear(read, ...text))
  }

  it('for repeated random texts', () => {
    const piece = fc.constantFrom(...PIECES)
    const text = (least: number): fc.Arbitrary<string> =>
      fc.array(piece, { minLength: least, maxLength: 4 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text(0), text(1), text(0), fc.constantFrom(...Object.values(READERS)), (start, unit, end, read) =>
        expectLinear(read, start, unit, end),
      ),
      { numRuns: 200 },
    )
  })
})

describe('the language of code without a label', () => {
  const { inferLang, extractCode: read } = codeReader()

  it('is inferred up to a size', () => {
    expect(inferLang('#'.repeat(MAX_INFERRED_CHARACTERS))).toBe('python')
    expect(inferLang('#'.repeat(MAX_INFERRED_CHARACTERS + 1))).toBe('unknown')
    // It shows in the first characters.
    expect(inferLang(`pip install ${'x'.repeat(MAX_INFERRED_CHARACTERS)}`)).toBe('sh')
  })

  it('is inferred up to that size in a message, however many blocks it has', () => {
    const block = `\`\`\`\n${'#'.repeat(MAX_INFERRED_CHARACTERS / 4)}\n\`\`\`\n`
    expect(read(block.repeat(6)).map(({ language }) => language)).toEqual([...Array(4).fill('python'), '', ''])
    expect(codeReader({ reading: 'reference' }).extractCode(block.repeat(5)).at(-1)!.language).toBe('')
    // The next message starts anew; a function of the caller is always asked.
    expect(read(block)[0]!.language).toBe('python')
    expect(
      codeReader({ inferLang: () => 'lua' })
        .extractCode(block.repeat(6))
        .at(-1)!.language,
    ).toBe('lua')
  })

  it.each([
    ['signs that no Python has', '$?!}])'],
    ['brackets', '('],
    ['words', 'a '],
    ['stars', '*'],
    ['calls', 'f('],
  ])('takes a text of %s for no Python without reading all of it', (_, unit) => {
    const text = unit.repeat(MAX_INFERRED_CHARACTERS / unit.length)
    expect(inferLang(text)).toBe('unknown')
    const bad = computing(() => inferLang(text))
    const good = computing(() => inferLang('x = 1\n'.repeat(MAX_INFERRED_CHARACTERS / 6)))
    expect(bad).toBeLessThan(Math.max(good, NOISE_MS) * 2)
  })
})
