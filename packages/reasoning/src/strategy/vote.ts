const LABEL = /^[\s*_#>-]*(?:the\s+)?(?:final\s+)?answer\s*(?:is)?\s*[:=-]?[\s*_]*/i

/** What of an answer is compared in a vote: its last line, without label, case, spaces and end marks. */
export function ballot(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? ''
  return line
    .replace(LABEL, '')
    .toLowerCase()
    .replaceAll(/[\s*_`$]|\.$/g, '')
}

/** The index of the text that most others equal, and how many there are of it; the first of equals wins. */
export function majority(
  texts: readonly string[],
  normalize: (text: string) => string = ballot,
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
