import { XError } from '@x/kernel'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isDamaged, isLocked, moveAside, openDatabase } from './sqlite.ts'

/** The statements of an open database of answers. */
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

/** Milliseconds for which a file that was found locked is not asked again. */
const PAUSE = 50

/** Milliseconds for which a lock is not yet a failure: another process may just be writing. */
const SHORT_LOCK = 1000

/** The kind of use of a file, as far as locks matter. */
type FileUse = 'read' | 'write'

/** A lock of another process that was met. */
interface Lock {
  readonly since: number
  readonly until: number
  readonly error: unknown
}

/** The file of a cache on disk: opened when it is first used, and replaced when it is damaged. */
export class AnswerFile {
  readonly #dir: string
  /** Milliseconds of a clock that does not jump. */
  readonly #clock: () => number
  #opened: { readonly db: DatabaseSync; readonly inode: number; readonly table: AnswerTable } | undefined
  #broken: { readonly error: unknown } | undefined
  /** Readers are not held up by a writer, so the two are told apart. */
  readonly #locks: Record<FileUse, Lock | undefined> = { read: undefined, write: undefined }

  constructor(dir: string, clock: () => number) {
    this.#dir = dir
    this.#clock = clock
  }

  /**
   * Uses the table. Gives undefined while another process holds the file; fails when the file cannot be used, and once
   * when it was damaged and moved aside.
   */
  use<T>(how: FileUse, use: (table: AnswerTable) => T): { readonly value: T } | undefined {
    if (this.#broken) throw this.#broken.error
    const lock = this.#locks[how]
    if (lock && this.#clock() < lock.until) return undefined
    try {
      const value = use(this.#open())
      this.#locks[how] = undefined
      return { value }
    } catch (error) {
      if (isLocked(error)) return this.#lock(how, error)
      if (isDamaged(error)) throw this.#replace(error)
      // A file that cannot be opened is not tried again.
      if (!this.#opened) this.#broken = { error }
      throw error
    }
  }

  /** The error of a lock that has kept readers out for long. */
  get lockError(): unknown {
    const locked = this.#locks.read
    return locked && this.#clock() - locked.since > SHORT_LOCK ? locked.error : undefined
  }

  /** Lets the next use try again, whatever was locked a moment ago. */
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
      this.#opened = { db, inode, table: prepareTable(db) }
      return this.#opened.table
    } catch (error) {
      db.close()
      throw error
    }
  }

  #lock(how: FileUse, error: unknown): undefined {
    const now = this.#clock()
    // A file that cannot be opened can be neither read nor written.
    for (const each of this.#opened ? [how] : (['read', 'write'] as const)) {
      this.#locks[each] = { since: this.#locks[each]?.since ?? now, until: now + PAUSE, error }
    }
    return undefined
  }

  /** Moves a damaged file aside and says so; the next use begins a new one. */
  #replace(cause: unknown): unknown {
    const inode = this.#opened?.inode ?? this.#inode()
    this.#opened?.db.close()
    this.#opened = undefined
    try {
      const path = moveAside(this.#path, inode, `damaged-${inode}`)
      if (path === undefined) return cause
      return new XError(
        'invalid-state',
        `\`${this.#path}\` was damaged (${(cause as Error).message}): it was moved to \`${path}\`, and a new cache begins`,
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

function prepareTable(db: DatabaseSync): AnswerTable {
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
    // A claim from the future is one of before the clock was set back.
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
