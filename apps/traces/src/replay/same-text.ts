/** Texts of the reference's platform about arguments that are not JSON, are missing or are too many. */
const PLATFORM_ERROR = new RegExp(
  String.raw`(?<=Error: )(?:[^\n]*: line \d+ column \d+ \(char \d+\)|\w+\(\) (?:missing|got) [^\n]*|\d+ validation errors? for [^]*)`,
  'gu',
)

/** Tells whether two texts are equal, except for the platform's own words after `Error: `. */
export function sameText(recorded: string, seen: string): boolean {
  if (recorded === seen) return true
  const [first = '', ...rest] = recorded.split(PLATFORM_ERROR)
  if (rest.length === 0 || !seen.startsWith(first)) return false
  const last = rest.pop()!
  let at = first.length
  for (const part of rest) {
    const index = seen.indexOf(part, at + 1)
    if (index === -1) return false
    at = index + part.length
  }
  return at + last.length < seen.length && seen.endsWith(last)
}
