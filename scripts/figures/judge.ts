import { interval, median } from '../../apps/bench/src/statistics.ts'

/**
 * Kilobytes may differ by this part from those of the table, since a size differs with every changed line. The table keeps its
 * value meanwhile, so that small losses do not add up.
 */
const KILOBYTE_TOLERANCE = 0.01

/** The same for what a call allocates, which differs a little with the pieces in which a server's answers arrive. */
const ALLOCATION_TOLERANCE = 0.05

/** The same for characters of changes: durations have more or fewer digits. */
const CHARACTER_TOLERANCE = 0.01

/**
 * Compares counts with those of the table, and says what is wrong. Fewer is better, and must be kept too: the table would
 * else allow what was won to be lost again.
 */
export function countFaults(
  counts: Readonly<Record<string, number>>,
  kept: Readonly<Record<string, number>>,
): string[] {
  const faults: string[] = []
  for (const [name, count] of Object.entries(counts)) {
    const before = kept[name]
    if (before === undefined) faults.push(`${name}: ${count}, and the table has no such figure`)
    else if (count > before * (1 + toleranceOf(name))) faults.push(`${name}: ${count}, and ${before} before: worse`)
    else if (count < before * (1 - toleranceOf(name))) faults.push(`${name}: ${count}, and ${before} before: better`)
  }
  for (const name of Object.keys(kept)) if (!(name in counts)) faults.push(`${name} is in the table, and not counted`)
  return faults
}

/** Keeps what is alike as it was, so that a new table differs only in what has changed. */
export function renewCounts(
  counts: Readonly<Record<string, number>>,
  kept: Readonly<Record<string, number>>,
): Record<string, number> {
  const isAlike = (name: string, count: number): boolean =>
    Math.abs(count - (kept[name] ?? Infinity)) <= (kept[name] ?? 0) * toleranceOf(name)
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, isAlike(name, count) ? kept[name]! : count]),
  )
}

function toleranceOf(name: string): number {
  if (name.startsWith('characters')) return CHARACTER_TOLERANCE
  if (!name.endsWith(', kB')) return 0
  return name.startsWith('allocated') ? ALLOCATION_TOLERANCE : KILOBYTE_TOLERANCE
}

/** Samples of a figure, one of each sitting. */
export interface Sittings {
  readonly before: readonly number[]
  /** The same state as `before`, installed a second time: it shows what the machine makes of no change. */
  readonly again: readonly number[]
  readonly now: readonly number[]
}

/** The comparison of a figure with that of the state before. */
export interface Verdict {
  /** Middle of the ratios of the same sitting. */
  readonly ratio: number
  readonly low: number
  readonly high: number
  /** The interval of no change. */
  readonly noise: { readonly low: number; readonly high: number }
  readonly verdict: 'worse' | 'better' | 'alike' | 'too few'
}

/** Compares a figure; it is worse if the interval of its ratio lies wholly above 1, and above that of no change. */
export function judge({ before, again, now }: Sittings): Verdict {
  const ratios = now.map((value, sitting) => value / before[sitting]!)
  const { low, high } = interval(ratios)
  const noise = interval(again.map((value, sitting) => value / before[sitting]!))
  const isWorse = low > Math.max(1, noise.high)
  const isBetter = high < Math.min(1, noise.low)
  const isUnsure = low === -Infinity || noise.low === -Infinity
  const verdict = isUnsure ? 'too few' : isWorse ? 'worse' : isBetter ? 'better' : 'alike'
  return { ratio: median(ratios), low, high, noise, verdict }
}
