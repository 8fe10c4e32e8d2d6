import type { ChatOutcome, HostedChat, HostedChatState } from '@x/interfaces'
import type { Row } from './database.ts'

/** Columns of a chat. */
export const CHAT = 'id, name, version, input, state, epoch, turn, heard, submitted, due, ended, outcome'

/** Reads a chat from its row. */
export const readChat = (row: Row): HostedChat => ({
  id: row['id'] as string,
  name: row['name'] as string,
  version: row['version'] as string,
  input: readJson(row, 'input'),
  at: row['due'] as number,
  state: row['state'] as HostedChatState,
  epoch: row['epoch'] as number,
  turn: row['turn'] as number,
  submittedAt: row['submitted'] as number,
  endedAt: row['ended'] as number | null,
  outcome: row['outcome'] === null ? null : (readJson(row, 'outcome') as ChatOutcome),
})

/** Reads a column of JSON. */
export const readJson = (row: Row, column = 'json'): unknown => JSON.parse(row[column] as string) as unknown

/** Writes a value as JSON; one that JSON leaves out is null. */
export const writeJson = (value: unknown): string => JSON.stringify(value) ?? 'null'
