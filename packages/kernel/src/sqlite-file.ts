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
 * link is refused with `invalid-state`.
 */
export function ownFile(path: string): number {
  const fs = process.getBuiltinModule('node:fs')
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw linkError(path)
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
