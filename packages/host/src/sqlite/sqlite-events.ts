import type { ChatClaim, EventLog, LoggedEvent, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredEvents } from '@x/kernel/hosting'
import type { Database } from './database.ts'
import type { JointChanges } from './joint-changes.ts'
import { writeJson } from './rows.ts'

/** Keeps events in a table of a SQLite file, those that come together in one row. */
export class SqliteEvents implements EventLog {
  readonly #db: Database
  readonly #changes: JointChanges
  readonly #now: () => number
  readonly #changed: (id: string) => void

  constructor(db: Database, changes: JointChanges, now: () => number, changed: (id: string) => void) {
    this.#db = db
    this.#changes = changes
    this.#now = now
    this.#changed = changed
  }

  async append({ id, epoch }: ChatClaim, events: readonly XEvent[]): Promise<{ followed: boolean } | null> {
    const held = await this.#changes.add(() => {
      const sql = "SELECT followed FROM chats WHERE id = ? AND epoch = ? AND state = 'running'"
      const row = this.#db.row(sql, id, epoch)
      if (row) addEvents(this.#db, id, events)
      return row
    })
    if (!held) return null
    const followed = Number(held['followed']) > this.#now()
    // Who does not follow a chat looks from time to time.
    if (followed) this.#changed(id)
    return { followed }
  }

  read(id: string, after: string | null, limit: number): readonly LoggedEvent[] {
    const [row, place] = readCursor(after)
    const sql = 'SELECT n, json FROM events WHERE chat = ? AND n >= ? ORDER BY n LIMIT ?'
    const events: LoggedEvent[] = []
    for (const found of this.#db.rows(sql, id, row, limit + 1)) {
      const n = found['n'] as number
      for (const [index, event] of readStoredEvents(id, found['json']).entries()) {
        if (n > row || index > place) events.push({ cursor: `${n}.${index}`, event })
      }
    }
    return events.slice(0, limit)
  }

  follow(id: string, seconds: number): void {
    this.#db.run('UPDATE chats SET followed = ? WHERE id = ?', this.#now() + seconds * 1000, id)
  }

  followed(ids: readonly string[]): readonly string[] {
    const now = this.#now()
    return ids.filter((id) => this.#db.row('SELECT 1 FROM chats WHERE id = ? AND followed > ?', id, now))
  }
}

/** Adds events of a chat as one row, inside a transaction. */
export function addEvents(db: Database, id: string, events: readonly XEvent[]): void {
  if (events.length > 0) db.run('INSERT INTO events (chat, json) VALUES (?, ?)', id, writeJson(events))
}

/** Reads a cursor: the number of a row, and the place of an event in it. */
function readCursor(after: string | null): [row: number, place: number] {
  if (after === null) return [0, -1]
  const match = /^(\d{1,15})\.(\d{1,9})$/u.exec(after)
  if (match) return [Number(match[1]), Number(match[2])]
  throw new XError('invalid-argument', 'cannot read events: `after` is not a cursor that `events` has given')
}
