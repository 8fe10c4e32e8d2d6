import type { DatabaseSync } from 'node:sqlite'
import { XError } from './x-error.ts'

/**
 * Loads `node:sqlite` by a function, such as `() => process.getBuiltinModule('node:sqlite')`. On Node 22 the module says that
 * it is experimental: that one warning is swallowed, and no other.
 */
export function loadSqlite<T>(load: () => T): T {
  const original = Object.getOwnPropertyDescriptor(process, 'emitWarning')!
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void
  process.emitWarning = (...args: [string | Error, ...unknown[]]) => {
    const [warning, type] = args
    const experimental = type === 'ExperimentalWarning' && /sqlite/iu.test(String(warning))
    if (!experimental) emitWarning(...args)
  }
  try {
    return load()
  } finally {
    Object.defineProperty(process, 'emitWarning', original)
  }
}

/**
 * Makes a file that its owner alone may read and write, or takes the rights to it from everybody else; gives its inode. A
 * link, a device and a pipe are refused with `invalid-state`: as root, rights taken from `/dev/null` would be missed by all programs.
 */
export function ownFile(path: string): number {
  const fs = process.getBuiltinModule('node:fs')
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw linkError(path)
  if (found && !found.isFile() && !found.isDirectory())
    throw new XError('invalid-state', `\`${path}\` is a device or pipe: name a file`)
  // Not opened without need: a descriptor that is closed takes all locks with it that this process has on the file.
  if (found && !(found.mode & 0o077)) return found.ino
  const { O_CREAT, O_RDWR, O_NOFOLLOW } = fs.constants
  let file: number
  try {
    // Windows has no `O_NOFOLLOW`: a bitwise or takes undefined for 0.
    file = fs.openSync(path, O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
  } catch (error) {
    throw (error as { code?: string }).code === 'ELOOP' ? linkError(path) : error
  }
  try {
    const { mode, ino } = fs.fstatSync(file)
    if (mode & 0o077) fs.fchmodSync(file, mode & 0o700)
    return ino
  } finally {
    fs.closeSync(file)
  }
}

const linkError = (path: string): XError =>
  new XError('invalid-state', `\`${path}\` is a link, which is not followed: name the file that it leads to`)

/** Time that another process may take to write its number into a lock, or to read it, in milliseconds. */
const LOCK_TIMEOUT_MS = 250
/** Codes of SQLite for a lock of another connection, for a damaged file, and for one that is none of its own. */
const [BUSY_CODE, DAMAGED_CODE, FOREIGN_CODE] = [5, 11, 26]

/**
 * Holds the lock of a path until the function that it returns is called. The operating system keeps the lock: it ends
 * with its process, however that ends, and holds between containers that share the folder. The file at the path is made
 * for it, and stays: without a process that holds the lock, the file means nothing. If the lock is held already, throws
 * the error that `refused` makes of the number of its holder's process, null if unknown.
 */
export function lockPath(path: string, refused: (holder: number | null, cause: unknown) => XError): () => void {
  const sqlite = loadSqlite(() => process.getBuiltinModule('node:sqlite'))
  if (!sqlite) {
    const problem = `cannot lock \`${path}\`: this runtime has no \`node:sqlite\`; use Node 22.19 or newer`
    throw new XError('invalid-state', problem)
  }
  ownFile(path)
  const db = new sqlite.DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS })
  try {
    holdLock(db, path, refused)
  } catch (error) {
    db.close()
    throw error
  }
  return () => db.close()
}

/** Begins the transaction that is the lock. Others may read meanwhile who has it: its number is written before. */
function holdLock(db: DatabaseSync, path: string, refused: Parameters<typeof lockPath>[1]): void {
  try {
    db.exec('BEGIN IMMEDIATE')
    // Between the end of one transaction and the next, another process may have held it.
    while (holderIn(db) !== process.pid) db.exec(`PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`)
  } catch (error) {
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff
    if (code === BUSY_CODE) throw refused(holderIn(db), error)
    if (code !== DAMAGED_CODE && code !== FOREIGN_CODE) throw error
    throw new XError('invalid-state', `\`${path}\` is no lock: remove it`, { cause: error })
  }
}

const holderIn = (db: DatabaseSync): number | null =>
  Number(db.prepare('PRAGMA user_version').get()?.['user_version']) || null
