import type { Face } from '@x/interfaces'
import type { Difference } from './compare.ts'

/** Longest text of a value that is shown. */
const LONGEST = 400

/** Differences as lines that people can read. */
export function describeDifferences(face: Face, differences: readonly Difference[]): string {
  return differences
    .map(
      ({ path, recorded, seen }) =>
        `  ${face}  ${path}\n    recorded  ${shown(recorded)}\n    seen      ${shown(seen)}`,
    )
    .join('\n')
}

function shown(value: Difference['seen']): string {
  const text = value === undefined ? '(nothing)' : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text
}
