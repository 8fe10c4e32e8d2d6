import { OPERATIONS, rational, show, type Rational } from './rational.ts'

/** The expression of an answer: what stands after its last `Answer:`, up to an equals sign. */
export const expressionOf = (answer: string): string =>
  /^[^=\n]*/
    .exec(
      answer
        .split(/answer\s*:/i)
        .at(-1)!
        .trim(),
    )![0]
    .trim()

/** Whether an answer is an expression that uses each of the numbers once and equals 24; it knows no solution. */
export function checkAnswer(answer: string, numbers: readonly number[]): boolean {
  const expression = expressionOf(answer)
  const used = (expression.match(/\d+/g) ?? []).map(Number).toSorted((a, b) => a - b)
  if (used.join(' ') !== numbers.toSorted((a, b) => a - b).join(' ')) return false
  const value = evaluate(expression)
  return value !== null && show(value) === '24'
}

/** The exact value of an expression of whole numbers, the four operations and brackets; null for anything else. */
export function evaluate(expression: string): Rational | null {
  const tokens = expression.match(/\d+|[-+*/()]|\S/g) ?? []
  let at = 0
  const sum = (): Rational | null => chain(product, ['+', '-'])
  const product = (): Rational | null => chain(factor, ['*', '/'])
  const chain = (part: () => Rational | null, signs: readonly string[]): Rational | null => {
    let value = part()
    while (value && signs.includes(tokens[at] ?? '')) {
      const sign = tokens[at++]!
      const other = part()
      value = other && OPERATIONS[sign]!(value, other)
    }
    return value
  }
  const factor = (): Rational | null => {
    const token = tokens[at++]
    if (token === '-') {
      const value = factor()
      return value && rational(-value[0], value[1])
    }
    if (token !== '(') return token && /^\d+$/.test(token) ? rational(Number(token)) : null
    const value = sum()
    return tokens[at++] === ')' ? value : null
  }
  const value = sum()
  return at === tokens.length ? value : null
}
