import type { JournalEntry } from '@x/interfaces'
import { checkOptions, kind } from '@x/kernel/options'
import { newRunId } from '../run/platform.ts'
import { checkedEntries } from './checked-entries.ts'
import { sealEntry } from './entry-seal.ts'
import { escapeTexts } from './entry-text.ts'
import { RUN_PLACE } from './saved-shapes.ts'

/**
 * The entries of a chat up to a place, for a chat that goes another way from there: what stands at the place or behind it
 * is left out, and what was open there is open again. The run has an identifier of its own. Entries that are not as they
 * were written are refused with `invalid-state` and the place.
 */
export function fork(
  entries: Iterable<JournalEntry>,
  place: string,
  options: { readonly runId?: string | undefined } = {},
): JournalEntry[] {
  checkOptions(options, { runId: kind.text }, 'run `fork`')
  const { runId = newRunId() } = options
  const cut = placeNumbers(place)
  const left = checkedEntries([...entries]).flatMap((entry) => {
    if (entry.place === RUN_PLACE)
      return [{ ...entry, value: { ...(entry.value as object), runId: escapeTexts(runId) } }]
    return isBefore(placeNumbers(entry.place), cut) ? [entry] : []
  })
  let seq = 0
  return left.map((entry) => sealEntry(entry, entry.seq === undefined ? undefined : seq++))
}

/** A place as the numbers it is made of. */
const placeNumbers = (place: string): number[] => place.split('.').map(Number)

/** Whether a call had answered before another began: it stands further up, and is not what the other is a part of. */
function isBefore(place: readonly number[], cut: readonly number[]): boolean {
  for (const [depth, number] of place.entries()) {
    if (depth === cut.length) return false
    if (number !== cut[depth]) return number < cut[depth]!
  }
  return false
}
