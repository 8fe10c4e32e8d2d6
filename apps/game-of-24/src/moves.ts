import { compare, OPERATIONS, show, type Rational } from './rational.ts'

/** One step of the game: two of the numbers become one. */
export interface Move {
  readonly op: string
  readonly a: Rational
  readonly b: Rational
  readonly value: Rational
  /** The numbers after it. */
  readonly left: readonly Rational[]
  /** A smaller number divided by a larger one: written less often. */
  readonly rare: boolean
  /** Whether 24 can still be reached. */
  readonly good: boolean
}

/** Names a set of numbers, whatever their order. */
export const keyOf = (numbers: readonly Rational[]): string => numbers.toSorted(compare).map(show).join(' ')

/** Names a move, without what it leaves. */
export const nameOf = ({ op, a, b }: Pick<Move, 'op' | 'a' | 'b'>): string => `${op}${show(a)},${show(b)}`

/** Writes a move as a step: `10 - 4 = 6 (left: 5 6 6)`. */
export const stepOf = ({ op, a, b, value, left }: Omit<Move, 'rare' | 'good'>): string =>
  `${show(a)} ${op} ${show(b)} = ${show(value)} (left: ${left.map(show).join(' ')})`

/** Knows which numbers can become 24, and the moves a person would write: the larger number first. */
export class Game {
  readonly #solvable = new Map<string, boolean>()
  readonly #moves = new Map<string, readonly Move[]>()

  solvable(numbers: readonly Rational[]): boolean {
    if (numbers.length === 1) return show(numbers[0]!) === '24'
    const key = keyOf(numbers)
    const known = this.#solvable.get(key)
    if (known !== undefined) return known
    const solvable = [...results(numbers, () => ['+', '-', '*', '/'])].some(({ left }) => this.solvable(left))
    this.#solvable.set(key, solvable)
    return solvable
  }

  moves(numbers: readonly Rational[]): readonly Move[] {
    const key = numbers.map(show).join(' ')
    const known = this.#moves.get(key)
    if (known) return known
    const seen = new Set<string>()
    const moves: Move[] = []
    for (const made of results(numbers, (largerFirst) => (largerFirst ? ['+', '-', '*', '/'] : ['/']))) {
      if (seen.has(nameOf(made))) continue
      seen.add(nameOf(made))
      moves.push({ ...made, good: this.solvable(made.left) })
    }
    this.#moves.set(key, moves)
    return moves
  }
}

function* results(
  numbers: readonly Rational[],
  signs: (largerFirst: boolean) => readonly string[],
): Generator<Omit<Move, 'good'>, void, undefined> {
  for (let i = 0; i < numbers.length; i++) {
    for (let j = i + 1; j < numbers.length; j++) {
      const rest = numbers.filter((_, at) => at !== i && at !== j)
      const pair = [numbers[i]!, numbers[j]!] as const
      const [larger, smaller] = compare(...pair) < 0 ? [pair[1], pair[0]] : pair
      for (const largerFirst of [true, false]) {
        const [a, b] = largerFirst ? [larger, smaller] : [smaller, larger]
        for (const op of signs(largerFirst)) {
          const value = OPERATIONS[op]!(a, b)
          if (value) yield { op, a, b, value, left: [...rest, value], rare: !largerFirst }
        }
      }
    }
  }
}
