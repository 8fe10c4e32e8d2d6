import type { JournalEntry, PendingQuestion } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredEntry } from '@x/kernel/hosting'

/** Writes a value as JSON; one that JSON leaves out is null. */
export const writeJson = (value: unknown): string => JSON.stringify(value) ?? 'null'

/** Reads JSON that a store has as text. */
export const readJson = (text: unknown): unknown => JSON.parse(text as string) as unknown

/** The identity of an entry in its journal, of characters that every store takes. */
export const identityOf = ({ place, kind, name }: JournalEntry): string =>
  JSON.stringify(name === undefined ? [place, kind] : [place, kind, name])

/** Reads a question that waits; its entry is null where it cannot be read. */
export function readQuestion(chat: string, text: unknown, cursor: string): PendingQuestion {
  try {
    return { chat, entry: readStoredEntry(chat, text), cursor }
  } catch {
    return { chat, entry: null, cursor }
  }
}

/** Makes the error for a store whose counter of claims has reached its end, or is not one. */
export const noCounter = (where: string): XError =>
  new XError(
    'invalid-state',
    `no chat can be taken up: the counter of claims \`${where}\` is not a number that can grow; restore it from a copy`,
  )
