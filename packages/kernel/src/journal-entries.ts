import type { JournalEntry } from '@x/interfaces'

/** Begins an escape: a character that texts hardly ever hold and every store takes. */
const ESCAPE_CHARACTER = '\u001A'

/** The characters that stores refuse (U+0000 and halves of surrogate pairs), and the escape itself. */
const REFUSED_CHARACTERS = new RegExp(`[\\0${ESCAPE_CHARACTER}\\p{Cs}]`, 'gu')
const ESCAPE_SEQUENCE = new RegExp(`${ESCAPE_CHARACTER}([0-9a-f]{4})`, 'gu')

/**
 * Plain JSON with every text and key escaped, so that any store takes it: U+0000 and lone surrogates become `\u001A` and
 * four hexadecimal digits.
 */
export const escapeTexts = (value: unknown): unknown =>
  mapTexts(value, (text) =>
    text.replaceAll(
      REFUSED_CHARACTERS,
      (character) => ESCAPE_CHARACTER + character.charCodeAt(0).toString(16).padStart(4, '0'),
    ),
  )

/** The value that {@link escapeTexts} was given. */
export const unescapeTexts = (value: unknown): unknown =>
  mapTexts(value, (text) =>
    text.includes(ESCAPE_CHARACTER)
      ? text.replaceAll(ESCAPE_SEQUENCE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      : text,
  )

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), mapTexts(each, change)]))
}

/** Returns an entry with its texts escaped, as a journal keeps it. */
export function escapedEntry(entry: JournalEntry): JournalEntry {
  const { value, context, used } = entry
  return {
    ...entry,
    value: escapeTexts(value),
    ...(context && { context: escapeTexts(context) as typeof context }),
    ...(used && { used: escapeTexts(used) as typeof used }),
  }
}

/** The place of the entry of a run itself. */
export const RUN_PLACE = '0'

/**
 * Returns the entries of a run up to a place: what stands at the place or behind it is left out, and what was open there is
 * open again; null keeps all of them.
 */
export function entriesBefore(entries: readonly JournalEntry[], place: string | null): JournalEntry[] {
  const cut = place === null ? [Infinity] : placeNumbers(place)
  return entries.flatMap((entry) => {
    if (entry.kind === 'wait') return []
    if (entry.place === RUN_PLACE) return [entry]
    return isBefore(placeNumbers(entry.place), cut) ? [withEndedBefore(entry, cut)] : []
  })
}

/** Leaves out of an entry that a chat beside it had ended, if that stands at the cut or behind it. */
function withEndedBefore(entry: JournalEntry, cut: readonly number[]): JournalEntry {
  const { ended, ...rest } = entry
  const before = ended?.filter((place) => isBefore(placeNumbers(place), cut)) ?? []
  return before.length > 0 ? { ...rest, ended: before } : rest
}

/** A place as the numbers it is made of. */
const placeNumbers = (place: string): number[] => place.split('.').map(Number)

/** True if a place comes before `cut` and is not one of the calls around it. */
function isBefore(place: readonly number[], cut: readonly number[]): boolean {
  for (const [depth, number] of place.entries()) {
    if (depth === cut.length) return false
    if (number !== cut[depth]) return number < cut[depth]!
  }
  return false
}
