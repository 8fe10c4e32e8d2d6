import type { DatabaseSync } from 'node:sqlite'
import { XError } from '@x/kernel'
import { loadSqlite, ownFile } from '@x/kernel/sqlite'

/** Milliseconds for which a file that another process holds is waited for: meanwhile nothing else happens in this thread. */
const BUSY_TIMEOUT = 20

/** A database and the file it was opened from. */
export interface OpenDatabase {
  readonly db: DatabaseSync
  /** Identifies the file, whatever its name becomes. */
  readonly inode: number
}

/**
 * Opens a database in WAL mode, with its folder. Files are readable by their owner alone, and neither the folder nor the
 * file may be a link.
 */
export function openDatabase(dir: string, path: string): OpenDatabase {
  const { DatabaseSync } = loadSqlite(() => process.getBuiltinModule('node:sqlite'))
  if (!DatabaseSync) throw new XError('invalid-state', 'this runtime has no `node:sqlite`: use Node 22.19 or newer')
  ownFolder(dir)
  const inode = ownFile(path)
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT })
  try {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = NORMAL')
  } catch (error) {
    db.close()
    throw error
  }
  return { db, inode }
}

/** Makes the folder, which may not be a link. */
function ownFolder(dir: string): void {
  const fs = process.getBuiltinModule('node:fs')
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (!fs.lstatSync(dir).isSymbolicLink()) return
  throw new XError(
    'invalid-state',
    `\`${dir}\` is a link, which a cache does not follow: name the folder that it leads to`,
  )
}

/** Moves a damaged file aside, with those that SQLite keeps beside it; gives its new name, or undefined when another process has moved it. */
export function moveAside(path: string, inode: number, suffix: string): string | undefined {
  const fs = process.getBuiltinModule('node:fs')
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.ino !== inode) return undefined
  for (const part of ['', '-wal', '-shm']) {
    if (fs.existsSync(path + part)) fs.renameSync(path + part, `${path}.${suffix}${part}`)
  }
  return `${path}.${suffix}`
}

/** Tells an error of SQLite by its primary code. */
const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  codes.includes(((error as { errcode?: number } | null)?.errcode ?? 0) & 0xff)

/** Tells that another process holds the file. */
export const isLocked = (error: unknown): boolean => hasCode(error, 5, 6)

/** Tells that the file is damaged, or not a database. */
export const isDamaged = (error: unknown): boolean => hasCode(error, 11, 26)
