/** The quantile `q` (0 to 1) of the numbers that are finite, interpolated; NaN of none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.filter((value) => Number.isFinite(value)).toSorted((a, b) => a - b)
  if (sorted.length === 0) return Number.NaN
  const at = (sorted.length - 1) * q
  const low = Math.floor(at)
  const below = sorted[low]!
  return below + (sorted[Math.min(low + 1, sorted.length - 1)]! - below) * (at - low)
}

/** The middle of numbers. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The median of the ratios of samples that were taken in the same round. */
export function pairedRatio(values: readonly number[], base: readonly number[]): number {
  return median(values.map((value, round) => value / (base[round] ?? Number.NaN)))
}

/** Least probability with which an interval has the true median in it. */
const CONFIDENCE = 0.95

/**
 * The interval of the middle of what values are samples of: from the k-th smallest to the k-th largest, with the largest k
 * that is sure enough. It supposes no distribution. Fewer than six values are never sure enough: their interval has no ends.
 */
export function interval(values: readonly number[]): { readonly low: number; readonly high: number } {
  const sorted = values.filter((value) => Number.isFinite(value)).toSorted((a, b) => a - b)
  const { length } = sorted
  let outside = 0
  let chance = 2 ** (1 - length)
  let at = -1
  while (at + 1 < length / 2 && outside + chance <= 1 - CONFIDENCE) {
    at++
    outside += chance
    chance = (chance * (length - at)) / (at + 1)
  }
  return at < 0 ? { low: -Infinity, high: Infinity } : { low: sorted[at]!, high: sorted[length - 1 - at]! }
}

/** The slope of log y over log x by least squares: 1 is linear growth, 2 is quadratic. */
export function exponent(xs: readonly number[], ys: readonly number[]): number {
  const x = xs.map(Math.log)
  const y = ys.map(Math.log)
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length
  const middleX = mean(x)
  const middleY = mean(y)
  const over = x.reduce((sum, value, i) => sum + (value - middleX) * (y[i]! - middleY), 0)
  return over / x.reduce((sum, value) => sum + (value - middleX) ** 2, 0)
}

/** One sample of a workload: numbers by metric. */
export type Sample = Readonly<Record<string, number>>

/** The middle and the spread of a metric. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly p25: number
  readonly p75: number
}

/** The spread of every metric of samples. */
export function summary(samples: readonly Sample[]): Record<string, Spread> {
  const spreads: Record<string, Spread> = {}
  for (const metric of Object.keys(samples[0] ?? {})) {
    const values = samples.map((sample) => sample[metric] ?? Number.NaN)
    spreads[metric] = {
      median: median(values),
      min: Math.min(...values),
      p25: quantile(values, 0.25),
      p75: quantile(values, 0.75),
    }
  }
  return spreads
}
