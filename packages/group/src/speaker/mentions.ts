/**
 * Counts how often a text names each of some agents: by name, or by its name with spaces or `\_` in place of `_`. Case
 * counts, and a part of a word is no name. Where a longer name stands, its parts between spaces, `-` and `_` are no names.
 * Those of `others` are not counted, but they may be the longer ones.
 */
export function mentionsIn(
  text: string,
  names: readonly string[],
  others: readonly string[] = [],
): Readonly<Record<string, number>> {
  const nameOf = new Map<string, string>()
  for (const name of [...names, ...others]) for (const spelling of spellingsOf(name)) nameOf.set(spelling, name)
  const spellings = [...nameOf.keys()].toSorted((one, other) => other.length - one.length)
  if (spellings.length === 0) return {}
  const found = new RegExp(`(?<!${WORD})(?:${spellings.map(escaped).join('|')})(?!${WORD})`, 'gu')
  const mentions: Record<string, number> = {}
  for (const [longest] of text.matchAll(found)) {
    const inside = spellings.filter((each) => each !== longest && standsApart(each, longest))
    for (const spelling of [longest, ...inside]) {
      const name = nameOf.get(spelling)!
      if (names.includes(name)) mentions[name] = (mentions[name] ?? 0) + 1
    }
  }
  return mentions
}

/** Whether a name stands in a longer one between other signs than those that join the parts of a name. */
const standsApart = (name: string, longer: string): boolean =>
  new RegExp(`(?<!${JOINT})${escaped(name)}(?!${JOINT})`, 'u').test(longer)

/** A letter, a digit, or a sign that joins the parts of a name. */
const JOINT = String.raw`[\p{L}\p{N}_\\\s-]`

/** A letter, a digit or an underscore of any script. */
const WORD = String.raw`[\p{L}\p{N}_]`

const spellingsOf = (name: string): string[] => [name, name.replaceAll('_', ' '), name.replaceAll('_', String.raw`\_`)]

const escaped = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`)
