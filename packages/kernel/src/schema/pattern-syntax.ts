/** A part of a pattern. */
export type PatternNode =
  | { readonly kind: 'read'; readonly reads: (codePoint: number) => boolean }
  | { readonly kind: 'assert'; readonly holds: AssertionCheck }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number }

/** Tells whether an assertion holds at a position, by the text and the positions where lookarounds match. */
type AssertionCheck = (points: readonly number[], at: number, lookarounds: readonly Uint8Array[]) => boolean

/** A lookahead or lookbehind of a pattern. */
export interface Lookaround {
  readonly node: PatternNode
  readonly ahead: boolean
}

/** Most characters of a pattern. */
const MAX_PATTERN_LENGTH = 5000

/** Most groups of a pattern inside each other. */
const MAX_PATTERN_DEPTH = 100

/**
 * Parses a pattern in the syntax of `RegExp` with the flag `u`. Throws an `Error` that says why it cannot be used. Each
 * lookaround comes after those inside it.
 */
export function parsePattern(source: string): { node: PatternNode; lookarounds: readonly Lookaround[] } {
  if (source.length > MAX_PATTERN_LENGTH) throw new Error(`has more than ${MAX_PATTERN_LENGTH} characters`)
  try {
    // The platform knows the syntax best; nothing is matched here.
    void new RegExp(source, 'u')
  } catch {
    throw new Error('is not a regular expression with the flag `u`')
  }
  const parser = new PatternParser(source)
  return { node: parser.choice(0), lookarounds: parser.lookarounds }
}

/** The beginnings of groups, longest first. */
const LOOKAROUNDS = [
  { mark: '(?<=', ahead: false, isNegated: false },
  { mark: '(?<!', ahead: false, isNegated: true },
  { mark: '(?=', ahead: true, isNegated: false },
  { mark: '(?!', ahead: true, isNegated: true },
] as const

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy
const GROUP = /\((?:\?:|\?<[^>]*>)?/uy
const ESCAPE = /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]*\}|.)/iuy
const TRAIL_SURROGATE = /\\u[Dd][C-Fc-f][\dA-Fa-f]{2}/uy
const LEAD_SURROGATE = /^\\u[Dd][89ABab]/u

/** Reads a pattern of valid syntax from left to right. */
class PatternParser {
  readonly lookarounds: Lookaround[] = []
  readonly #source: string
  readonly #characters = new Map<string, (codePoint: number) => boolean>()
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  /** Reads alternatives up to the end of their group. */
  choice(depth: number): PatternNode {
    if (depth > MAX_PATTERN_DEPTH) throw new Error(`has more than ${MAX_PATTERN_DEPTH} groups inside each other`)
    const parts = [this.#sequence(depth)]
    while (this.#takes('|')) parts.push(this.#sequence(depth))
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts }
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      parts.push(this.#quantified(this.#term(depth)))
    }
    return { kind: 'sequence', parts }
  }

  #quantified(part: PatternNode): PatternNode {
    const [quantifier, least, comma, most] = this.#match(QUANTIFIER) ?? []
    if (quantifier === undefined) return part
    const repeat = { kind: 'repeat', part } as const
    if (quantifier.startsWith('*')) return { ...repeat, least: 0, most: Infinity }
    if (quantifier.startsWith('+')) return { ...repeat, least: 1, most: Infinity }
    if (quantifier.startsWith('?')) return { ...repeat, least: 0, most: 1 }
    const bound = Number(least)
    return { ...repeat, least: bound, most: comma === undefined ? bound : most === '' ? Infinity : Number(most) }
  }

  #term(depth: number): PatternNode {
    if (this.#takes('^')) return { kind: 'assert', holds: (_, at) => at === 0 }
    if (this.#takes('$')) return { kind: 'assert', holds: (points, at) => at === points.length }
    if (this.#takes('\\b')) return { kind: 'assert', holds: isWordEdge }
    if (this.#takes('\\B')) return { kind: 'assert', holds: (points, at) => !isWordEdge(points, at) }
    const around = LOOKAROUNDS.find(({ mark }) => this.#takes(mark))
    if (around) return this.#lookaround(around, depth)
    const group = this.#match(GROUP)
    if (group) {
      if (this.#source[this.#at] === '?') throw new Error('has flags inside, as in `(?i:…)`; write both letters')
      const inner = this.choice(depth + 1)
      this.#takes(')')
      return inner
    }
    return { kind: 'read', reads: this.#character() }
  }

  #lookaround({ ahead, isNegated }: (typeof LOOKAROUNDS)[number], depth: number): PatternNode {
    const node = this.choice(depth + 1)
    this.#takes(')')
    const index = this.lookarounds.push({ node, ahead }) - 1
    return { kind: 'assert', holds: (_, at, lookarounds) => (lookarounds[index]![at] === 1) !== isNegated }
  }

  /** Reads a character or a class of characters. */
  #character(): (codePoint: number) => boolean {
    const begin = this.#at
    if (this.#source[begin] === '[') this.#skipClass()
    else if (this.#source[begin] === '\\') this.#skipEscape()
    else this.#at += this.#source.codePointAt(begin)! > 0xffff ? 2 : 1
    const text = this.#source.slice(begin, this.#at)
    let reads = this.#characters.get(text)
    if (!reads) this.#characters.set(text, (reads = characterTest(text)))
    return reads
  }

  #skipClass(): void {
    for (this.#at++; this.#source[this.#at] !== ']'; this.#at++) if (this.#source[this.#at] === '\\') this.#at++
    this.#at++
  }

  #skipEscape(): void {
    const [escape = ''] = this.#match(ESCAPE) ?? []
    if (/^\\[1-9k]/u.test(escape)) {
      throw new Error('has a back-reference, which takes more than linear time; repeat the part, or check it in code')
    }
    if (LEAD_SURROGATE.test(escape)) this.#match(TRAIL_SURROGATE)
  }

  #takes(mark: string): boolean {
    if (!this.#source.startsWith(mark, this.#at)) return false
    this.#at += mark.length
    return true
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const match = expression.exec(this.#source)
    if (match) this.#at = expression.lastIndex
    return match
  }
}

/** Number of the first code points whose results are kept: those of ASCII. */
const KEPT_RESULTS = 128

/** Makes the test of one character from the text of a character or class; the platform decides, on one character. */
function characterTest(text: string): (codePoint: number) => boolean {
  const expression = new RegExp(`^${text}$`, 'u')
  const test = (codePoint: number): boolean => expression.test(String.fromCodePoint(codePoint))
  const kept = new Int8Array(KEPT_RESULTS).fill(-1)
  return (codePoint) => {
    if (codePoint >= KEPT_RESULTS) return test(codePoint)
    if (kept[codePoint] === -1) kept[codePoint] = test(codePoint) ? 1 : 0
    return kept[codePoint] === 1
  }
}

const isWordEdge = (points: readonly number[], at: number): boolean => isWord(points[at - 1]) !== isWord(points[at])

const isWord = (point: number | undefined): boolean =>
  point !== undefined && point < KEPT_RESULTS && /\w/u.test(String.fromCharCode(point))
