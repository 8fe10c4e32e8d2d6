import type { ChatClaim, EventLog, LoggedEvent, XEvent } from '@x/interfaces'
import type { Database } from './database.ts'
import { readJson, writeJson } from './rows.ts'

/** Keeps events in a table of a SQLite file. */
export class SqliteEvents implements EventLog {
  readonly #db: Database
  readonly #changed: (id: string) => void

  constructor(db: Database, changed: (id: string) => void) {
    this.#db = db
    this.#changed = changed
  }

  append({ id, epoch }: ChatClaim, events: readonly XEvent[]): boolean {
    const held = this.#db.transaction(() => {
      if (!this.#db.row("SELECT 1 FROM chats WHERE id = ? AND epoch = ? AND state = 'running'", id, epoch)) return false
      for (const event of events) this.#db.run('INSERT INTO events (chat, json) VALUES (?, ?)', id, writeJson(event))
      return true
    })
    if (held) this.#changed(id)
    return held
  }

  read(id: string, after: string | null, limit: number): readonly LoggedEvent[] {
    const sql = 'SELECT n, json FROM events WHERE chat = ? AND n > ? ORDER BY n LIMIT ?'
    const rows = this.#db.rows(sql, id, Number(after ?? 0), limit)
    return rows.map((row) => ({ cursor: String(row['n']), event: readJson(row) as XEvent }))
  }

  delete(id: string): void {
    this.#db.run('DELETE FROM events WHERE chat = ?', id)
  }
}
