import type { JournalEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checksumOf } from './entry-seal.ts'
import { unknownVersion } from './saved-state.ts'

/** Version of journals whose entries had neither number nor checksum. */
const UNSEALED_VERSION = 2

/**
 * The entries of a chat in the order of their numbers, if they are whole: one that is not as it was written, a number that
 * is missing or comes twice is refused with `invalid-state` and the place.
 */
export function checkedEntries(entries: readonly JournalEntry[]): JournalEntry[] {
  refuseUnsealed(entries)
  const numbered: JournalEntry[] = []
  for (const [index, entry] of entries.entries()) {
    checkChecksum(entry, index)
    if (entry.seq !== undefined) numbered.push(entry)
    else if (entry.kind !== 'decision') throw damaged(`${named(entry, index)} has no number`, entry)
  }
  const inOrder = numbered.every(({ seq }, index) => seq === index)
  if (inOrder) return [...entries]
  const order = numbered.toSorted((one, other) => one.seq! - other.seq!)
  for (const [index, entry] of order.entries()) checkNumber(entry, index, order[index - 1])
  return [...order, ...entries.filter(({ seq }) => seq === undefined)]
}

/** Refuses an entry that is not as it was written. */
export function checkChecksum(entry: JournalEntry, index: number): void {
  if (entry.checksum === checksumOf(entry)) return
  const problem = entry.checksum === undefined ? 'has no checksum' : 'is not as it was written: its checksum differs'
  throw damaged(`${named(entry, index)} ${problem}`, entry)
}

/** Refuses entries of an older version by its number. */
export function refuseUnsealed(entries: readonly Partial<JournalEntry>[]): void {
  if (entries.length === 0 || entries.some((entry) => entry?.checksum !== undefined)) return
  throw unknownVersion('chat', UNSEALED_VERSION)
}

function checkNumber(entry: JournalEntry, expected: number, before: JournalEntry | undefined): void {
  if (entry.seq === expected) return
  const { seq, place } = entry
  const text =
    seq! < expected
      ? `number ${seq} comes twice, at \`${before!.place}\` and at \`${place}\``
      : `number ${expected} is missing, before number ${seq} at \`${place}\``
  throw damaged(text, entry)
}

const named = ({ place, kind, seq }: JournalEntry, index: number): string =>
  `entry ${seq ?? index} at \`${place}\` (kind \`${kind}\`)`

/** The error for entries that are not those that were written. */
const damaged = (problem: string, { place, seq }: JournalEntry): XError =>
  new XError('invalid-state', `the journal of a chat is damaged: ${problem}; restore it from a copy`, {
    details: { place, ...(seq !== undefined && { seq }) },
  })
