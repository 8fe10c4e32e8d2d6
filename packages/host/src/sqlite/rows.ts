import type { HostedChat } from '@x/interfaces'
import { readStoredChat } from '@x/kernel/hosting'
import type { Row } from './database.ts'

/**
 * Columns of a chat. Numbers are cast to REAL, because `node:sqlite` throws for an integer that is not safe in JavaScript,
 * and a damaged file may hold one.
 */
export const CHAT_COLUMNS_SQL: string = `id, name, version, input, state, outcome, reason, retry_kind, tags, tenant, ${[
  ...[
    'epoch',
    'turn',
    'due',
    'submitted',
    'ended',
    'setbacks',
    'heard',
    'length',
    'queued',
    'retry_since',
    'retries',
    'wakes',
    'priority',
  ],
]
  .map((column) => `CAST(${column} AS REAL) AS ${column}`)
  .join(', ')}`

/** Reads a chat from its row. */
export const readChat = ({ due, submitted, ended, wakes, retry_kind, retry_since, ...row }: Row): HostedChat =>
  readStoredChat({
    ...row,
    at: due,
    submittedAt: submitted,
    endedAt: ended,
    wakesAt: row['state'] === 'suspended' ? wakes : null,
    retryKind: retry_kind,
    retrySince: retry_since,
  } as never)

/** Writes a value as JSON; a value that JSON leaves out becomes null. */
export const writeJson = (value: unknown): string => JSON.stringify(value) ?? 'null'

/** Replaces the character at which Node 22 ends a text that it reads; in JSON it is escaped. */
export const storableText = (text: string): string => text.replaceAll('\0', '\ufffd')
