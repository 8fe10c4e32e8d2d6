/** Makes texts from those that reached new code: what a reader looks for, put in, repeated, cut and mixed. */

/** Most characters of a text: what grows with length is found by `scripts/growth`. */
const MAX_LENGTH = 2000

/** Most repetitions of a piece, and most changes of one text. */
const MAX_REPEATS = 64
const MAX_CHANGES = 6

/** Texts that break readers of any kind. */
const HOSTILE_TEXTS = [
  '\0',
  '\ud800',
  '\udc00',
  '\u2028',
  '\uFEFF',
  '\u200b',
  '\u001b[2J',
  '\r\n',
  '\n',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '-0',
  '1e999',
  '9007199254740993',
  '-1',
  '"',
  '\\',
  '\\u0000',
  '{"__proto__":{"polluted":1}}',
  '[[[[[[[[',
  '{"a":{"a":{"a":',
  'TERMINATE',
  '𝒳',
  'é',
  'İ',
  'ß',
]

/** Returns a whole number below `limit`, the same ones for the same seed. */
export type Random = (limit: number) => number

/** Makes a generator of the same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let state = (seed + 1) * 0x9e_37_79_b9
  return (limit) => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** Values that stand where a reader of JSON expects others. */
const HOSTILE_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1e300, '', 'a', [], {}, [null], [[]], { type: 'object' }, ' '.repeat(50), '\ud800'],
  ...[
    { length: 1e9 },
    { toString: 1 },
    { constructor: 'a' },
    JSON.parse('{"__proto__":{"a":1}}'),
    'toString',
    '__proto__',
  ],
]

/** Replaces, removes or repeats one value within JSON; undefined for other texts. */
function changeJson(text: string, random: Random): string | undefined {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch {
    return undefined
  }
  const holder: Record<string, unknown> = { root }
  const places: [object: Record<string, unknown>, key: string][] = []
  const collect = (object: Record<string, unknown>): void => {
    for (const [key, value] of Object.entries(object)) {
      places.push([object, key])
      if (typeof value === 'object' && value !== null) collect(value as Record<string, unknown>)
    }
  }
  collect(holder)
  const [object, key] = places[random(places.length)]!
  const [other, otherKey] = places[random(places.length)]!
  const kind = random(4)
  if (kind === 0) Reflect.deleteProperty(object, key)
  else if (kind === 1) object[key] = structuredClone(other[otherKey])
  else object[key] = HOSTILE_VALUES[random(HOSTILE_VALUES.length)]
  const changed = JSON.stringify(holder['root']) ?? 'null'
  return text.startsWith(' ') ? ` ${changed}` : changed
}

/** Makes texts from earlier ones and the words of a reader. */
export class TextMaker {
  readonly #random: Random
  readonly #words: readonly string[]

  constructor(random: Random, marks: readonly string[]) {
    this.#random = random
    this.#words = [...marks, ...HOSTILE_TEXTS]
  }

  /** Makes a text; half of them begin with one that reached new code. */
  make(earlier: readonly string[]): string {
    const random = this.#random
    let text = earlier.length > 0 && random(2) === 0 ? earlier[random(earlier.length)]! : this.#sentence()
    // Changed as a text, JSON is mostly none any more.
    if (random(3) > 0) {
      let changed = changeJson(text, random)
      for (let changes = random(MAX_CHANGES); changes > 0 && changed !== undefined; changes--) {
        text = changed
        changed = changeJson(text, random)
      }
      if (changed !== undefined) return changed.slice(0, MAX_LENGTH)
    }
    for (let changes = random(MAX_CHANGES); changes > 0; changes--) text = this.#change(text, earlier)
    return text.slice(0, MAX_LENGTH)
  }

  #word(): string {
    return this.#words[this.#random(this.#words.length)]!
  }

  /** A row of words, as the reader's grammar might have them. */
  #sentence(): string {
    return Array.from({ length: this.#random(12) }, () => this.#word()).join('')
  }

  #change(text: string, earlier: readonly string[]): string {
    const random = this.#random
    const at = random(text.length + 1)
    const end = Math.min(text.length, at + random(20))
    const [before, piece, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)]
    switch (random(7)) {
      case 0:
        return before + this.#word() + piece + after
      case 1:
        return before + after
      case 2:
        return before + (piece || this.#word()).repeat(random(MAX_REPEATS)) + after
      case 3:
        return before + String.fromCharCode(random(random(4) === 0 ? 0x1_00_00 : 128)) + after
      case 4:
        return before
      case 5:
        return before + this.#word() + after
      default: {
        const other = earlier.length > 0 ? earlier[random(earlier.length)]! : this.#sentence()
        return before + other.slice(random(other.length + 1))
      }
    }
  }
}
