const LABEL = /^[\s*_#>-]*(?:the\s+)?(?:final\s+)?answer\s*(?:is)?\s*[:=-]?[\s*_]*/i

/** Normalizes an answer for a vote: its last line without label, case, spaces and final full stop. */
function normalizeAnswer(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? ''
  return line
    .replace(LABEL, '')
    .toLowerCase()
    .replaceAll(/[\s*_`$]|\.$/g, '')
}

/** Finds the most frequent text: its first index and its number of votes; among equals the first text wins, of none -1. */
export function findMajority(
  texts: readonly string[],
  normalize: (text: string) => string = normalizeAnswer,
): { index: number; votes: number } {
  const counts = new Map<string, { index: number; votes: number }>()
  texts.forEach((text, index) => {
    const key = normalize(text)
    const count = counts.get(key) ?? { index, votes: 0 }
    count.votes += 1
    counts.set(key, count)
  })
  let best = { index: -1, votes: 0 }
  for (const count of counts.values()) if (count.votes > best.votes) best = count
  return best
}
