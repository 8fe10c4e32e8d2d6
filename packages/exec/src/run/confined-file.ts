import { closeSync, constants, mkdirSync, openSync, unlinkSync, writeSync, fchownSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { XError } from '@x/kernel'

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/**
 * Writes a file inside a directory that hostile code may have filled: no link is followed on the way, a link or a pipe
 * in the file's place is replaced, missing directories are made. Fails with `invalid-argument` where it cannot.
 */
export function writeConfined(root: string, name: string, data: string, owner: number | null = null): void {
  const parts = name.split('/')
  const file = parts.pop()!
  let directory = openSync(root, DIRECTORY)
  let path = root
  try {
    for (const part of parts) {
      const at = inside(directory, path, part)
      try {
        mkdirSync(at, 0o755)
        if (owner !== null) chownDirectory(at, owner)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const next = openSync(at, DIRECTORY)
      closeSync(directory)
      directory = next
      path = join(path, part)
    }
    writeFresh(inside(directory, path, file), data, owner)
  } catch (error) {
    throw new XError('invalid-argument', `cannot save \`${name}\` in the workspace: choose another name`, {
      cause: error,
    })
  } finally {
    closeSync(directory)
  }
}

/** A path that cannot be led astray: by the open directory where the platform shows it, else by a checked path. */
function inside(directory: number, path: string, part: string): string {
  if (process.platform === 'linux') return `/proc/self/fd/${directory}/${part}`
  if (lstatSync(path).isSymbolicLink()) throw new Error(`${path} is a link`)
  return join(path, part)
}

function chownDirectory(at: string, owner: number): void {
  const made = openSync(at, DIRECTORY)
  fchownSync(made, owner, owner)
  closeSync(made)
}

function writeFresh(at: string, data: string, owner: number | null): void {
  try {
    unlinkSync(at)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const file = openSync(at, FRESH, 0o644)
  try {
    const bytes = Buffer.from(data)
    for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from)
    if (owner !== null) fchownSync(file, owner, owner)
  } finally {
    closeSync(file)
  }
}
