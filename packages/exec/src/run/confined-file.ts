import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { XError } from '@x/kernel'

const OPEN_DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const CREATE_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/**
 * Writes a file inside a directory that hostile code may have filled: no link is followed on the way, a link or a pipe
 * in the file's place is replaced, missing directories are made. Fails with `invalid-argument` where it cannot.
 */
export function writeConfined(
  root: string,
  name: string,
  data: string | Uint8Array,
  owner: number | null = null,
): void {
  try {
    confined(
      root,
      name,
      (at) => makeDirectory(at, owner),
      (at) => writeFresh(at, data, owner),
    )
  } catch (error) {
    throw new XError('invalid-argument', `cannot save \`${name}\` in the workspace: choose another name`, {
      cause: error,
    })
  }
}

/** User and group that a copy is given to; null for those of this program. */
export type Owner = { readonly uid: number; readonly gid: number } | null

/** The owner and the rights of a copy. Bits by which a file runs as its owner are never copied. */
export interface CopyOptions {
  readonly owner: Owner
  readonly mode: number
}

const COPY_CHUNK_BYTES = 1_048_576

/** Copies the file of an open descriptor to a name inside such a directory, in place of what is there. */
export function copyConfined(root: string, name: string, source: number, { owner, mode }: CopyOptions): void {
  confined(root, name, null, (at) => {
    unlinkIfThere(at)
    const file = openSync(at, CREATE_FILE_FLAGS, 0o600)
    try {
      const chunk = Buffer.allocUnsafe(COPY_CHUNK_BYTES)
      for (let read = readSync(source, chunk); read > 0; read = readSync(source, chunk)) {
        for (let from = 0; from < read;) from += writeSync(file, chunk, from, read - from)
      }
      if (owner !== null) fchownSync(file, owner.uid, owner.gid)
      fchmodSync(file, mode & 0o777)
    } finally {
      closeSync(file)
    }
  })
}

/** Makes a link inside such a directory, in place of what is there. */
export function linkConfined(root: string, name: string, target: string, owner: Owner): void {
  confined(root, name, null, (at) => {
    unlinkIfThere(at)
    symlinkSync(target, at)
    if (owner !== null) lchownSync(at, owner.uid, owner.gid)
  })
}

/** Makes a directory inside such a directory, in place of a file or a link; one that is there keeps what is in it. */
export function directoryConfined(root: string, name: string, { owner, mode }: CopyOptions): void {
  confined(root, name, null, (at) => {
    if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === false) unlinkSync(at)
    try {
      mkdirSync(at, 0o700)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const made = openSync(at, OPEN_DIRECTORY_FLAGS)
    try {
      if (owner !== null) fchownSync(made, owner.uid, owner.gid)
      fchmodSync(made, mode & 0o777)
    } finally {
      closeSync(made)
    }
  })
}

/** Makes a directory inside such a directory; it may be there already. Fails with `EEXIST` where something else is. */
export function makeConfined(root: string, name: string): void {
  confined(root, name, makeDirectory, (at) => {
    makeDirectory(at)
    closeSync(openSync(at, OPEN_DIRECTORY_FLAGS))
  })
}

/** Takes something out of such a directory, with all below it; it may be gone already. */
export function removeConfined(root: string, name: string): void {
  try {
    confined(root, name, null, (at) => rmSync(at, { recursive: true, force: true }))
  } catch {
    // The way there is gone, or leads elsewhere.
  }
}

/** Does something in a directory inside such a directory, told the path by which it cannot be led astray. */
export function inConfined<T>(root: string, name: string, work: (at: string) => T): T {
  return confined(root, name === '' ? '.' : `${name}/.`, null, (at) => work(at.slice(0, -2)))
}

/** Goes to the directory that holds a name, link by link checked, and does something there. */
function confined<T>(root: string, name: string, onTheWay: ((at: string) => void) | null, there: (at: string) => T): T {
  const parts = name.split(process.platform === 'win32' ? /[/\\]/u : '/')
  const last = parts.pop()!
  let directory = openSync(root, OPEN_DIRECTORY_FLAGS)
  let path = root
  try {
    for (const part of parts) {
      const at = inside(directory, path, part)
      onTheWay?.(at)
      const next = openSync(at, OPEN_DIRECTORY_FLAGS)
      closeSync(directory)
      directory = next
      path = join(path, part)
    }
    return there(inside(directory, path, last))
  } finally {
    closeSync(directory)
  }
}

function makeDirectory(at: string, owner: number | null = null): void {
  try {
    mkdirSync(at, 0o755)
    if (owner !== null) chownDirectory(at, owner)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** A path that cannot be led astray: by the open directory where the platform shows it, else by a checked path. */
function inside(directory: number, path: string, part: string): string {
  if (process.platform === 'linux') return `/proc/self/fd/${directory}/${part}`
  if (lstatSync(path).isSymbolicLink()) throw new Error(`${path} is a link`)
  return join(path, part)
}

function chownDirectory(at: string, owner: number): void {
  const made = openSync(at, OPEN_DIRECTORY_FLAGS)
  fchownSync(made, owner, owner)
  closeSync(made)
}

function unlinkIfThere(at: string): void {
  try {
    unlinkSync(at)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function writeFresh(at: string, data: string | Uint8Array, owner: number | null): void {
  unlinkIfThere(at)
  const file = openSync(at, CREATE_FILE_FLAGS, 0o644)
  try {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from)
    if (owner !== null) fchownSync(file, owner, owner)
  } finally {
    closeSync(file)
  }
}
