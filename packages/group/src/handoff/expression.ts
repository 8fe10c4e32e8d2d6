import { XError } from '@x/kernel'

/** Evaluates a part of an expression with context variables. */
type Evaluate = (context: Readonly<Record<string, unknown>>) => unknown

/**
 * Makes a test from a text such as `${level} > 3 and not ${vip}`. The text is parsed once; values of variables are never
 * parsed as part of it. The syntax has `not`, `and`, `or` (also `!`, ` & `, ` | `), comparisons and chains of them,
 * numbers, quoted texts, `True`, `False`, `None`, `len(${name})` and parentheses. A missing variable is `None`. Anything
 * else is refused with `invalid-argument`.
 */
export function expression(text: string): (context: Readonly<object>) => unknown {
  const evaluate = new Parser(text, tokenize(text)).parse()
  return (context) => {
    const value = evaluate(context as Readonly<Record<string, unknown>>)
    return typeof value === 'object' && value !== null ? isTruthy(value) : value
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

  parse(): Evaluate {
    const value = this.#or()
    if (this.#at < this.#tokens.length) throw this.#unexpected()
    return value
  }

  #or(): Evaluate {
    return this.#chain('or', () => this.#and())
  }

  #and(): Evaluate {
    return this.#chain('and', () => this.#not())
  }

  /** Parses operands joined by `and` or `or`; the value is that of the deciding operand. */
  #chain(word: 'and' | 'or', operand: () => Evaluate): Evaluate {
    const operands = [operand()]
    while (this.#take(word)) operands.push(operand())
    const [first] = operands
    if (operands.length === 1) return first!
    const stopsAt = word === 'or'
    return (context) => {
      let value: unknown
      for (const each of operands) {
        value = each(context)
        if (isTruthy(value) === stopsAt) return value
      }
      return value
    }
  }

  #not(): Evaluate {
    if (!this.#take('not')) return this.#comparison()
    const value = this.#not()
    return (context) => !isTruthy(value(context))
  }

  #comparison(): Evaluate {
    const first = this.#operand()
    const rest: { readonly by: Comparison; readonly value: Evaluate }[] = []
    for (let next = this.#tokens[this.#at]; next?.kind === 'comparison'; next = this.#tokens[this.#at]) {
      this.#at++
      rest.push({ by: next.text as Comparison, value: this.#operand() })
    }
    if (rest.length === 0) return first
    // A chain such as `1 < x < 9` holds if each comparison holds.
    return (context) => {
      let left = first(context)
      return rest.every(({ by, value }) => {
        const right = value(context)
        const holds = compare(left, by, right)
        left = right
        return holds
      })
    }
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
    return expressionError(this.#text, token ? `unexpected \`${token.text}\` at ${token.at}` : 'it ends too early')
  }
}

/** A token of an expression, with its position in the text. */
type Token = { readonly at: number; readonly text: string } & (
  | { readonly kind: 'word' | 'comparison' | 'variable' }
  | { readonly kind: 'value'; readonly value: unknown }
)

const TOKEN_PATTERNS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['space', /\s+/uy],
  ['variable', /\$\{([^${}]+)\}/uy],
  ['text', /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/suy],
  ['number', /-?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy],
  ['comparison', /[<>=!]=|[<>]/uy],
  ['not', /!(?=\$\{|\(|\s)/uy],
  ['and', /(?<=\s)&(?=\s)/uy],
  ['or', /(?<=\s)\|(?=\s)/uy],
  ['word', /[a-z_A-Z]\w*|[()]/uy],
]

const CONSTANT_VALUES: Readonly<Record<string, unknown>> = { True: true, False: false, None: null }
const EXPRESSION_WORDS: ReadonlySet<string> = new Set(['not', 'and', 'or', 'len', '(', ')'])

/** Splits an expression into tokens; any other text is refused. */
function tokenize(text: string): Token[] {
  if (typeof text !== 'string') throw expressionError(String(text), 'it is not a text')
  const tokens: Token[] = []
  for (let at = 0; at < text.length;) {
    const [kind, match] = matchTokenAt(text, at)
    const token = kind === 'space' ? null : toToken(text, at, kind, match)
    if (token) tokens.push(token)
    at += match[0].length
  }
  return tokens
}

function matchTokenAt(text: string, at: number): [string, RegExpExecArray] {
  for (const [kind, pattern] of TOKEN_PATTERNS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) return [kind, match]
  }
  throw expressionError(text, `unexpected \`${text[at]!}\` at ${at}`)
}

function toToken(text: string, at: number, kind: string, match: RegExpExecArray): Token {
  const [part, name] = match
  if (kind === 'variable') return { kind, at, text: name!.trim() }
  if (kind === 'comparison') return { kind, at, text: part }
  if (kind === 'not' || kind === 'and' || kind === 'or') return { kind: 'word', at, text: kind }
  if (kind === 'text') return { kind: 'value', at, text: part, value: unquote(part) }
  if (kind === 'number') return { kind: 'value', at, text: part, value: Number(part.replaceAll('_', '')) }
  if (Object.hasOwn(CONSTANT_VALUES, part)) return { kind: 'value', at, text: part, value: CONSTANT_VALUES[part] }
  if (EXPRESSION_WORDS.has(part)) return { kind: 'word', at, text: part }
  throw expressionError(text, `\`${part}\` at ${at} is neither a variable nor a word of expressions`)
}

const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const unquote = (quoted: string): string =>
  quoted.slice(1, -1).replaceAll(/\\(.)/gsu, (_, sign: string) => ESCAPED_CHARACTERS[sign] ?? sign)

/** Makes the error for a text that is not an expression. */
const expressionError = (text: string, problem: string): XError =>
  new XError(
    'invalid-argument',
    `cannot read the expression \`${text}\`: ${problem}; use names as \`\${name}\`, \`not\`, \`and\`, \`or\`, comparisons, numbers, quoted texts, \`True\`, \`False\`, \`None\`, \`len(\${name})\` and parentheses, or give a function`,
    { details: { expression: text } },
  )

/** An operator that compares two values. */
type Comparison = '>' | '<' | '>=' | '<=' | '==' | '!='

/** True if a value counts as true: zero, null, and empty texts, lists and maps do not. */
function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Map || value instanceof Set) return value.size > 0
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}

/** Returns the length of a text, a list or a map; 0 for any other value. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length
  if (Array.isArray(value)) return value.length
  if (value instanceof Map || value instanceof Set) return value.size
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** Compares two values; values of different kinds have no order, so no comparison by order holds for them. */
function compare(one: unknown, by: Comparison, other: unknown): boolean {
  if (by === '==') return isEqual(one, other)
  if (by === '!=') return !isEqual(one, other)
  const [a, b] = [toOrdered(one), toOrdered(other)]
  if (a === null || b === null || typeof a !== typeof b) return false
  if (by === '>') return a > b
  if (by === '<') return a < b
  return by === '>=' ? a >= b : a <= b
}

/** Returns a value with an order, or null; true and false count as 1 and 0. */
function toOrdered(value: unknown): number | string | null {
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
