import type { HostBackend, RecordChange, RecordStore } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredRecord } from '@x/kernel/hosting'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { platformNow } from '../platform.ts'
import { openDatabase, type Database } from './database.ts'
import { LocalQueue, workerLock } from './local-queue.ts'
import { writeJson } from './rows.ts'
import { checkVersion, migrate } from './schema.ts'
import { SqliteEvents } from './sqlite-events.ts'
import { SqliteStore } from './sqlite-store.ts'
import { Watchers } from './watchers.ts'
import { WriteBatcher } from './write-batcher.ts'

/** Time for which a statement waits for writers in other processes. */
const BUSY_TIMEOUT_MS = 5000

/** Options of {@link sqlite}. */
export interface SqliteOptions {
  /**
   * With `FULL`, every change is on the disk before the chat continues. With `NORMAL` (the default), a power cut may undo the
   * last changes, always whole changes and in order. A killed process loses nothing with either.
   */
  readonly synchronous?: 'NORMAL' | 'FULL' | undefined
  /**
   * True to read the chats alone: nothing is changed in the file or beside it, and a file of an older version is refused with
   * `unknown-state-version`. Default false.
   */
  readonly readOnly?: boolean | undefined
  /** Returns the time in milliseconds since 1970; default: the time of the platform. */
  readonly now?: (() => number) | undefined
}

const SQLITE_OPTION_KINDS: OptionKinds<SqliteOptions> = {
  synchronous: kind.oneOf('NORMAL', 'FULL'),
  readOnly: kind.flag,
  now: kind.call,
}

/**
 * Hosts chats in one SQLite file, with no further dependency. One process at a time runs chats; others may submit, read and
 * decide. `:memory:` is a file that ends with the process.
 */
export function sqlite(path: string, options: SqliteOptions = {}): HostBackend {
  checkOptions(options, SQLITE_OPTION_KINDS, 'open `sqlite`')
  if (typeof path !== 'string' || path === '') {
    throw new XError('invalid-argument', 'cannot open `sqlite`: give the path of a file, such as `./chats.db`')
  }
  return sqliteIn(openDatabase(path, BUSY_TIMEOUT_MS, options.readOnly), path, options)
}

/**
 * Hosts chats in an open database, which it closes.
 * @internal
 */
export function sqliteIn(db: Database, path: string, options: SqliteOptions): HostBackend {
  const { synchronous = 'NORMAL', readOnly = false, now = platformNow } = options
  try {
    if (readOnly) checkVersion(db, path)
    else prepare()
  } catch (error) {
    db.close()
    throw error
  }
  function prepare(): void {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec(`PRAGMA synchronous = ${synchronous}`)
    // What is deleted is written over: a chat that was forgotten is not in the file.
    db.exec('PRAGMA secure_delete = ON')
    migrate(db, path)
  }
  const watchers = new Watchers(() => db.row('PRAGMA data_version')!['data_version'])
  const onChange = (id: string): void => watchers.notify(id)
  const writes = new WriteBatcher(db)
  const store = new SqliteStore(db, writes, now, onChange)
  const watch: HostBackend['watch'] = (listener) => watchers.add(listener)
  return {
    name: `sqlite ${path}`,
    store,
    events: new SqliteEvents(db, writes, now, onChange),
    records: new SqliteRecords(db, now),
    queue: new LocalQueue(store, watch, workerLock(path)),
    watch,
    close() {
      watchers.close()
      writes.flush()
      db.close()
    },
  }
}

/** Keeps records in a table of a SQLite file; each change is one transaction. */
class SqliteRecords implements RecordStore {
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
