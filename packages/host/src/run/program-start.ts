import { ChatJournal, type ChatJournalOptions } from '@x/agent'
import type { ChatOutcome, JournalEntry } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { unescapeTexts } from '@x/kernel/run'
import type { DefinedChat, SavedState } from '../defined-chat.ts'
import { failureOf } from './retry.ts'

/** The values with which a program begins. */
export interface ProgramInput {
  readonly input: unknown
  readonly state: unknown
}

/** Makes the outcome of a chat whose program has failed. */
export function failedBy(error: unknown): ChatOutcome {
  const kind = failureOf(error)?.kind
  const code = isXError(error) ? error.code : null
  return { state: 'failed', error: { code, message: messageOf(error), ...(kind && { kind }) } }
}

/**
 * Returns the input and the state as the program gets them. They are refused if they are those of another program of this name
 * and version.
 */
export async function readInput(
  definition: DefinedChat,
  submitted: unknown,
  entries: readonly JournalEntry[],
): Promise<ProgramInput | { readonly refused: string }> {
  try {
    return await beginProgram(definition, submitted, entries)
  } catch (error) {
    return { refused: messageOf(error) }
  }
}

/** Returns what a program begins with, from the checkpoint with which the entries begin. Fails where it does not fit the program. */
export async function beginProgram(
  { check, begin }: DefinedChat,
  submitted: unknown,
  [first]: readonly JournalEntry[],
): Promise<ProgramInput> {
  const input = await check(submitted)
  const saved = first?.kind === 'checkpoint' ? (unescapeTexts(first.value) as SavedState) : null
  return { input, state: await begin(saved, input) }
}

/** Makes the journal of a chat from its entries. */
export const loadJournal = (entries: readonly JournalEntry[], options: ChatJournalOptions = {}): ChatJournal =>
  ChatJournal.load({ ...new ChatJournal().saveState(), entries }, { ...options, trusted: true })

/** True if the journal has refused the program because another program wrote it. */
export const isOfAnotherProgram = (error: unknown): error is XError =>
  isXError(error, 'invalid-state') &&
  typeof error.details?.['place'] === 'string' &&
  error.details['place'] !== FIRST_PLACE &&
  Object.hasOwn(error.details, 'saved')

/** True if a release wrote the checkpoint of a chat that this one does not read: another worker may. */
export const isOfNewerRelease = (error: unknown): error is XError =>
  isXError(error, 'unknown-state-version') && error.details?.['kind'] === 'checkpoint'

/** Place of the journal entry that names the run and version. */
const FIRST_PLACE = '0'

/** Returns the text of an error of a program, which may be any value. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'the program has thrown a value that cannot be converted to text'
  }
}
