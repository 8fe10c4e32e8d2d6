import type { JournalEntry } from '@x/interfaces'

/** Writes a value as JSON; one that JSON leaves out is null. */
export const writeJson = (value: unknown): string => JSON.stringify(value) ?? 'null'

/** Reads JSON that a store has as text. */
export const readJson = (text: unknown): unknown => JSON.parse(text as string) as unknown

/** The identity of an entry in its journal, of characters that every store takes. */
export const identityOf = ({ place, kind, name }: JournalEntry): string =>
  JSON.stringify(name === undefined ? [place, kind] : [place, kind, name])
