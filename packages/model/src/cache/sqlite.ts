import type { DatabaseSync } from 'node:sqlite'
import { XError } from '@x/kernel'

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
  const { DatabaseSync } = withoutExperimentalWarning(() => process.getBuiltinModule('node:sqlite'))
  if (!DatabaseSync) throw new XError('invalid-state', 'this runtime has no `node:sqlite`: use Node 22.19 or newer')
  const inode = ownFile(dir, path)
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

/** Makes the folder and the file, or takes rights to the file from everybody but its owner; gives its inode. */
function ownFile(dir: string, path: string): number {
  const fs = process.getBuiltinModule('node:fs')
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (fs.lstatSync(dir).isSymbolicLink()) throw linkError(dir)
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
  new XError('invalid-state', `\`${path}\` is a link, which a cache does not follow: name the folder that it leads to`)

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

/** Loads `node:sqlite`, which on Node 22 says that it is experimental: swallows that one warning and no other. */
function withoutExperimentalWarning<T>(load: () => T): T {
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
