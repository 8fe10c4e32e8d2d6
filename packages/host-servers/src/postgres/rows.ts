import type { HostedChat } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { readStoredChat } from '@x/kernel/hosting'
import type { Row } from './postgres-client.ts'

/** The time of the server in milliseconds since 1970. */
export const NOW_SQL = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Makes the commit of the current statement asynchronous: a server that crashes may lose its change. */
export const ASYNC_COMMIT_SQL = "set_config('synchronous_commit', 'off', true)"

/** Makes the commit asynchronous if none of the chats has to be durable, in a SELECT from the changed chats. */
export const ASYNC_COMMIT_UNLESS_DURABLE_SQL: string = `CASE WHEN NOT bool_or(durable) OVER () THEN ${ASYNC_COMMIT_SQL} END`

/** True if an error was caused by a value of a statement, and not by the server: classes 22 and 23 of SQLSTATE. */
export const isValueError = (error: unknown): boolean =>
  /^2[23]/u.test(String((error as { code?: unknown } | null)?.code))

/**
 * True if an error leaves open whether its statement was executed, or comes from a server that is starting, ending or was
 * demoted. All other errors of a server have an SQLSTATE, and no SQLSTATE begins with `E`, as the codes of Node do.
 */
export function isConnectionError(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code)
  return !isXError(error) && (!/^[0-9A-DF-Z][0-9A-Z]{4}$/u.test(code) || /^(?:08|57P|25006)/u.test(code))
}

/** Columns of a chat. They are listed, because a prepared statement with `*` fails after a column was added. */
export const CHAT_COLUMNS_SQL =
  'id, name, version, input, state, epoch, turn, heard, length, submitted, due, ended, outcome, setbacks, reason, queued, retry_kind, retry_since, retries, wakes, tags, tenant, priority'

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

/** Reads the chat that a statement changed; null when it changed none. */
export const readChanged = ([row]: readonly Row[]): HostedChat | null => (row ? readChat(row) : null)
