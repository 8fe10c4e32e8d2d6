/**
 * The one test of growth that every reader of foreign text passes: of a text of double the length, it may make at most 2.3 times
 * the work. Texts are made from the reader's own delimiters, which is how an attacker makes them.
 */

import { parseFile, walk } from '../conventions/source.ts'

/** A reader of texts that models, servers, tools or files write. */
export interface Reader {
  /** Reads a text. What it throws counts as read. */
  readonly read: (text: string) => unknown
  /** The texts that mean something to it: words, brackets, line ends. */
  readonly marks: readonly string[]
  /** Files whose words mean something to it too: their texts, and the words of their regular expressions. */
  readonly sources?: readonly string[]
  /** A text around the hostile part, such as the beginning of a JSON text. */
  readonly around?: readonly [before: string, after: string]
}

/** Most work for double the text. */
const MAX_RATIO = 2.3

/** Characters of the shortest text, and of the longest: with the square, the shorter one of the longest is plenty. */
const SHORT_LENGTH = 2048
const IS_WHOLE = process.env['GROWTH'] === 'whole'
const LONG_LENGTH = IS_WHOLE ? 131_072 : 65_536

/** Most hostile texts for a reader. */
const MAX_SHAPES = IS_WHOLE ? Infinity : 60

/** Times below this are too short to be compared; a text of `LONG_LENGTH` that takes less is read fast enough. */
const LEAST_MS = 20

/** Attempts of which the best counts, and how often a bad result is measured again: other programs use the machine too. */
const ATTEMPTS = 5
const REPEATS = 3

/** Texts of one reader that are told. */
const MAX_FOUND = 3

/** Most pairs of delimiters for a reader. */
const MAX_PAIRS = 40

/** The parts of a hostile text of any length. */
interface Shape {
  readonly what: string
  make(length: number): string
}

const repeated = (unit: string, length: number): string =>
  unit === '' ? '' : unit.repeat(Math.max(1, Math.floor(length / unit.length)))

/** Returns the hostile shapes of texts that delimiters give. */
export function shapesOf(marks: readonly string[]): Shape[] {
  const units = [...new Set([...marks, 'a', ' ', '\n', '9'])]
  const prefixes = marks.flatMap((mark) => [...new Set([mark.slice(0, -1), mark.slice(0, mark.length / 2)])])
  const name = (text: string): string => JSON.stringify(text.length > 30 ? `${text.slice(0, 30)}…` : text)
  const single = [...units, ...prefixes.filter((prefix) => prefix !== '')].flatMap((unit): Shape[] => [
    { what: `${name(unit)} again and again`, make: (length) => repeated(unit, length) },
    { what: `${name(unit)} again and again, then another end`, make: (length) => `x${repeated(unit, length)}\u2028!` },
  ])
  const pairs = units.flatMap((one) =>
    units
      .filter((other) => other !== one)
      .flatMap((other): Shape[] => [
        { what: `${name(one + other)} again and again`, make: (length) => repeated(one + other, length) },
        {
          what: `many ${name(one)}, then many ${name(other)}`,
          make: (length) => repeated(one, length / 2) + repeated(other, length / 2),
        },
        { what: `${name(one)}, then many ${name(other)}`, make: (length) => `${one}${repeated(other, length)}!` },
        { what: `many ${name(one)}, then ${name(other)}`, make: (length) => `${repeated(one, length)}${other}` },
      ]),
  )
  const random = Array.from({ length: 8 }, (_, seed): Shape => {
    const next = generator(seed + 1)
    const unit = Array.from({ length: 12 }, () => units[next() % units.length]!).join('')
    return { what: `the generated text ${name(unit)} again and again`, make: (length) => repeated(unit, length) }
  })
  const mixed: Shape = {
    what: 'a generated text',
    make(length) {
      const next = generator(9)
      let text = ''
      while (text.length < length) text += units[next() % units.length]!
      return text
    },
  }
  return [...single, ...random, mixed, ...chosenFrom(pairs, MAX_PAIRS)]
}

/** Words of a source that are made to texts, and characters of the longest. */
const MAX_SOURCE_WORDS = 40
const MAX_WORD_LENGTH = 24

/** Returns words that a file looks for: its texts, and what stands between the operators of its regular expressions. */
export function wordsOf(file: string): string[] {
  const words = new Set<string>()
  const add = (word: string): void => void (word.length > 1 && word.length <= MAX_WORD_LENGTH && words.add(word))
  const addPattern = (pattern: string): void => {
    for (const word of pattern.replaceAll(/\\[a-zA-Z](?:\{[^}]*\})?/gu, '|').split(/[()[\]{}|?*+.^$\\]/u)) add(word)
  }
  walk(parseFile(file).program, (node) => {
    if (node.type === 'TemplateElement') addPattern(node.value.raw)
    else if (node.type !== 'Literal') return
    else if ('regex' in node) addPattern(node.regex.pattern)
    else if (typeof node.value === 'string') addPattern(node.value)
  })
  return [...words]
}

/** Returns shapes of texts from the words of a reader's sources. */
function sourceShapes(sources: readonly string[]): Shape[] {
  const words = chosenFrom([...new Set(sources.flatMap(wordsOf))], MAX_SOURCE_WORDS)
  return words.flatMap((word): Shape[] => [
    { what: `the word ${JSON.stringify(word)} again and again`, make: (length) => repeated(`${word} `, length) },
    {
      what: `${JSON.stringify(word)}, then many digits and blanks`,
      make: (length) => repeated(`${word}${' 1'.repeat(20)}`, length),
    },
  ])
}

/** Makes a generator of the same numbers in each run. */
function generator(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}

/** Chooses at most so many items, from everywhere in a list. */
function chosenFrom<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items]
  const next = generator(5)
  const chosen = new Set<T>()
  while (chosen.size < most) chosen.add(items[next() % items.length]!)
  return [...chosen]
}

/** Milliseconds of computing that a reader takes. */
async function timeOf(read: Reader['read'], text: string): Promise<number> {
  const before = process.cpuUsage()
  const start = performance.now()
  try {
    await read(text)
  } catch (error) {
    // A text that is refused has been read too; a mistake in a table has read nothing.
    if (error instanceof TypeError || error instanceof ReferenceError) throw error
  }
  const elapsed = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  // A busy machine counts waiting as elapsed time, and collects garbage on other threads.
  return Math.min(elapsed, (user + system) / 1000)
}

async function bestOf(read: Reader['read'], text: string, attempts: number): Promise<number> {
  let best = Infinity
  for (let attempt = 0; attempt < attempts; attempt++) best = Math.min(best, await timeOf(read, text))
  return best
}

/** Returns how many times as long a reader takes for the second text as for the first, by the best of some attempts. */
export async function ratioOf(
  read: Reader['read'],
  [short, long]: readonly [string, string],
  attempts: number,
): Promise<number> {
  const once = await bestOf(read, short, attempts)
  const twice = await bestOf(read, long, attempts)
  // The first time may be that of code which was not compiled yet.
  return twice < LEAST_MS ? 0 : twice / Math.max(once, LEAST_MS / 4)
}

/** A text whose time grows faster than its length. */
export interface Growth {
  readonly what: string
  /** Characters of the shorter text, and milliseconds that it took. */
  readonly length: number
  readonly ms: number
  /** Time for double the text. */
  readonly ratio: number
}

/** Finds the texts that a reader takes too long for, by the shapes that its marks give. */
export async function findGrowth({
  read,
  marks,
  sources = [],
  around: [before, after] = ['', ''],
}: Reader): Promise<Growth[]> {
  const found: Growth[] = []
  for (const { what, make } of chosenFrom([...shapesOf(marks), ...sourceShapes(sources)], MAX_SHAPES)) {
    const text = (length: number): string => before + make(length) + after
    // A slow reader is found out by a short text: with the square, a long one could take minutes.
    let length = SHORT_LENGTH
    let ms = await timeOf(read, text(length))
    while (ms < LEAST_MS && length < LONG_LENGTH) {
      length *= 2
      ms = await timeOf(read, text(length))
    }
    if (ms < LEAST_MS) continue
    let ratio = (await timeOf(read, text(length * 2))) / ms
    for (let repeat = 0; repeat < REPEATS && ratio > MAX_RATIO; repeat++) {
      ratio = await ratioOf(read, [text(length), text(length * 2)], ATTEMPTS)
    }
    if (ratio > MAX_RATIO) found.push({ what, length, ratio, ms })
    if (found.length === MAX_FOUND) break
  }
  return found
}
