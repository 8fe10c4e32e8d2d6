import type { ChatClaim, EventLog, LoggedEvent, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredEvents } from '@x/kernel/hosting'
import type { Database } from './database.ts'
import { writeJson } from './rows.ts'
import type { WriteBatcher } from './write-batcher.ts'

/** Rows that are read at once: one may have as many events as a page. */
const ROWS_PER_READ = 8

/** Keeps events in a table of a SQLite file; events that are appended together share a row. */
export class SqliteEvents implements EventLog {
  readonly #db: Database
  readonly #writes: WriteBatcher
  readonly #now: () => number
  readonly #onChange: (id: string) => void

  constructor(db: Database, writes: WriteBatcher, now: () => number, onChange: (id: string) => void) {
    this.#db = db
    this.#writes = writes
    this.#now = now
    this.#onChange = onChange
  }

  async append({ id, epoch }: ChatClaim, events: readonly XEvent[]): Promise<{ followed: boolean } | null> {
    const claimed = await this.#writes.add(() => {
      const sql = "SELECT followed FROM chats WHERE id = ? AND epoch = ? AND state = 'running'"
      const row = this.#db.row(sql, id, epoch)
      if (row) addEvents(this.#db, id, events)
      return row
    })
    if (!claimed) return null
    const followed = Number(claimed['followed']) > this.#now()
    // Readers that do not follow the chat compare revisions.
    if (followed) this.#onChange(id)
    return { followed }
  }

  read(id: string, after: string | null, limit: number): readonly LoggedEvent[] {
    const [fromRow, fromIndex] = readCursor(after)
    const sql = 'SELECT n, json FROM events WHERE chat = ? AND n >= ? ORDER BY n LIMIT ?'
    const events: LoggedEvent[] = []
    for (let from = fromRow; ;) {
      const rows = this.#db.rows(sql, id, from, ROWS_PER_READ)
      for (const row of rows) {
        const n = row['n'] as number
        for (const [index, event] of readStoredEvents(id, row['json']).entries()) {
          if (n > fromRow || index > fromIndex) events.push({ cursor: `${n}.${index}`, event })
        }
      }
      if (events.length >= limit || rows.length < ROWS_PER_READ) return events.slice(0, limit)
      from = Number(rows.at(-1)!['n']) + 1
    }
  }

  readLast(id: string, limit: number): readonly XEvent[] {
    const rows = this.#db.rows('SELECT json FROM events WHERE chat = ? ORDER BY n DESC LIMIT ?', id, limit)
    return rows.toReversed().flatMap(({ json }) => readStoredEvents(id, json))
  }

  follow(ids: readonly string[], seconds: number): void {
    const until = this.#now() + seconds * 1000
    this.#db.transaction(() => {
      for (const id of ids) this.#db.run('UPDATE chats SET followed = ? WHERE id = ?', until, id)
    })
  }

  followed(ids: readonly string[]): readonly string[] {
    const now = this.#now()
    return ids.filter((id) => this.#db.row('SELECT 1 FROM chats WHERE id = ? AND followed > ?', id, now))
  }

  revisions(ids: readonly string[]): readonly (string | null)[] {
    return ids.map((id) => (this.#db.row(REVISION_SQL, id)?.['revision'] as string | undefined) ?? null)
  }
}

/** Reads the revision of a chat: each change that counts changes one of these columns, or adds events. */
const REVISION_SQL = `
SELECT state || ' ' || epoch || ' ' || turn || ' ' || heard || ' ' || length || ' ' || submitted || ' ' ||
  coalesce((SELECT max(n) FROM events WHERE chat = chats.id), 0) AS revision
FROM chats WHERE id = ?`

/** Adds events of a chat as one row; call it inside a transaction. */
export function addEvents(db: Database, id: string, events: readonly XEvent[]): void {
  if (events.length > 0) db.run('INSERT INTO events (chat, json) VALUES (?, ?)', id, writeJson(events))
}

/** Reads a cursor: the number of a row, and the index of an event in the row. */
function readCursor(after: string | null): [row: number, index: number] {
  if (after === null) return [0, -1]
  const match = /^(\d{1,15})\.(\d{1,9})$/u.exec(after)
  if (match) return [Number(match[1]), Number(match[2])]
  throw new XError('invalid-argument', 'cannot read events: `after` is not a cursor from `events`')
}
