import type { ChatClaim, EventLog, LoggedEvent, XEvent } from '@x/interfaces'
import { readJson, writeJson } from '../stored-json.ts'
import type { PostgresClient } from './postgres-client.ts'

/** Keeps events in a table of Postgres, numbered by chat: numbers of a sequence may be seen out of order. */
export class PostgresEvents implements EventLog {
  readonly #db: PostgresClient
  readonly #channel: string

  constructor(db: PostgresClient, channel: string) {
    this.#db = db
    this.#channel = channel
  }

  async append({ id, epoch }: ChatClaim, events: readonly XEvent[]): Promise<boolean> {
    const rows = await this.#db.rows(
      `WITH held AS (SELECT id FROM chats WHERE id = $1 AND epoch = $2 AND state = 'running' FOR UPDATE), added AS (
         INSERT INTO events (chat, n, json)
         SELECT id, coalesce((SELECT max(n) FROM events WHERE chat = $1), 0) + place, json
         FROM held, unnest($3::text[]) WITH ORDINALITY AS given (json, place)
       ) SELECT pg_notify('${this.#channel}', id) FROM held`,
      ...[id, epoch, events.map(writeJson)],
    )
    return rows.length > 0
  }

  async read(id: string, after: string | null, limit: number): Promise<readonly LoggedEvent[]> {
    const sql = 'SELECT n, json FROM events WHERE chat = $1 AND n > $2 ORDER BY n LIMIT $3'
    const rows = await this.#db.rows(sql, id, after ?? '0', limit)
    return rows.map(({ n, json }) => ({ cursor: String(n), event: readJson(json) as XEvent }))
  }

  async delete(id: string): Promise<void> {
    await this.#db.rows('DELETE FROM events WHERE chat = $1', id)
  }
}
