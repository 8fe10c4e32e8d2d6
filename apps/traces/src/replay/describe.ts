import type { Face } from '@x/interfaces'
import type { Difference } from './compare.ts'

/** Length to which the text of a value is cut. */
const MAX_VALUE_CHARACTERS = 400

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
  return text.length > MAX_VALUE_CHARACTERS
    ? `${text.slice(0, MAX_VALUE_CHARACTERS)}… (${text.length} characters)`
    : text
}
