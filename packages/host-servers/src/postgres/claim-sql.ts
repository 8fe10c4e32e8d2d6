import { ASYNC_COMMIT_SQL, ASYNC_COMMIT_UNLESS_DURABLE_SQL, CHAT_COLUMNS_SQL, NOW_SQL } from './rows.ts'

/** The time of the server as a value of the whole statement, by which an index can be read. */
const ONE_NOW_SQL = `(SELECT ${NOW_SQL})`

/**
 * Conditions: a chat that waits, or that waits to retry, may be claimed; so may one whose time has come, and a running chat
 * because its lease has expired. A time in the future, other than one that was asked for, was written before the clock was set
 * back, and does not count.
 */
const TIMED_CLAIMABLE_SQL = `wakes <= ${ONE_NOW_SQL} AND state IN ('waiting', 'suspended') AND ended IS NULL`
const WAITING_CLAIMABLE_SQL = `state = 'waiting' AND wakes IS NULL AND (queued + patience <= ${NOW_SQL} OR queued > ${NOW_SQL}) AND ended IS NULL`
const RETRY_TIMED_SQL = `state = 'waiting-to-retry' AND queued <= ${ONE_NOW_SQL} AND ended IS NULL`
const RETRY_CLAIMABLE_SQL = `state = 'waiting-to-retry' AND (queued <= ${NOW_SQL} OR queued > ${NOW_SQL} + patience) AND ended IS NULL`
const RUNNING_CLAIMABLE_SQL = `state = 'running' AND (lease + patience <= ${NOW_SQL} OR lease > ${NOW_SQL} + leased) AND ended IS NULL`

/** Setbacks in a row of a chat, without the current one. An entry saved since the last setback ends the row. */
export const SETBACKS_SQL = 'CASE length WHEN kept THEN setbacks ELSE 0 END'

/**
 * Returns the milliseconds for which a chat is not claimed after a number of setbacks in a row: an exponential backoff with
 * jitter, from the third setback on and up to 15 minutes. Each chat gets another jitter each time, so that a chat that kills
 * its worker does not always take the same chats with it.
 */
export const backoffSql = (setbacks: string): string =>
  `(CASE WHEN ${setbacks} > 2 THEN least(900000, 1000 * 2 ^ least(${setbacks}, 20)) * (0.5 + random() / 2) ELSE 0 END)::bigint`

/** Returns the identifier of the chat that a part is a part of, from its own. */
const parentSql = (part: string): string => `regexp_replace(${part}.id, '/part-[^/]*$', '')`

/** Columns of a chat that is free to be claimed, for {@link claimSql}. */
const FREE_COLUMNS_SQL = `id AS chat, state AS before, ${SETBACKS_SQL} + (state = 'running')::int AS lost`

/** Claims the chats of the subquery `free`, which has locked them, for a lease of milliseconds. */
const claimSql = (lease: string): string => `
  UPDATE chats SET state = 'running', wakes = NULL, epoch = nextval('epochs'), lease = ${NOW_SQL} + ${lease}, leased = ${lease},
    setbacks = lost, kept = length, patience = ${backoffSql('lost')},
    retry_kind = CASE length WHEN kept THEN retry_kind END, retry_since = CASE length WHEN kept THEN retry_since END,
    retries = CASE length WHEN kept THEN retries ELSE 0 END FROM free
  WHERE id = chat RETURNING ${CHAT_COLUMNS_SQL}, ${NOW_SQL} AS now, checkpoint, entries_before, messages_before, last_message, before`

/** Claims the chat `$1` for `$2` milliseconds; `$3` is the chat that it is a part of, which the result says to be open. */
export const CLAIM_SQL: string = `
WITH free AS (
  SELECT ${FREE_COLUMNS_SQL} FROM chats
  WHERE id = $1 AND (${WAITING_CLAIMABLE_SQL} OR ${TIMED_CLAIMABLE_SQL} OR ${RETRY_CLAIMABLE_SQL} OR ${RUNNING_CLAIMABLE_SQL}) FOR UPDATE
) ${claimSql('$2')}, EXISTS (SELECT FROM chats WHERE id = $3 AND ended IS NULL) AS open,
  CASE WHEN NOT durable THEN ${ASYNC_COMMIT_SQL} END`

/** A subquery that locks chats of the program `a` in the version `b` for a claim, `$3` at most; it waits for no lock of others. */
const lockedSql = (condition: string, order: string): string => `
  SELECT * FROM (
    SELECT ${FREE_COLUMNS_SQL}, priority, queued FROM chats
    WHERE name = a AND version = b AND ${condition} ORDER BY ${order} LIMIT $3 FOR UPDATE SKIP LOCKED
  ) AS locked`

/**
 * Claims the next chats of the programs `$1` in their versions `$2`, at most `$3` of them, for `$4` milliseconds. With
 * `$5`, all running chats and chats that wait to retry are read: the lease of one may have expired, or the clock was
 * set back after its time was written. Without it, only chats are read whose time has come.
 */
export const CLAIM_NEXT_SQL: string = `
WITH free AS (
  SELECT chat, before, lost FROM unnest($1::text[], $2::text[]) AS kinds (a, b) CROSS JOIN LATERAL (
    ${lockedSql(WAITING_CLAIMABLE_SQL, 'priority DESC, queued')}
    UNION ALL ${lockedSql(TIMED_CLAIMABLE_SQL, 'wakes')}
    UNION ALL ${lockedSql(`NOT $5::boolean AND ${RETRY_TIMED_SQL}`, 'priority DESC, queued')}
    UNION ALL ${lockedSql(`$5 AND ${RETRY_CLAIMABLE_SQL}`, 'priority DESC, queued')}
    UNION ALL ${lockedSql(`$5 AND ${RUNNING_CLAIMABLE_SQL}`, 'lease')}
  ) AS found ORDER BY priority DESC, queued LIMIT $3
), changed AS (
  ${claimSql('$4')}, durable, CASE WHEN NOT durable THEN EXISTS (
    SELECT FROM chats AS whole WHERE whole.id = ${parentSql('chats')} AND ended IS NULL
  ) END AS open
)
SELECT *, ${ASYNC_COMMIT_UNLESS_DURABLE_SQL} FROM changed ORDER BY priority DESC, queued`

/** Lists the chats of the programs `$1` in their versions `$2` that may be claimed, longest wait first. */
export const dueSql = (limit: number): string => `
SELECT found.* FROM unnest($1::text[], $2::text[]) AS kinds (a, b) CROSS JOIN LATERAL (
  (SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE name = a AND version = b AND ${WAITING_CLAIMABLE_SQL}
   ORDER BY priority DESC, queued LIMIT ${limit})
  UNION ALL
  (SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE name = a AND version = b AND ${RETRY_CLAIMABLE_SQL}
   ORDER BY priority DESC, queued LIMIT ${limit})
  UNION ALL
  (SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE name = a AND version = b AND ${TIMED_CLAIMABLE_SQL}
   ORDER BY wakes LIMIT ${limit})
  UNION ALL
  SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE name = a AND version = b AND ${RUNNING_CLAIMABLE_SQL}
) AS found ORDER BY priority DESC, queued LIMIT ${limit}`

/** Lists chats that have ended, or were deleted, before their parts were: their worker died between the two. `$1`: milliseconds since. */
export const leftParentsSql = (limit: number): string => `
SELECT DISTINCT parent FROM chats AS part, ${parentSql('part')} AS parent
WHERE NOT part.durable AND part.ended <= ${NOW_SQL} - $1::bigint AND parent <> part.id AND NOT EXISTS (
  SELECT FROM chats AS whole WHERE whole.id = parent AND (whole.ended IS NULL OR whole.state = 'failed')
) LIMIT ${limit}`
