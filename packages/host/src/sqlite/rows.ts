import type { HostedChat } from '@x/interfaces'
import { readStoredChat } from '@x/kernel/hosting'
import type { Row } from './database.ts'

/** Columns of a chat. Numbers are read as such whatever is there: a whole one that JavaScript has not would be an error. */
export const CHAT: string = `id, name, version, input, state, outcome, reason, ${[
  ...['epoch', 'turn', 'due', 'submitted', 'ended', 'setbacks', 'heard', 'length'],
]
  .map((column) => `CAST(${column} AS REAL) AS ${column}`)
  .join(', ')}`

/** Reads a chat from its row. */
export const readChat = ({ due, submitted, ended, ...row }: Row): HostedChat =>
  readStoredChat({ ...row, at: due, submittedAt: submitted, endedAt: ended } as never)

/** Writes a value as JSON; one that JSON leaves out is null. */
export const writeJson = (value: unknown): string => JSON.stringify(value) ?? 'null'
