import type { XError } from '@x/kernel'
import { allHold, compare, holds, lengthOf, type Comparison } from './expression-values.ts'
import { refusedExpression, tokensOf, type Token } from './expression-tokens.ts'

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
