/** A line of a comparison: kept, removed or added. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** Removed and added lines up to which the shortest way from one text to the other is searched. */
const MAX_EDITS = 200

/**
 * Compares two texts line by line. Texts that differ in more than 200 lines are compared by their equal beginning and end
 * alone, so that the time grows with their length.
 */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const [old, young] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return [
    ...signed(' ', before.slice(0, start)),
    ...(shortestWay(old, young) ?? [...signed('-', old), ...signed('+', young)]),
    ...signed(' ', before.slice(before.length - end)),
  ]
}

const signed = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign, text }))

/** Searches the least number of removed and added lines, as Myers describes it; returns null if it is above the maximum. */
function shortestWay(before: readonly string[], after: readonly string[]): DiffLine[] | null {
  const [rows, columns] = [before.length, after.length]
  if (rows === 0 || columns === 0) return [...signed('-', before), ...signed('+', after)]
  // The furthest row that each diagonal (column - row) reaches, after each number of edits.
  const furthest = new Int32Array(2 * MAX_EDITS + 3)
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= MAX_EDITS; edits++) {
    trace.push(furthest.slice())
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let row = comesFromAbove(furthest, diagonal, edits) ? at(furthest, diagonal - 1) : at(furthest, diagonal + 1) + 1
      if (edits === 0) row = 0
      while (row < rows && row + diagonal < columns && before[row] === after[row + diagonal]) row++
      furthest[diagonal + MAX_EDITS + 1] = row
      if (row >= rows && row + diagonal >= columns) return wayBack(before, after, trace)
    }
  }
  return null
}

const at = (furthest: Int32Array, diagonal: number): number => furthest[diagonal + MAX_EDITS + 1]!

/** Returns true if the way to a diagonal adds a line, and false if it removes one. */
const comesFromAbove = (furthest: Int32Array, diagonal: number, edits: number): boolean =>
  diagonal === edits || (diagonal !== -edits && at(furthest, diagonal - 1) > at(furthest, diagonal + 1))

/** Follows the way from the end of both texts to their beginning. */
function wayBack(before: readonly string[], after: readonly string[], trace: readonly Int32Array[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [row, column] = [before.length, after.length]
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const furthest = trace[edits]!
    const diagonal = column - row
    const isAdded = comesFromAbove(furthest, diagonal, edits)
    const from = isAdded ? diagonal - 1 : diagonal + 1
    const fromRow = at(furthest, from)
    const reached = isAdded ? fromRow : fromRow + 1
    while (row > reached) lines.push({ sign: ' ', text: before[--row]! })
    column = row + diagonal
    if (isAdded) lines.push({ sign: '+', text: after[--column]! })
    else lines.push({ sign: '-', text: before[--row]! })
    column = row + from
  }
  while (row > 0) lines.push({ sign: ' ', text: before[--row]! })
  return lines.toReversed()
}
