import { XError } from '@x/kernel'

/** Looks values up in context variables. */
type Evaluate = (context: Readonly<Record<string, unknown>>) => unknown

/**
 * Makes a test of a text such as `${level} > 3 and not ${vip}`. It is parsed once; names are looked up, and values are
 * never read as part of the expression. There are `not`, `and`, `or` (also `!`, ` & `, ` | `), comparisons and chains of
 * them, numbers, quoted texts, `True`, `False`, `None`, `len(${name})` and parentheses. A variable that is missing is
 * `None`. Anything else is refused with `invalid-argument`.
 */
export function expression(text: string): (context: Readonly<object>) => unknown {
  const parser = new Parser(text, tokensOf(text))
  const evaluate = parser.whole()
  return (context) => {
    const value = evaluate(context as Readonly<Record<string, unknown>>)
    return typeof value === 'object' && value !== null ? holds(value) : value
  }
}

class Parser {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text
    this.#tokens = tokens
  }

  whole(): Evaluate {
    const value = this.#or()
    if (this.#at < this.#tokens.length) throw this.#unexpected()
    return value
  }

  #or(): Evaluate {
    return this.#joined('or', () => this.#and())
  }

  #and(): Evaluate {
    return this.#joined('and', () => this.#not())
  }

  /** Operands joined by `and` or `or`: the value is that of the operand that decides. */
  #joined(word: 'and' | 'or', operand: () => Evaluate): Evaluate {
    const operands = [operand()]
    while (this.#take(word)) operands.push(operand())
    const [first] = operands
    if (operands.length === 1) return first!
    const stopsAt = word === 'or'
    return (context) => {
      let value: unknown
      for (const each of operands) {
        value = each(context)
        if (holds(value) === stopsAt) return value
      }
      return value
    }
  }

  #not(): Evaluate {
    if (!this.#take('not')) return this.#comparison()
    const value = this.#not()
    return (context) => !holds(value(context))
  }

  #comparison(): Evaluate {
    const first = this.#operand()
    const rest: { readonly by: Comparison; readonly value: Evaluate }[] = []
    for (let next = this.#tokens[this.#at]; next?.kind === 'comparison'; next = this.#tokens[this.#at]) {
      this.#at++
      rest.push({ by: next.text as Comparison, value: this.#operand() })
    }
    if (rest.length === 0) return first
    return (context) =>
      allHold(
        first(context),
        rest.map(({ by, value }) => ({ by, value: value(context) })),
        compare,
      )
  }

  #operand(): Evaluate {
    const token = this.#tokens[this.#at]
    if (this.#take('(')) {
      const value = this.#or()
      if (!this.#take(')')) throw this.#unexpected()
      return value
    }
    if (token?.kind === 'word' && token.text === 'len') return this.#length()
    if (token?.kind === 'variable') {
      this.#at++
      const name = token.text
      return (context) => (Object.hasOwn(context, name) ? context[name] : null)
    }
    if (token?.kind !== 'value') throw this.#unexpected()
    this.#at++
    return () => token.value
  }

  #length(): Evaluate {
    this.#at++
    if (!this.#take('(')) throw this.#unexpected()
    const value = this.#operand()
    if (!this.#take(')')) throw this.#unexpected()
    return (context) => lengthOf(value(context))
  }

  #take(text: string): boolean {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word' || token.text !== text) return false
    this.#at++
    return true
  }

  #unexpected(): XError {
    const token = this.#tokens[this.#at]
    return refusedExpression(this.#text, token ? `\`${token.text}\` cannot stand at ${token.at}` : 'it ends too early')
  }
}

/** A part of an expression. */
export type Token = { readonly at: number; readonly text: string } & (
  | { readonly kind: 'word' | 'comparison' | 'variable' }
  | { readonly kind: 'value'; readonly value: unknown }
)

const PARTS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['space', /\s+/uy],
  ['variable', /\$\{([^${}]+)\}/uy],
  ['text', /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/suy],
  ['number', /-?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/uy],
  ['comparison', /[<>=!]=|[<>]/uy],
  ['not', /!(?=\$\{|\(|\s)/uy],
  ['and', /(?<=\s)&(?=\s)/uy],
  ['or', /(?<=\s)\|(?=\s)/uy],
  ['word', /[a-z_A-Z]\w*|[()]/uy],
]

const CONSTANTS: Readonly<Record<string, unknown>> = { True: true, False: false, None: null }
const WORDS: ReadonlySet<string> = new Set(['not', 'and', 'or', 'len', '(', ')'])

/** Cuts an expression into its parts; what belongs to none is refused. */
export function tokensOf(text: string): Token[] {
  if (typeof text !== 'string') throw refusedExpression(String(text), 'it is not a text')
  const tokens: Token[] = []
  for (let at = 0; at < text.length;) {
    const [kind, match] = partAt(text, at)
    const token = kind === 'space' ? null : tokenOf(text, at, kind, match)
    if (token) tokens.push(token)
    at += match[0].length
  }
  return tokens
}

function partAt(text: string, at: number): [string, RegExpExecArray] {
  for (const [kind, pattern] of PARTS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) return [kind, match]
  }
  throw refusedExpression(text, `\`${text[at]!}\` cannot stand at ${at}`)
}

function tokenOf(text: string, at: number, kind: string, match: RegExpExecArray): Token {
  const [found, name] = match
  if (kind === 'variable') return { kind, at, text: name!.trim() }
  if (kind === 'comparison') return { kind, at, text: found }
  if (kind === 'not' || kind === 'and' || kind === 'or') return { kind: 'word', at, text: kind }
  if (kind === 'text') return { kind: 'value', at, text: found, value: unquoted(found) }
  if (kind === 'number') return { kind: 'value', at, text: found, value: Number(found.replaceAll('_', '')) }
  if (Object.hasOwn(CONSTANTS, found)) return { kind: 'value', at, text: found, value: CONSTANTS[found] }
  if (WORDS.has(found)) return { kind: 'word', at, text: found }
  throw refusedExpression(text, `\`${found}\` at ${at} is neither a variable nor a word of expressions`)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const unquoted = (quoted: string): string =>
  quoted.slice(1, -1).replaceAll(/\\(.)/gsu, (_, sign: string) => ESCAPES[sign] ?? sign)

/** The error for a text that is not an expression. */
export const refusedExpression = (text: string, problem: string): XError =>
  new XError(
    'invalid-argument',
    `cannot read the expression \`${text}\`: ${problem}; use names as \`\${name}\`, \`not\`, \`and\`, \`or\`, comparisons, numbers, quoted texts, \`True\`, \`False\`, \`None\`, \`len(\${name})\` and parentheses, or give a function`,
    { details: { expression: text } },
  )

/** The comparison of two values. */
export type Comparison = '>' | '<' | '>=' | '<=' | '==' | '!='

/** The truth of a value: nothing, zero, and what is empty do not hold. */
export function holds(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Map || value instanceof Set) return value.size > 0
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}

/** The length of a text, a list or a map; 0 for what has none. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length
  if (Array.isArray(value)) return value.length
  if (value instanceof Map || value instanceof Set) return value.size
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** Compares two values; those of different kinds have no order, and no comparison by order holds for them. */
export function compare(one: unknown, by: Comparison, other: unknown): boolean {
  if (by === '==') return isEqual(one, other)
  if (by === '!=') return !isEqual(one, other)
  const [a, b] = [ordered(one), ordered(other)]
  if (a === null || b === null || typeof a !== typeof b) return false
  if (by === '>') return a > b
  if (by === '<') return a < b
  return by === '>=' ? a >= b : a <= b
}

/** Whether a chain of comparisons holds, as in `1 < x < 9`. */
export function allHold(
  first: unknown,
  rest: readonly { readonly by: Comparison; readonly value: unknown }[],
  holdsFor: typeof compare,
): boolean {
  let left = first
  for (const { by, value } of rest) {
    if (!holdsFor(left, by, value)) return false
    left = value
  }
  return true
}

/** A value that has an order; truth counts as 1 and 0. */
function ordered(value: unknown): number | string | null {
  if (typeof value === 'number' || typeof value === 'string') return value
  return typeof value === 'boolean' ? Number(value) : null
}

function isEqual(one: unknown, other: unknown): boolean {
  const [a, b] = [typeof one === 'boolean' ? Number(one) : one, typeof other === 'boolean' ? Number(other) : other]
  if (a === b || ((a ?? null) === null && (b ?? null) === null)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every(
    (key) =>
      Object.hasOwn(a, key) &&
      Object.hasOwn(b, key) &&
      isEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  )
}
