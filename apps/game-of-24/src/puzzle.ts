import { OPERATIONS, rational, show, type Rational } from './rational.ts'

/** Returns the question of a puzzle: four numbers, as text or as a list. */
export const questionOf = (puzzle: string | readonly number[]): string =>
  `Use the numbers ${typeof puzzle === 'string' ? puzzle : puzzle.join(' ')} and the operations + - * / to make 24. Use each number exactly once and end with \`Answer: <expression> = 24\`.`

/** Returns the numbers of a puzzle. */
export const numbersOf = (puzzle: string): number[] => puzzle.trim().split(/\s+/).map(Number)

/** Makes a verifier of answers to one puzzle, by arithmetic and without a solution. */
export const verifierOf =
  (puzzle: string): ((answer: string) => boolean) =>
  (answer) =>
    checkAnswer(answer, numbersOf(puzzle))

/** Returns the expression of an answer: the text after the last `Answer:`, up to an equals sign. */
export const expressionOf = (answer: string): string =>
  /^[^=\n]*/
    .exec(
      answer
        .split(/answer\s*:/i)
        .at(-1)!
        .trim(),
    )![0]
    .trim()

/** True if an answer is an expression that uses each number once and equals 24. */
export function checkAnswer(answer: string, numbers: readonly number[]): boolean {
  const expression = expressionOf(answer)
  const used = (expression.match(/\d+/g) ?? []).map(Number).toSorted((a, b) => a - b)
  if (used.join(' ') !== numbers.toSorted((a, b) => a - b).join(' ')) return false
  const value = evaluate(expression)
  return value !== null && show(value) === '24'
}

/** Computes the exact value of an expression of whole numbers, the four operations and brackets; null for any other text. */
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
