/** Beliefs about the rewards of choices, for Thompson sampling: a choice that is little known is tried, a bad one seldom. */
export class Beliefs {
  readonly #random: (name: string) => number
  readonly #weight: number
  /** The sum and the number of the rewards of a choice. */
  readonly #known = new Map<string, { sum: number; count: number }>()

  /** With a `weight` of 10, a reward counts as if it had been seen ten times. */
  constructor(random: (name: string) => number, weight: number) {
    this.#random = random
    this.#weight = weight
  }

  /** Counts a reward in [0, 1] of a choice. */
  learn(key: string, reward: number): void {
    const known = this.#known.get(key) ?? { sum: 0, count: 0 }
    this.#known.set(key, { sum: known.sum + this.#weight * reward, count: known.count + this.#weight })
  }

  /** Draws a reward for every choice and returns the choice with the highest; `turn` tells the draws apart. */
  choose<T extends { readonly key: string }>(choices: readonly T[], turn: string): T {
    const draws = choices.map(({ key }) => this.#draw(key, turn))
    return choices[draws.indexOf(Math.max(...draws))]!
  }

  /** Draws from the beta distribution of a choice, as a normal distribution with its mean and variance. */
  #draw(key: string, turn: string): number {
    const { sum, count } = this.#known.get(key) ?? { sum: 0, count: 0 }
    const mean = (1 + sum) / (2 + count)
    const deviation = Math.sqrt((mean * (1 - mean)) / (3 + count))
    const [a, b] = [this.#random(`${turn} ${key} a`), this.#random(`${turn} ${key} b`)]
    return mean + deviation * Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b)
  }
}
