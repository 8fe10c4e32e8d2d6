import { XError } from '@x/kernel'
import { loadSqlite, ownFile } from '@x/kernel/sqlite'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The prepared statements of an open database of answers. */
export interface AnswerTable {
  readonly get: StatementSync
  readonly set: StatementSync
  readonly drop: StatementSync
  readonly evict: StatementSync
  readonly size: StatementSync
  readonly claim: StatementSync
  readonly renew: StatementSync
  readonly unclaim: StatementSync
  readonly dropClaims: StatementSync
}

/** Milliseconds for which a file that was found locked is not tried again. */
const LOCK_RETRY_MS = 50

/** Milliseconds after which a lock counts as a failure; before, another process may just be writing. */
const LOCK_TIMEOUT_MS = 1000

/** The two kinds of use of a file: in WAL mode, a writer locks out writers and not readers. */
type FileUse = 'read' | 'write'

/** A lock of another process: since when it holds, until when the file is left alone, and the error of SQLite. */
interface Lock {
  readonly since: number
  readonly until: number
  readonly error: unknown
}

/** The database file of a cache on disk: it is opened at its first use and replaced when it is damaged. */
export class AnswerFile {
  readonly #dir: string
  /** Milliseconds of a monotonic clock. */
  readonly #clock: () => number
  #opened: { readonly db: DatabaseSync; readonly inode: number; readonly table: AnswerTable } | undefined
  #broken: { readonly error: unknown } | undefined
  readonly #locks: Record<FileUse, Lock | undefined> = { read: undefined, write: undefined }

  constructor(dir: string, clock: () => number) {
    this.#dir = dir
    this.#clock = clock
  }

  /**
   * Runs statements. Returns undefined while another process locks the file. Throws when the file cannot be used, and once
   * when it was damaged and has been moved aside.
   */
  use<T>(kind: FileUse, use: (table: AnswerTable) => T): { readonly value: T } | undefined {
    if (this.#broken) throw this.#broken.error
    const lock = this.#locks[kind]
    if (lock && this.#clock() < lock.until) return undefined
    try {
      const value = use(this.#open())
      this.#locks[kind] = undefined
      return { value }
    } catch (error) {
      if (isLocked(error)) return this.#noteLock(kind, error)
      if (isDamaged(error)) throw this.#replaceDamaged(error)
      // A file that cannot be opened is not tried again.
      if (!this.#opened) this.#broken = { error }
      throw error
    }
  }

  /** The error of a lock that has kept readers out longer than `LOCK_TIMEOUT_MS`. */
  get lockError(): unknown {
    const lock = this.#locks.read
    return lock && this.#clock() - lock.since > LOCK_TIMEOUT_MS ? lock.error : undefined
  }

  /** Lets the next use try the file at once. */
  forgetLocks(): void {
    this.#locks.read = this.#locks.write = undefined
  }

  close(name: string): void {
    this.#opened?.db.close()
    this.#opened = undefined
    this.#broken = { error: new Error(`the cache \`${name}\` is closed`) }
  }

  #open(): AnswerTable {
    if (this.#opened) return this.#opened.table
    const { db, inode } = openDatabase(this.#dir, this.#path)
    try {
      this.#opened = { db, inode, table: prepareTable(db, this.#path) }
      return this.#opened.table
    } catch (error) {
      db.close()
      throw error
    }
  }

  #noteLock(kind: FileUse, error: unknown): undefined {
    const now = this.#clock()
    // A file that cannot be opened can be neither read nor written.
    for (const locked of this.#opened ? [kind] : (['read', 'write'] as const)) {
      this.#locks[locked] = { since: this.#locks[locked]?.since ?? now, until: now + LOCK_RETRY_MS, error }
    }
    return undefined
  }

  /** Moves a damaged file aside and returns the error that says so; the next use begins a new file. */
  #replaceDamaged(cause: unknown): unknown {
    const inode = this.#opened?.inode ?? this.#inode()
    this.#opened?.db.close()
    this.#opened = undefined
    try {
      const path = moveAside(this.#path, inode, `damaged-${inode}`)
      if (path === undefined) return cause
      return new XError(
        'invalid-state',
        `the cache file \`${this.#path}\` was damaged (${(cause as Error).message}): it was moved to \`${path}\`, and a new cache begins`,
        { cause },
      )
    } catch (error) {
      this.#broken = { error }
      return error
    }
  }

  get #path(): string {
    return process.getBuiltinModule('node:path').join(this.#dir, 'answers.db')
  }

  #inode(): number {
    return process.getBuiltinModule('node:fs').lstatSync(this.#path, { throwIfNoEntry: false })?.ino ?? -1
  }
}

/** Version of the tables, as `user_version` of the file; 0 stands for 1. */
const TABLES_VERSION = 1

function prepareTable(db: DatabaseSync, path: string): AnswerTable {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version > TABLES_VERSION) {
    throw new XError(
      'unknown-state-version',
      `cannot use the cache file \`${path}\`: it has version ${version}, and this package reads version ${TABLES_VERSION}; update \`@x/model\`, or give another \`dir\``,
      { details: { version, known: [TABLES_VERSION] } },
    )
  }
  db.exec('CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, bytes INTEGER, at INTEGER)')
  db.exec(
    'CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, token TEXT NOT NULL, since INTEGER, until INTEGER) WITHOUT ROWID',
  )
  return {
    get: db.prepare('SELECT answer, at FROM answers WHERE key = ?'),
    set: db.prepare('INSERT OR REPLACE INTO answers (key, answer, bytes, at) VALUES (?, ?, ?, ?)'),
    drop: db.prepare('DELETE FROM answers WHERE key = ?'),
    evict: db.prepare('DELETE FROM answers WHERE rowid IN (SELECT rowid FROM answers ORDER BY at, rowid LIMIT ?)'),
    size: db.prepare('SELECT count(*) AS entries, sum(bytes) AS bytes FROM answers'),
    // A claim that begins in the future was made before the clock was set back.
    claim: db.prepare(
      `INSERT INTO claims (key, token, since, until) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET token = excluded.token, since = excluded.since, until = excluded.until
       WHERE until <= excluded.since OR since > excluded.since`,
    ),
    renew: db.prepare('UPDATE claims SET since = ?, until = ? WHERE key = ? AND token = ? AND until > ?'),
    unclaim: db.prepare('DELETE FROM claims WHERE key = ? AND token = ?'),
    dropClaims: db.prepare('DELETE FROM claims WHERE until <= ?'),
  }
}

/** Milliseconds for which SQLite waits for a locked file. The thread is blocked meanwhile. */
const BUSY_TIMEOUT_MS = 20

/** A database and the file it was opened from. */
interface OpenDatabase {
  readonly db: DatabaseSync
  /** Identifies the file after it is renamed. */
  readonly inode: number
}

/**
 * Makes the folder and opens the database in WAL mode. Files are readable by their owner alone, and neither the folder nor
 * the file may be a symbolic link.
 */
export function openDatabase(dir: string, path: string): OpenDatabase {
  const { DatabaseSync } = loadSqlite(() => process.getBuiltinModule('node:sqlite'))
  if (!DatabaseSync)
    throw new XError(
      'invalid-state',
      'cannot open a cache on disk: this runtime has no `node:sqlite`; use Node 22.19 or newer',
    )
  makeFolder(dir)
  const inode = ownFile(path)
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = NORMAL')
  } catch (error) {
    db.close()
    throw error
  }
  return { db, inode }
}

/** Makes the folder and refuses a symbolic link in its place. */
function makeFolder(dir: string): void {
  const fs = process.getBuiltinModule('node:fs')
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (!fs.lstatSync(dir).isSymbolicLink()) return
  throw new XError(
    'invalid-state',
    `cannot open a cache in \`${dir}\`: it is a symbolic link, which a cache does not follow; give the folder that the link leads to`,
  )
}

/** Moves a damaged file and the WAL files beside it aside. Returns its new path, or undefined when another process has moved it. */
export function moveAside(path: string, inode: number, suffix: string): string | undefined {
  const fs = process.getBuiltinModule('node:fs')
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.ino !== inode) return undefined
  for (const part of ['', '-wal', '-shm']) {
    if (fs.existsSync(path + part)) fs.renameSync(path + part, `${path}.${suffix}${part}`)
  }
  return `${path}.${suffix}`
}

/** Tells whether an error of SQLite has one of these primary codes. */
const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  codes.includes(((error as { errcode?: number } | null)?.errcode ?? 0) & 0xff)

/** Tells whether another process has locked the file: SQLITE_BUSY or SQLITE_LOCKED. */
const isLocked = (error: unknown): boolean => hasCode(error, 5, 6)

/** Tells whether the file is damaged or not a database: SQLITE_CORRUPT or SQLITE_NOTADB. */
const isDamaged = (error: unknown): boolean => hasCode(error, 11, 26)
