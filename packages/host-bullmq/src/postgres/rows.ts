import type { ChatOutcome, HostedChat, HostedChatState, JournalEntry } from '@x/interfaces'
import { readJson } from '../stored-json.ts'
import type { Row } from './postgres-client.ts'

/** The time of the server in milliseconds since 1970. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Lets the change that a statement makes be confirmed before it is on the disk: a server that goes down may forget it. */
export const WITHOUT_WAITING = "set_config('synchronous_commit', 'off', true)"

/** Columns of a chat. They are named, since a prepared statement of `*` fails when a column is added. */
export const CHAT = 'id, name, version, input, state, epoch, turn, heard, length, submitted, due, ended, outcome'

/** Reads a chat from its row; whole numbers of 64 bits come as text. */
export const readChat = (row: Row): HostedChat => ({
  id: row['id'] as string,
  name: row['name'] as string,
  version: row['version'] as string,
  input: readJson(row['input']),
  at: Number(row['due']),
  state: row['state'] as HostedChatState,
  epoch: Number(row['epoch']),
  turn: Number(row['turn']),
  submittedAt: Number(row['submitted']),
  endedAt: row['ended'] === null ? null : Number(row['ended']),
  outcome: row['outcome'] === null ? null : (readJson(row['outcome']) as ChatOutcome),
})

/** Reads a chat that was changed, if one was. */
export const readFound = ([row]: readonly Row[]): HostedChat | null => (row ? readChat(row) : null)

/** Reads an entry from its row. */
export const readEntry = (row: Row): JournalEntry => readJson(row['json']) as JournalEntry
