import type { HostedChat } from '@x/interfaces'
import { readStoredChat } from '@x/kernel/hosting'
import type { Row } from './postgres-client.ts'

/** The time of the server in milliseconds since 1970. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Lets the change that a statement makes be confirmed before it is on the disk: a server that goes down may forget it. */
export const WITHOUT_WAITING = "set_config('synchronous_commit', 'off', true)"

/** Whether an error comes of a value in a statement and not of the server: classes 22 and 23 of SQLSTATE. */
export const isOfOne = (error: unknown): boolean => /^2[23]/u.test(String((error as { code?: unknown } | null)?.code))

/** Columns of a chat. They are named, since a prepared statement of `*` fails when a column is added. */
export const CHAT =
  'id, name, version, input, state, epoch, turn, heard, length, submitted, due, ended, outcome, setbacks, reason'

/** Reads a chat from its row. */
export const readChat = ({ due, submitted, ended, ...row }: Row): HostedChat =>
  readStoredChat({ ...row, at: due, submittedAt: submitted, endedAt: ended } as never)

/** Reads a chat that was changed, if one was. */
export const readFound = ([row]: readonly Row[]): HostedChat | null => (row ? readChat(row) : null)
