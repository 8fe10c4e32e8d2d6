/**
 * Finds the candidate that a misspelt name most likely means; undefined when none is near enough. A name that is wrong in
 * any case may be a letter further off.
 */
export function nearestName(name: string, candidates: Iterable<string>, isWrong = false): string | undefined {
  const plain = letters(name)
  let best: string | undefined
  let least = (plain.length >= 8 ? 3 : plain.length >= 6 ? 2 : 1) + (isWrong ? 1 : 0)
  for (const candidate of candidates) {
    const far = distance(plain, letters(candidate), least)
    if (far < least) {
      least = far
      best = candidate
    }
  }
  return best
}

const letters = (name: string): string => name.replaceAll(/[^a-z0-9]/giu, '').toLowerCase()

/** Number of letters to insert, drop, replace or swap with a neighbour, up to a bound. */
function distance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1)
      next.push(cost)
    }
    before = row
    row = next
  }
  return row[b.length]!
}
