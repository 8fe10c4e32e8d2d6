/** A child as a choice: how often it was or is being visited, for how many of these the reward is out, and the sum of the rest. */
export interface Branch {
  readonly visits: number
  readonly pending: number
  readonly total: number
}

/** Rounding of sums may not decide whether a choice is certain. */
const MARGIN = 1e-9

/**
 * The child that the upper confidence bound (true mean plus `c` times the square root of ln N / n) chooses, the first of
 * equals, one without visits before all others. Null when rewards that are still out, each in [0, 1], could change it.
 */
export function chooseByUct(branches: readonly Branch[], visits: number, c: number): number | null {
  const fresh = branches.findIndex((branch) => branch.visits === 0)
  if (fresh >= 0) return fresh
  const spread = branches.map((branch) => {
    const bonus = c * Math.sqrt(Math.log(Math.max(1, visits)) / branch.visits)
    return {
      low: branch.total / branch.visits + bonus,
      high: (branch.total + branch.pending) / branch.visits + bonus,
    }
  })
  let best = 0
  for (let i = 1; i < spread.length; i++) if (spread[i]!.low > spread[best]!.low) best = i
  const certain =
    branches.every((branch) => branch.pending === 0) ||
    spread.every((other, i) => i === best || spread[best]!.low > other.high + MARGIN)
  return certain ? best : null
}
