import { compare, OPERATIONS, show, type Rational } from './rational.ts'

/** A step of the game: two numbers become one. */
export interface Move {
  readonly op: string
  readonly a: Rational
  readonly b: Rational
  readonly value: Rational
  /** The numbers after the move. */
  readonly left: readonly Rational[]
  /** True for a smaller number divided by a larger one, which models write less often. */
  readonly rare: boolean
  /** True if 24 is still reachable. */
  readonly good: boolean
}

/** Returns a key of numbers, whatever their order. */
export const keyOf = (numbers: readonly Rational[]): string => numbers.toSorted(compare).map(show).join(' ')

/** Returns a key of a move, without the remaining numbers. */
export const nameOf = ({ op, a, b }: Pick<Move, 'op' | 'a' | 'b'>): string => `${op}${show(a)},${show(b)}`

/** Writes a move as a step: `10 - 4 = 6 (left: 5 6 6)`. */
export const stepOf = ({ op, a, b, value, left }: Omit<Move, 'rare' | 'good'>): string =>
  `${show(a)} ${op} ${show(b)} = ${show(value)} (left: ${left.map(show).join(' ')})`

/** The arithmetic of the game: which numbers can become 24, and the moves that a person would write, larger number first. */
export class Game {
  readonly #solvable = new Map<string, boolean>()
  readonly #moves = new Map<string, readonly Move[]>()

  /** True if numbers can become 24. */
  solvable(numbers: readonly Rational[]): boolean {
    if (numbers.length === 1) return show(numbers[0]!) === '24'
    const key = keyOf(numbers)
    const cached = this.#solvable.get(key)
    if (cached !== undefined) return cached
    const solvable = [...results(numbers, () => ['+', '-', '*', '/'])].some(({ left }) => this.solvable(left))
    this.#solvable.set(key, solvable)
    return solvable
  }

  /** Returns the moves with some numbers. */
  moves(numbers: readonly Rational[]): readonly Move[] {
    const key = numbers.map(show).join(' ')
    const cached = this.#moves.get(key)
    if (cached) return cached
    const seen = new Set<string>()
    const moves: Move[] = []
    for (const move of results(numbers, (largerFirst) => (largerFirst ? ['+', '-', '*', '/'] : ['/']))) {
      if (seen.has(nameOf(move))) continue
      seen.add(nameOf(move))
      moves.push({ ...move, good: this.solvable(move.left) })
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
