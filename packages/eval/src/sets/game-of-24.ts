import { finalAnswer } from '../scorers/exact.ts'
import type { EvalTask, Scorer } from '../task.ts'
import { Dice } from './dice.ts'

/** An exact fraction with a denominator above 0. */
type Fraction = readonly [numerator: number, denominator: number]

const TARGET_NUMBER = 24

/** An answer is four numbers, three signs and brackets: longer ones are not read. */
const MAX_LENGTH = 200

const OPERATIONS: Readonly<Record<string, (one: Fraction, other: Fraction) => Fraction | null>> = {
  '+': ([a, b], [c, d]) => [a * d + c * b, b * d],
  '-': ([a, b], [c, d]) => [a * d - c * b, b * d],
  '*': ([a, b], [c, d]) => [a * c, b * d],
  '/': ([a, b], [c, d]) => (c === 0 ? null : c < 0 ? [-a * d, -b * c] : [a * d, b * c]),
}

/** Makes a puzzle of four numbers from 1 to 13 that has a solution. */
export function gameOf24(id: string, seed: string): EvalTask {
  const dice = new Dice(seed)
  let numbers: readonly number[]
  do numbers = Array.from({ length: 4 }, () => dice.whole(1, 13))
  while (!isSolvable(numbers.map((number) => [number, 1])))
  const input = `Use the numbers ${numbers.join(' ')} and the operations + - * / with brackets to make ${TARGET_NUMBER}. Use each number exactly once. End with a line \`Answer: <expression>\`.`
  return { id, input, kind: 'game-of-24', expected: numbers, scorer: isGameSolved }
}

const isGameSolved: Scorer = Object.assign(
  (({ task, text }) => checkExpression(finalAnswer(text), task.expected as readonly number[])) satisfies Scorer,
  { title: 'game-of-24' },
)

/** Tells whether fractions can be made one that is 24. */
function isSolvable(left: readonly Fraction[]): boolean {
  if (left.length === 1) return left[0]![0] === TARGET_NUMBER * left[0]![1]
  return left.some((one, i) =>
    left.some((other, j) => {
      if (i === j) return false
      const rest = left.filter((_, index) => index !== i && index !== j)
      return Object.values(OPERATIONS).some((operation) => {
        const value = operation(one, other)
        return value !== null && isSolvable([...rest, value])
      })
    }),
  )
}

/** Judges an expression by reading it: whole numbers, the four operations and brackets, and nothing else. */
function checkExpression(
  answer: string,
  numbers: readonly number[],
): { readonly score: boolean; readonly reason?: string } {
  const wrong = (reason: string): { readonly score: boolean; readonly reason: string } => ({ score: false, reason })
  if (answer.length > MAX_LENGTH) return wrong('the answer is not an expression of four numbers')
  const [expression = '', result, ...more] = plainSigns(answer).split('=')
  if (more.length > 0) return wrong('the answer is more than one equation')
  if (result !== undefined && result.trim() !== String(TARGET_NUMBER))
    return wrong(`the answer says that it is ${result.trim()}`)
  const tokens = expression.match(/\d+|\S/gu) ?? []
  const used = tokens.filter((token) => /^\d/u.test(token)).map(Number)
  if (sorted(used) !== sorted(numbers))
    return wrong(`it uses ${used.join(' ') || 'no numbers'}, not ${numbers.join(' ')}`)
  const value = new ExpressionReader(tokens).value()
  if (!value) return wrong('the answer is not an expression of + - * / and brackets')
  return value[0] === TARGET_NUMBER * value[1] ? { score: true } : wrong(`it is ${value[0] / value[1]}`)
}

/** Signs as people and formulas write them, and what they mean. */
const SIGNS = [
  ['*', /[×·⋅∗x]|\\times|\\cdot/gu],
  ['/', /÷|\\div/gu],
  ['-', /[−–]/gu],
  ['(', /\[/gu],
  [')', /\]/gu],
  ['', /\\left|\\right/gu],
] as const

const plainSigns = (text: string): string =>
  SIGNS.reduce((plain, [sign, written]) => plain.replaceAll(written, sign), text)

const sorted = (numbers: readonly number[]): string => numbers.toSorted((one, other) => one - other).join(' ')

/** Reads an expression from its tokens, without evaluating code. */
class ExpressionReader {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  /** Returns the value; null for anything that is not one expression. */
  value(): Fraction | null {
    const value = this.#sum()
    return this.#at === this.#tokens.length ? value : null
  }

  #sum(): Fraction | null {
    return this.#chain(() => this.#chain(() => this.#factor(), ['*', '/']), ['+', '-'])
  }

  #chain(part: () => Fraction | null, signs: readonly string[]): Fraction | null {
    let value = part()
    while (value && signs.includes(this.#tokens[this.#at] ?? '')) {
      const sign = this.#tokens[this.#at++]!
      const other = part()
      value = other && OPERATIONS[sign]!(value, other)
    }
    return value
  }

  #factor(): Fraction | null {
    const token = this.#tokens[this.#at++]
    if (token === '(') {
      const value = this.#sum()
      return this.#tokens[this.#at++] === ')' ? value : null
    }
    return token !== undefined && /^\d+$/u.test(token) ? [Number(token), 1] : null
  }
}
