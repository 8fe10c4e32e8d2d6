import { XError } from './x-error.ts'

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
