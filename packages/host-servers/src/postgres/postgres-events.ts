import type { ChatClaim, EventLog, LoggedEvent, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredEvents } from '@x/kernel/hosting'
import type { PostgresClient } from './postgres-client.ts'
import type { PostgresWrites } from './postgres-writes.ts'
import { ASYNC_COMMIT_SQL, NOW_SQL } from './rows.ts'

/**
 * Keeps events in a table of Postgres; events that are appended together share a row. Events are numbered by chat, because
 * numbers of a sequence can become visible out of order; the number of a row is that of its last event.
 */
export class PostgresEvents implements EventLog {
  readonly #db: PostgresClient
  readonly #writes: PostgresWrites

  constructor(db: PostgresClient, writes: PostgresWrites) {
    this.#db = db
    this.#writes = writes
  }

  async append({ id, epoch }: ChatClaim, events: readonly XEvent[]): Promise<{ followed: boolean } | null> {
    const written = await this.#writes.write({ claim: { id, epoch }, entries: [], events })
    return written && { followed: written.followed }
  }

  async read(id: string, after: string | null, limit: number): Promise<readonly LoggedEvent[]> {
    const fromNumber = readCursor(after)
    const events: LoggedEvent[] = []
    for (const { n, json } of await this.#db.rows(READ_SQL, id, fromNumber, fromNumber + limit)) {
      const rowEvents = readStoredEvents(id, json)
      for (const [index, event] of rowEvents.entries()) {
        const number = Number(n) - rowEvents.length + 1 + index
        if (number > fromNumber) events.push({ cursor: String(number), event })
      }
    }
    return events.slice(0, limit)
  }

  async readLast(id: string, limit: number): Promise<readonly XEvent[]> {
    const rows = await this.#db.rows('SELECT json FROM events WHERE chat = $1 ORDER BY n DESC LIMIT $2', id, limit)
    return rows.toReversed().flatMap(({ json }) => readStoredEvents(id, json))
  }

  async follow(ids: readonly string[], seconds: number): Promise<void> {
    if (ids.length > 0) await this.#db.rows(FOLLOW_SQL, ids, Math.round(seconds * 1000))
  }

  async followed(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return []
    const sql = `SELECT id FROM chats WHERE id = ANY($1::text[]) AND followed > ${NOW_SQL}`
    return (await this.#db.rows(sql, ids)).map(({ id }) => id as string)
  }

  async revisions(ids: readonly string[]): Promise<readonly (string | null)[]> {
    if (ids.length === 0) return []
    const rows = await this.#db.rows(REVISIONS_SQL, ids)
    const revisions = new Map(rows.map(({ id, revision }) => [id, revision as string]))
    return ids.map((id) => revisions.get(id) ?? null)
  }
}

/** Reads the rows behind a number of an event, up to that in which another number stands. */
const READ_SQL = `
SELECT n, json FROM events WHERE chat = $1 AND n > $2::bigint
  AND n <= coalesce((SELECT min(n) FROM events WHERE chat = $1 AND n >= $3::bigint), $3::bigint) ORDER BY n`

/** Locks rows in the order of their identifiers, so that statements cannot deadlock. A follower that a crash loses comes again. */
const FOLLOW_SQL = `
WITH wanted AS (SELECT id AS chat FROM chats WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE), changed AS (
  UPDATE chats SET followed = ${NOW_SQL} + $2::bigint FROM wanted WHERE id = chat RETURNING id
)
SELECT ${ASYNC_COMMIT_SQL} FROM (SELECT count(*) FROM changed) AS done`

/** Reads the revisions of chats: each change that counts changes one of these columns. */
const REVISIONS_SQL = `
SELECT id, concat_ws(' ', state, epoch, turn, heard, length, sent, submitted) AS revision
FROM chats WHERE id = ANY($1::text[])`

/** Reads a cursor: the number of an event in its chat. */
function readCursor(after: string | null): number {
  if (after === null) return 0
  if (/^\d{1,15}$/u.test(after)) return Number(after)
  throw new XError('invalid-argument', 'cannot read events: `after` is not a cursor from `events`')
}
