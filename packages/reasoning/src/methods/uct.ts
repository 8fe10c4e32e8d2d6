/** A child to choose: the number of visits, the number of pending rewards, and the sum of the known rewards. */
export interface Branch {
  readonly visits: number
  readonly pending: number
  readonly total: number
}

/** Margin for rounding errors of sums. */
const ROUNDING_MARGIN = 1e-9

/**
 * Chooses a child by the upper confidence bound: mean reward plus `c` times the square root of ln N / n; among equals the
 * first, and an unvisited child before all others. Returns null if pending rewards, in [0, 1], could change the choice.
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
    spread.every((other, i) => i === best || spread[best]!.low > other.high + ROUNDING_MARGIN)
  return certain ? best : null
}
