import type { Play } from './play.ts'

/** How well stated probabilities fit what came true. */
export interface Reliability {
  /** Number of answers with a probability. */
  readonly n: number
  /** Mean squared difference from the truth (Brier 1950); 0 is best, and 0.25 what saying one half gives. */
  readonly brier: number
  /** Mean distance of probability and share in bins, weighted by their numbers (expected calibration error, Naeini et al. 2015). */
  readonly error: number
  readonly bins: readonly ReliabilityBin[]
}

/** The answers with a probability in an interval. */
export interface ReliabilityBin {
  readonly from: number
  readonly n: number
  /** Mean probability. */
  readonly said: number
  /** Share of right answers. */
  readonly right: number
}

const BIN_COUNT = 10

/** Compares the probabilities that a method gave with its right answers; null if it gave none. */
export function reliabilityOf(plays: readonly Play[]): Reliability | null {
  const pairs = plays.flatMap(({ confidence, isRight }) =>
    confidence === null ? [] : [{ said: confidence, right: Number(isRight) }],
  )
  const n = pairs.length
  if (n === 0) return null
  const byBin = Map.groupBy(pairs, ({ said }) => Math.min(BIN_COUNT - 1, Math.floor(said * BIN_COUNT)))
  const bins = [...byBin]
    .toSorted(([a], [b]) => a - b)
    .map(([bin, inBin]) => ({
      from: bin / BIN_COUNT,
      n: inBin.length,
      said: inBin.reduce((sum, { said }) => sum + said, 0) / inBin.length,
      right: inBin.reduce((sum, { right }) => sum + right, 0) / inBin.length,
    }))
  return {
    n,
    brier: pairs.reduce((sum, { said, right }) => sum + (said - right) ** 2, 0) / n,
    error: bins.reduce((sum, bin) => sum + (bin.n / n) * Math.abs(bin.said - bin.right), 0),
    bins,
  }
}
