import { describe, expect, it } from 'vitest'
import { codeReader } from './code-reader.ts'
import { MAX_INFERRED_CHARACTERS } from './infer-lang.ts'

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
    ['floats that end with their point', 'import numpy as np\nx = np.array([1., 2.]) * 3.\ny = 1_0.'],
    ['a yield of nothing', '@contextmanager\ndef f():\n    x = yield\n    yield # nothing\n    return [(yield)]'],
    ['several targets', 'a = b.c, (d, [e]) = *f, g[0] = h'],
    ['a type beside the target', 'x: int = 3'],
    ['a starred statement', '*a, b'],
  ])('is Python with %s', (_, code) => expect(inferLang(code)).toBe('python'))

  it.each([
    ['a numbered list', '1. Setup\n2. Build\n3. Test'],
    ['a list with stars', '* Apples\n* Pears'],
    ['a sum and its result', '3 + 4 = 7'],
    ['an equation', '2 * x = y'],
    ['a number as a target', 'x = 5 = y'],
    ['a call among targets', 'a, f() = b'],
    ['a call that is counted up', 'f() += 1'],
  ])('is no Python with %s', (_, code) => expect(inferLang(code)).toBe('unknown'))

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
