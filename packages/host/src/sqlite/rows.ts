import type { HostedChat } from '@x/interfaces'
import { readStoredChat } from '@x/kernel/hosting'
import type { Row } from './database.ts'

/**
 * Columns of a chat. Numbers are cast to REAL, because `node:sqlite` throws for an integer that is not safe in JavaScript,
 * and a damaged file may hold one.
 */
export const CHAT_COLUMNS_SQL: string = `id, name, version, input, state, outcome, reason, ${[
  ...['epoch', 'turn', 'due', 'submitted', 'ended', 'setbacks', 'heard', 'length'],
]
  .map((column) => `CAST(${column} AS REAL) AS ${column}`)
  .join(', ')}`

/** Reads a chat from its row. */
export const readChat = ({ due, submitted, ended, ...row }: Row): HostedChat =>
  readStoredChat({ ...row, at: due, submittedAt: submitted, endedAt: ended } as never)

/** Writes a value as JSON; a value that JSON leaves out becomes null. */
export const writeJson = (value: unknown): string => JSON.stringify(value) ?? 'null'
