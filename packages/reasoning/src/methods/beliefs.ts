/** The belief about the reward of a choice: a beta distribution; draws use a normal one with the same mean and variance. */
export class Belief {
  #sum = 1
  #count = 2
  mean = 0.5
  deviation: number = deviationOf(0.5, 2)

  /** Learns from a reward in [0, 1]; with a `weight` of 10 it counts as ten observations. */
  learn(reward: number, weight: number): void {
    this.#sum += weight * reward
    this.#count += weight
    this.mean = this.#sum / this.#count
    this.deviation = deviationOf(this.mean, this.#count)
  }
}

const deviationOf = (mean: number, count: number): number => Math.sqrt((mean * (1 - mean)) / (count + 1))

/** A choice with the belief about its reward. */
export interface Choice {
  readonly belief: Belief
}

/**
 * Chooses by Thompson sampling: draws a reward for every choice and returns the choice with the highest, so that uncertain
 * choices are tried and bad ones seldom. `random`, in [0, 1), determines all draws.
 */
export function chooseByDraws<T extends Choice>(choices: readonly T[], random: number): T {
  const next = uniforms(random)
  let best = choices[0]!
  let highest = -Infinity
  let [radius, angle] = [0, 0]
  for (let i = 0; i < choices.length; i++) {
    // Two uniform numbers make two normal ones (Box–Muller).
    if (i % 2 === 0) {
      radius = Math.sqrt(-2 * Math.log(1 - next()))
      angle = 2 * Math.PI * next()
    }
    const { mean, deviation } = choices[i]!.belief
    const draw = mean + deviation * radius * (i % 2 === 0 ? Math.cos(angle) : Math.sin(angle))
    if (draw > highest) [best, highest] = [choices[i]!, draw]
  }
  return best
}

/** Makes a source of numbers in [0, 1) from the first one (Mulberry32). */
function uniforms(random: number): () => number {
  let state = Math.floor(random * 2 ** 32)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
