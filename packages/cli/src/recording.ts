import { existsSync, mkdirSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { printable } from '@x/agent'
import type { RunTracer } from '@x/interfaces'
import { openRecords, type Records, type RecordsOptions } from '@x/records'

/** Days for which `x` keeps the runs that it records in its usual file. */
const KEEP_DAYS = 30
/** Bounds that remove no run: a file that a person names is theirs. */
export const KEEP_ALL: Pick<RecordsOptions, 'keepDays' | 'maxBytes'> = {
  keepDays: 1e8,
  maxBytes: Number.MAX_SAFE_INTEGER,
}

/** The environment of a program. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Returns the folder in which `x` keeps the state of a person; `home` gives the folder of the person, as the environment names it. */
export const stateFolder = (env: Environment, home: () => string = homedir): string =>
  // An empty one would be the folder in which the command runs.
  join(env['XDG_STATE_HOME'] || join(home() || userInfo().homedir, '.local', 'state'), 'x')

/** Returns the file in which `x` records runs unless another one is named. */
export const defaultRecordsFile = (env: Environment): string => join(stateFolder(env), 'runs.db')

/** A person's choice of a file of records: its path, true for the usual one, false or undefined for none. */
export type RecordChoice = string | boolean | undefined

/** Opens the records that a command writes; null if it does not record. */
function openRecording(choice: RecordChoice, env: Environment): Records | null {
  if (choice === undefined || choice === false) return null
  const file = choice === true ? defaultRecordsFile(env) : choice
  const folder = dirname(file)
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  return openRecords({ file, ...(choice === true ? { keepDays: KEEP_DAYS } : KEEP_ALL) })
}

/**
 * Runs a command with the tracer that it records by, if it does, and the records themselves; writes what waits when the command has
 * ended.
 */
export async function whileRecording<T>(
  {
    choice,
    tags,
    env,
  }: { readonly choice: RecordChoice; readonly tags: Readonly<Record<string, string>>; readonly env: Environment },
  act: (tracer: RunTracer | undefined, records: Records | undefined) => Promise<T>,
): Promise<T> {
  const records = openRecording(choice, env)
  try {
    return await act(records?.tagged(tags), records ?? undefined)
  } finally {
    records?.close()
  }
}

/** The records of a chat, and what the person is told of them before it begins. */
export interface ChatRecording {
  /** Null if the chat is not recorded. */
  readonly records: Records | null
  /** A line or two; empty if there is nothing to say. */
  readonly notice: string
}

/**
 * Opens the records of a chat, which is recorded unless the person says otherwise. A usual file that cannot be written is told,
 * and the chat goes on without it; one that the person names has to be there.
 */
export function openChatRecording(choice: RecordChoice, env: Environment): ChatRecording {
  if (choice === false || (choice === undefined && env['X_NO_RECORD'])) return { records: null, notice: '' }
  const file = typeof choice === 'string' ? choice : defaultRecordsFile(env)
  try {
    const records = openRecording(choice ?? true, env)
    return { records, notice: noticeOf(file, typeof choice !== 'string') }
  } catch (error) {
    if (typeof choice === 'string') throw error
    const reason = printable(error instanceof Error ? error.message : String(error))
    return { records: null, notice: `This chat is not recorded: ${reason}` }
  }
}

const noticeOf = (file: string, isUsual: boolean): string =>
  `Recorded in ${printable(file)}, which only you may read${isUsual ? `, for ${KEEP_DAYS} days` : ''}; \`x log\` shows it.\n` +
  'To switch that off: --no-record, or X_NO_RECORD=1 in the environment.'
