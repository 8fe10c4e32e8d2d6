import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { isXError, XError } from '@x/kernel'
import { loadSqlite, ownFile } from '@x/kernel/sqlite'

/** Values of the parameters of a query: those with names as one object, the others in order behind it. */
export type QueryValues = readonly (SQLInputValue | Readonly<Record<string, SQLInputValue>>)[]

/** A row as SQLite returns it. */
export type Row = Readonly<Record<string, unknown>>

/** A database that prepares each statement once. A damaged file is `invalid-state`, with its path. */
export class Database {
  #db: DatabaseSync
  readonly #path: string
  readonly #reopen: () => DatabaseSync | null
  readonly #statements = new Map<string, StatementSync>()

  /** `reopen` is called before each statement; it returns the database anew where the open one does not see what has changed. */
  constructor(db: DatabaseSync, path: string, reopen: () => DatabaseSync | null = () => null) {
    this.#db = db
    this.#path = path
    this.#reopen = reopen
  }

  /** Runs a statement; returns the number of rows that it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#use(() => this.#statement(sql).run(...values).changes))
  }

  /** Returns the row of a statement that has one at most. It runs to its end: `get` of Node hides a commit that fails after the row. */
  row(sql: string, ...values: QueryValues): Row | undefined {
    return this.rows(sql, ...values)[0]
  }

  /** Returns all rows of a statement. Node 22.19 refuses values in order for numbered parameters (`?1`): name those that repeat. */
  rows(sql: string, ...values: QueryValues): readonly Row[] {
    return this.#use(() => this.#statement(sql).all(...(values as readonly SQLInputValue[])))
  }

  /** Runs statements without keeping them prepared. */
  exec(sql: string): void {
    this.#use(() => this.#db.exec(sql))
  }

  /** Runs several changes as one transaction; an error rolls all of them back. */
  transaction<T>(change: () => T): T {
    this.run('BEGIN IMMEDIATE')
    try {
      const value = change()
      this.run('COMMIT')
      return value
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /**
   * Runs a part of a transaction behind a savepoint. Returns the error when that part alone was rolled back; throws it when
   * SQLite has rolled back the whole transaction, as it does when the disk is full.
   */
  savepoint<T>(change: () => T): { readonly value: T } | { readonly error: unknown } {
    this.run('SAVEPOINT part')
    try {
      const value = change()
      this.run('RELEASE part')
      return { value }
    } catch (error) {
      try {
        this.run('ROLLBACK TO part')
        this.run('RELEASE part')
      } catch {
        throw error
      }
      return { error }
    }
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #rollBack(): void {
    try {
      this.run('ROLLBACK')
    } catch {
      // SQLite has already rolled back, as it does when the disk is full.
    }
  }

  #use<T>(act: () => T): T {
    try {
      const anew = this.#db.isOpen ? this.#reopen() : null
      if (anew) {
        this.close()
        this.#db = anew
      }
      return act()
    } catch (error) {
      if (!this.#db.isOpen)
        throw new XError('invalid-state', `the chats in \`${this.#path}\` were closed by this program`, {
          cause: error,
        })
      if (!DAMAGE_CODES.has(codeOf(error) & 0xff)) throw error
      throw new XError(
        'invalid-state',
        `the file \`${this.#path}\` is damaged or not one of SQLite (${(error as Error).message}); restore it from a copy, or take what is left with \`sqlite3 ${this.#path} .recover\``,
        { cause: error },
      )
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/**
 * Opens a database file, and creates it if it does not exist. Only its owner may read it, and it may not be a link. A
 * statement waits up to `busyTimeoutMs` for other writers. `readOnly`: the file is taken as it is.
 */
export function openDatabase(path: string, busyTimeoutMs: number, readOnly = false): Database {
  const { DatabaseSync } = loadSqlite(() => process.getBuiltinModule('node:sqlite')) ?? {}
  if (!DatabaseSync)
    throw new XError(
      'invalid-state',
      `cannot open \`${path}\`: this runtime has no \`node:sqlite\`; use Node 22.19 or newer`,
    )
  const open = (location: string | URL): DatabaseSync => {
    try {
      if (path !== ':memory:' && !readOnly) ownFile(path)
      return new DatabaseSync(location, { timeout: busyTimeoutMs, readOnly })
    } catch (error) {
      if (isXError(error)) throw error
      const problem = error instanceof Error ? error.message : String(error)
      const next = readOnly ? 'read' : 'write, in a folder that exists'
      throw new XError(
        'invalid-argument',
        `cannot open the chats in \`${path}\` (${problem}): name a file that you may ${next}`,
        { cause: error },
      )
    }
  }
  if (!readOnly) return new Database(open(path), path)
  let state = stateOf(path)
  return new Database(open(readLocation(path, state)), path, () => {
    const now = state === null ? null : stateOf(path)
    if (now === state) return null
    state = now
    return open(readLocation(path, state))
  })
}

/** Returns the state of a file, which changes when a process opens it to write; null while one has it open. */
function stateOf(path: string): string | null {
  const { existsSync, statSync } = process.getBuiltinModule('node:fs')
  if (existsSync(`${path}-wal`)) return null
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return `${stat?.ino} ${stat?.mtimeNs}`
}

/** Where a file is read: one that no process has open to write does not change, and SQLite makes no file beside such a one. */
const readLocation = (path: string, state: string | null): string | URL =>
  state === null ? path : new URL('?immutable=1', process.getBuiltinModule('node:url').pathToFileURL(path))

/** Result codes of SQLite; the low byte of an extended code is its primary code. */
const SQLITE_CONSTRAINT_UNIQUE = 2067
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([11, 26])

const codeOf = (error: unknown): number => (error as { errcode?: number } | null)?.errcode ?? 0

/** True if a statement failed because of a unique index. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === SQLITE_CONSTRAINT_UNIQUE
