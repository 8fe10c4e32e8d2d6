import type { ChatKind, JournalEntry, PendingQuestion } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkpointIn, readStoredEntry } from '@x/kernel/hosting'

/** Writes a value as JSON; a value that JSON leaves out becomes null. */
export const writeJson = (value: unknown): string => JSON.stringify(value) ?? 'null'

/** Reads JSON from the text of a store. */
export const readJson = (text: unknown): unknown => JSON.parse(text as string) as unknown

/** Writes a program and its version as one text; neither contains an `@`. */
export const kindName = ({ name, version }: ChatKind): string => `${name}@${version}`

/** Reads a text of {@link kindName}. */
export function readKindName(text: string): ChatKind {
  const [name = '', version = ''] = text.split('@')
  return { name, version }
}

/** Writes the identity of an entry in its journal, in characters that every store accepts. */
export const identityOf = ({ place, kind, name }: JournalEntry): string =>
  JSON.stringify(name === undefined ? [place, kind] : [place, kind, name])

/** Returns the last checkpoint among entries, with the identity of its entry; all parts are null without one. */
export function storedCheckpoint(entries: readonly JournalEntry[]): {
  readonly identity: string | null
  readonly seq: number | null
  readonly messages: number | null
} {
  const checkpoint = checkpointIn(entries)
  if (!checkpoint) return { identity: null, seq: null, messages: null }
  const { index, seq, messages } = checkpoint
  return { identity: identityOf(entries[index]!), seq, messages }
}

/** Returns who has made a decision, as its entry says it; null for any other entry. */
export const decidedBy = ({ kind, value }: JournalEntry): string | null =>
  kind === 'decision' ? ((value as { by?: string } | null)?.by ?? null) : null

/** Reads a pending question; null stands for a damaged entry. */
export function readQuestion(chat: string, text: unknown, cursor: string): PendingQuestion {
  try {
    return { chat, entry: readStoredEntry(chat, text), cursor }
  } catch {
    return { chat, entry: null, cursor }
  }
}

/** Makes the error for a store with a counter of claims that has reached its maximum or is damaged. */
export const claimCounterError = (counter: string): XError =>
  new XError(
    'invalid-state',
    `cannot claim a chat: the counter of claims \`${counter}\` is not a number that can grow; restore it from a backup`,
  )
