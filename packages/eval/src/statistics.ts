/** A share or difference with the interval in which it lies with a probability of 95 %. */
export interface Interval {
  readonly value: number
  readonly low: number
  readonly high: number
  /** How it was computed: from counts of right and wrong (`wilson`, `newcombe`), or by resampling tasks and the ends of the scale (`bootstrap`). */
  readonly method: 'wilson' | 'newcombe' | 'bootstrap'
  /** Independent observations: tasks, or judged answers. */
  readonly n: number
}

/** Quantile of the normal distribution for 95 % on both sides. */
const NORMAL_QUANTILE = 1.959964

const RESAMPLE_COUNT = 4000

/** A generator of numbers in [0, 1) from a seed: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Makes a seed of a text: FNV-1a. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** Returns the mean; `NaN` of nothing. */
export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Wilson's interval of a rate. */
export function wilson(right: number, n: number): Interval {
  const rate = right / n
  const centre = (rate + NORMAL_QUANTILE ** 2 / (2 * n)) / (1 + NORMAL_QUANTILE ** 2 / n)
  const half =
    (NORMAL_QUANTILE / (1 + NORMAL_QUANTILE ** 2 / n)) *
    Math.sqrt((rate * (1 - rate)) / n + NORMAL_QUANTILE ** 2 / (4 * n ** 2))
  // Rounding may put an end a hair beside the rate itself.
  const low = right === 0 ? 0 : centre - half
  const high = right === n ? 1 : centre + half
  return { value: rate, low, high, method: 'wilson', n }
}

/**
 * Newcombe's interval of the difference of two paired rates, his method 10: from the Wilson intervals of both and their
 * correlation. It stays wide where all pairs agree, which a bootstrap does not.
 */
function newcombe(pairs: readonly (readonly [number, number])[]): Interval {
  const n = pairs.length
  const count = (one: number, other: number): number => pairs.filter(([a, b]) => a === one && b === other).length
  const [both, first, second, none] = [count(1, 1), count(1, 0), count(0, 1), count(0, 0)]
  const [a, b] = [wilson(both + first, n), wilson(both + second, n)]
  const value = (first - second) / n
  const margins = (both + first) * (second + none) * (both + second) * (first + none)
  const excess = both * none - first * second
  const corrected = excess > 0 ? Math.max(excess - n / 2, 0) : excess
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins)
  const spread = (one: number, other: number): number =>
    Math.sqrt(Math.max(0, one ** 2 - 2 * phi * one * other + other ** 2))
  return {
    value,
    low: Math.max(-1, value - spread(a.value - a.low, b.high - b.value)),
    high: Math.min(1, value + spread(a.high - a.value, b.value - b.low)),
    method: 'newcombe',
    n,
  }
}

/**
 * Bootstrap interval of a statistic of observations, by percentiles. They are widened for few observations as by Student's
 * distribution (Hesterberg 2015), since percentiles of few are too narrow.
 */
export function bootstrap<T>(
  observations: readonly T[],
  statistic: (sample: readonly T[]) => number,
  seed: number,
): Interval {
  const n = observations.length
  const random = randomFrom(seed)
  // One list for all samples: of thousands of tasks, new ones would take longer than the evaluation.
  const sample = [...observations]
  const resampled = (): number => {
    for (let index = 0; index < n; index++) sample[index] = observations[Math.floor(random() * n)]!
    return statistic(sample)
  }
  const values = Array.from({ length: RESAMPLE_COUNT }, resampled)
    .filter((value) => !Number.isNaN(value))
    .toSorted((one, other) => one - other)
  const value = statistic(observations)
  if (values.length === 0) return { value, low: value, high: value, method: 'bootstrap', n }
  const tail = n < 2 ? 0 : normalBelow(-Math.sqrt(n / (n - 1)) * studentQuantile(n - 1))
  const at = (share: number): number => values[Math.round(share * (values.length - 1))]!
  return { value, low: at(tail), high: at(1 - tail), method: 'bootstrap', n }
}

/**
 * Bootstrap interval with two possible observations beside the real ones: one at each end. Few observations may be
 * equal by chance, and resampled alone they would have an interval without width.
 */
function bootstrapWith<T>(
  observations: readonly T[],
  ends: readonly T[],
  statistic: (sample: readonly T[]) => number,
  seed: number,
): Interval {
  const value = statistic(observations)
  const { low, high, method } = bootstrap([...observations, ...ends], statistic, seed)
  return { value, low: Math.min(low, value), high: Math.max(high, value), method, n: observations.length }
}

/** Quantile of Student's distribution for 95 % on both sides, by the expansion of Cornish and Fisher. */
function studentQuantile(freedom: number): number {
  const exact = [12.706, 4.303, 3.182][freedom - 1]
  if (exact !== undefined) return exact
  const [z3, z5] = [NORMAL_QUANTILE ** 3, NORMAL_QUANTILE ** 5]
  return (
    NORMAL_QUANTILE +
    (z3 + NORMAL_QUANTILE) / (4 * freedom) +
    (5 * z5 + 16 * z3 + 3 * NORMAL_QUANTILE) / (96 * freedom ** 2)
  )
}

/** Probability below `z` of the normal distribution, by formula 26.2.17 of Abramowitz and Stegun. */
function normalBelow(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const sum = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429].reduceRight(
    (total, factor) => (total + factor) * t,
    0,
  )
  const tail = (Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI)) * sum
  return z < 0 ? tail : 1 - tail
}

/** Tasks from which on the ends of the scale count less: of more, a rare score was most probably seen. */
const FEW_TASKS = 30

/** Returns the mean of values with its interval. The ends of their scale lie nearer to the mean, the more values there are. */
function meanInterval(values: readonly number[], scale: readonly number[], seed: number): Interval {
  const mean = meanOf(values)
  const reach = Math.min(1, FEW_TASKS / values.length)
  return bootstrapWith(
    values,
    scale.map((end) => mean + (end - mean) * reach),
    meanOf,
    seed,
  )
}

const isBinary = (value: number): boolean => value === 0 || value === 1

/**
 * Returns the mean of the scores of tasks, each from 0 to 1, with its interval: by Wilson if each is right or wrong. Null of no
 * tasks.
 */
export function intervalOf(scores: readonly number[], seed: number): Interval | null {
  if (scores.length === 0) return null
  if (!scores.every(isBinary)) return meanInterval(scores, [0, 1], seed)
  return wilson(scores.filter((score) => score === 1).length, scores.length)
}

/** Returns the mean difference of paired scores with its interval. Null of no pairs. */
export function differenceOf(pairs: readonly (readonly [number, number])[], seed: number): Interval | null {
  if (pairs.length === 0) return null
  if (pairs.every(([one, other]) => isBinary(one) && isBinary(other))) return newcombe(pairs)
  const differences = pairs.map(([one, other]) => one - other)
  return meanInterval(differences, [-1, 1], seed)
}

/** Probability of wins as uneven as these, or more, if both were equally good: the exact sign test. */
export function signTest(wins: number, losses: number): number {
  const n = wins + losses
  const least = Math.min(wins, losses)
  let logChoose = 0
  let sum = 0
  for (let k = 0; k <= least; k++) {
    if (k > 0) logChoose += Math.log(n - k + 1) - Math.log(k)
    sum += Math.exp(logChoose - n * Math.LN2)
  }
  return Math.min(1, 2 * sum)
}

/** Cohen's kappa of two verdicts: the agreement beyond what chance gives; 1 if both always say the same. */
export function kappaOf(pairs: readonly (readonly [boolean, boolean])[]): number {
  const n = pairs.length
  const agreed = pairs.filter(([one, other]) => one === other).length / n
  const share = (side: 0 | 1): number => pairs.filter((pair) => pair[side]).length / n
  const [one, other] = [share(0), share(1)]
  const byChance = one * other + (1 - one) * (1 - other)
  return byChance === 1 ? 1 : (agreed - byChance) / (1 - byChance)
}

/** Returns kappa with its interval. */
export const kappaIntervalOf = (pairs: readonly (readonly [boolean, boolean])[], seed: number): Interval =>
  bootstrapWith(pairs, EACH_PAIR, kappaOf, seed)

const EACH_PAIR = [true, false].flatMap((one) => [true, false].map((other) => [one, other] as const))
