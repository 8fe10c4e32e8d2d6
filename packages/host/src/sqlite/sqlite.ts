import type { HostBackend } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { platformNow } from '../platform.ts'
import { openDatabase } from './database.ts'
import { JointChanges } from './joint-changes.ts'
import { LocalQueue } from './local-queue.ts'
import { migrate } from './schema.ts'
import { SqliteEvents } from './sqlite-events.ts'
import { SqliteRecords } from './sqlite-records.ts'
import { SqliteStore } from './sqlite-store.ts'
import { Watchers } from './watchers.ts'
import { workerLock } from './worker-lock.ts'

/** Milliseconds for which a change of another process is waited for. */
const BUSY = 5000

/** Options of {@link sqlite}. */
export interface SqliteOptions {
  /**
   * Whether every change is on the disk before the chat goes on (`FULL`), or a power cut may take back the last changes,
   * never more and never in parts (`NORMAL`, the default). A killed process loses nothing with either.
   */
  readonly synchronous?: 'NORMAL' | 'FULL' | undefined
  /** The time in milliseconds since 1970; default: that of the platform. */
  readonly now?: (() => number) | undefined
}

const KINDS: OptionKinds<SqliteOptions> = { synchronous: kind.oneOf('NORMAL', 'FULL'), now: kind.call }

/**
 * Hosts chats in one SQLite file, without a further dependency. One process at a time works; others may submit, read and
 * decide. `:memory:` is a file that ends with the process.
 */
export function sqlite(path: string, options: SqliteOptions = {}): HostBackend {
  checkOptions(options, KINDS, 'open `sqlite`')
  if (typeof path !== 'string' || path === '') {
    throw new XError('invalid-argument', 'cannot open `sqlite`: give the path of a file, such as `./chats.db`')
  }
  const { synchronous = 'NORMAL', now = platformNow } = options
  const db = openDatabase(path, BUSY)
  try {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec(`PRAGMA synchronous = ${synchronous}`)
    migrate(db, path)
  } catch (error) {
    db.close()
    throw error
  }
  const watchers = new Watchers(() => db.row('PRAGMA data_version')!['data_version'])
  const changed = (id: string): void => watchers.tell(id)
  const changes = new JointChanges(db)
  const store = new SqliteStore(db, changes, now, changed)
  const watch: HostBackend['watch'] = (listener) => watchers.add(listener)
  return {
    name: `sqlite ${path}`,
    store,
    events: new SqliteEvents(db, changes, now, changed),
    records: new SqliteRecords(db, now),
    queue: new LocalQueue(store, watch, workerLock(path)),
    watch,
    close() {
      watchers.close()
      changes.flush()
      db.close()
    },
  }
}
