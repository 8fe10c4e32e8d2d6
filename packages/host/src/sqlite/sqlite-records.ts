import type { RecordChange, RecordStore } from '@x/interfaces'
import { readStoredRecord } from '@x/kernel/hosting'
import type { Database } from './database.ts'
import { writeJson } from './rows.ts'

/** Keeps records in a table of a SQLite file; a change is one transaction. */
export class SqliteRecords implements RecordStore {
  readonly #db: Database
  readonly #now: () => number

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#now = now
  }

  change<T>(key: string, change: RecordChange<T>): T {
    return this.#db.transaction(() => {
      const row = this.#db.row('SELECT json FROM records WHERE key = ?', key)
      const before = readStoredRecord(key, row?.['json'])
      const { value, answer } = change(before, this.#now())
      if (value === before) return answer
      if (value === undefined) this.#db.run('DELETE FROM records WHERE key = ?', key)
      else this.#db.run('INSERT OR REPLACE INTO records VALUES (?, ?)', key, writeJson(value))
      return answer
    })
  }
}
