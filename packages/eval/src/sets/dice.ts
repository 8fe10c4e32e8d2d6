import { randomFrom, seedOf } from '../statistics.ts'

/** Choices by chance that are the same for the same seed. */
export class Dice {
  readonly #random: () => number

  constructor(seed: string) {
    this.#random = randomFrom(seedOf(seed))
  }

  /** Returns a whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1))
  }

  /** Returns one of several. */
  one<T>(of: readonly T[]): T {
    return of[this.whole(0, of.length - 1)]!
  }

  /** Returns some of several, in any order. */
  some<T>(of: readonly T[], count: number): T[] {
    const rest = [...of]
    return Array.from({ length: count }, () => rest.splice(this.whole(0, rest.length - 1), 1)[0]!)
  }
}
