import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { XError } from '@x/kernel'
import { loadSqlite, ownFile } from '@x/kernel/sqlite'

/** A row as SQLite gives it. */
export type Row = Readonly<Record<string, unknown>>

/** A database with statements that are prepared once. */
export class Database {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Runs a statement; gives how many rows it has changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  /** The first row of a statement. */
  row(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values)
  }

  rows(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#statement(sql).all(...values)
  }

  /** Runs statements that are not kept. */
  exec(sql: string): void {
    this.#db.exec(sql)
  }

  /** Makes several changes one; an error takes all of them back. */
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
   * Makes a part of a transaction. Gives its error where that part alone was taken back, and fails with it where the whole
   * transaction was, as SQLite does by itself when the disk is full.
   */
  part<T>(change: () => T): { readonly value: T } | { readonly error: unknown } {
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
      // SQLite has rolled back by itself, as it does when the disk is full.
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
 * Opens a file, which is made if it is not there; its owner alone may read it, and it may not be a link. Other writers are
 * waited for up to `busy` milliseconds.
 */
export function openDatabase(path: string, busy: number): Database {
  const { DatabaseSync } = loadSqlite(() => process.getBuiltinModule('node:sqlite')) ?? {}
  if (!DatabaseSync) throw new XError('invalid-state', 'this runtime has no `node:sqlite`: use Node 22.19 or newer')
  if (path !== ':memory:') ownFile(path)
  return new Database(new DatabaseSync(path, { timeout: busy }))
}

/** Whether a statement would have made two rows of what may be in one only. */
export const isDuplicate = (error: unknown): boolean => (error as { errcode?: number } | null)?.errcode === 2067

/** Whether another connection holds what a statement needs. */
export const isBusy = (error: unknown): boolean =>
  [5, 6].includes(((error as { errcode?: number } | null)?.errcode ?? 0) & 0xff)
