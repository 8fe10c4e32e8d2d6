import { randomUUID, type Hash } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { XError } from '@x/kernel'

const OPEN_DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const CREATE_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/**
 * Writes a file in a directory that hostile code may have filled: follows no link on the way, replaces a link or a pipe in
 * place of the file, and creates missing directories. Fails with `invalid-argument` if the file cannot be written.
 */
export function writeConfined(
  root: string,
  name: string,
  data: string | Uint8Array,
  owner: number | null = null,
): void {
  try {
    atParent(
      root,
      name,
      (at) => makeDirectory(at, owner),
      (at) => writeFresh(at, data, owner),
    )
  } catch (error) {
    throw new XError('invalid-argument', `cannot save \`${name}\` in the workspace: ${remedyOf(error, root)}`, {
      cause: error,
    })
  }
}

/** Says what to do about a file that could not be written. */
function remedyOf(error: unknown, root: string): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'it is full; remove files from it'
  return existsSync(root) ? 'choose another name' : 'it is gone, and comes back with another executor'
}

/** User and group that will own a copy; null for those of this program. */
export type Owner = { readonly uid: number; readonly gid: number } | null

/** Owner and permissions of a copy. Set-user-id and set-group-id bits are never copied. */
export interface CopyOptions {
  readonly owner: Owner
  readonly mode: number
  /** True if the permissions are those of a new file of this program, which its umask limits. */
  readonly isMasked?: boolean
  /** Takes in the copied bytes. */
  readonly hash?: Hash | undefined
  /** True if the copy may share its bytes with the file, where the file system can. Only for files that code cannot change. */
  readonly clones?: boolean | undefined
}

const COPY_CHUNK_BYTES = 1_048_576

/**
 * Copies bytes, or the file of an open descriptor, to a name in a confined directory, replacing what is there. Returns the
 * properties of the copy.
 */
export function copyConfined(
  root: string,
  name: string,
  source: number | Uint8Array,
  { owner, mode, isMasked = false, hash, clones = false }: CopyOptions,
): Stats {
  return atParent(root, name, null, (at) => {
    const isClone = clones && typeof source === 'number' && !hash && cloneTo(at, source)
    const file = isClone ? openSync(at, OPEN_CLONE_FLAGS) : createFile(at, isMasked ? mode : 0o600)
    try {
      for (const chunk of isClone ? [] : typeof source === 'number' ? chunksOf(source) : [source]) {
        hash?.update(chunk)
        for (let from = 0; from < chunk.length;) from += writeSync(file, chunk, from)
      }
      if (owner !== null) fchownSync(file, owner.uid, owner.gid)
      if (!isMasked) fchmodSync(file, mode & 0o777)
      return fstatSync(file)
    } finally {
      closeSync(file)
    }
  })
}

const OPEN_CLONE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW

/**
 * Copies an open file to a new name without copying its bytes, where the file system shares them between files. Returns false
 * for a file that the caller has to copy: it has a bit that no copy may have for a moment, or its place is taken.
 */
function cloneTo(at: string, source: number): boolean {
  if (process.platform !== 'linux' || (fstatSync(source).mode & 0o6000) !== 0) return false
  try {
    copyFileSync(`/proc/self/fd/${source}`, at, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return true
  } catch {
    return false
  }
}

/** Creates a file in place of what is there, and opens it. */
function createFile(at: string, mode: number): number {
  try {
    return openSync(at, CREATE_FILE_FLAGS, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    unlinkIfThere(at)
    return openSync(at, CREATE_FILE_FLAGS, mode)
  }
}

function* chunksOf(file: number): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(Math.min(fstatSync(file).size + 1, COPY_CHUNK_BYTES))
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) yield chunk.subarray(0, read)
}

/** Start of the names of copies that are not complete yet. */
const INCOMPLETE_PREFIX = '.x-incomplete-'

/** Returns true for the name of a copy that is not complete yet, or that a killed program left. */
export const isIncomplete = (name: string): boolean =>
  name.slice(name.lastIndexOf('/') + 1).startsWith(INCOMPLETE_PREFIX)

/**
 * Writes a file or link of a confined directory at once: who reads the name meanwhile finds the old file or the new one.
 * `write` gets another name beside it, which then takes its place; `check` is called directly before, and throws to leave
 * everything as it is. Fails with `EEXIST` if a new name is taken, and if a directory is there.
 */
export function writeAtOnce(
  root: string,
  name: string,
  write: (incomplete: string) => void,
  { isNew = false, check }: { readonly isNew?: boolean; readonly check?: () => void } = {},
): void {
  const parent = name.slice(0, name.lastIndexOf('/') + 1)
  const incomplete = `${parent}${INCOMPLETE_PREFIX}${randomUUID()}`
  try {
    write(incomplete)
    check?.()
    inConfined(root, parent.slice(0, -1), (at) => {
      const place = isNew ? nameAnew : renameSync
      place(`${at}/${incomplete.slice(parent.length)}`, `${at}/${name.slice(parent.length)}`)
    })
  } catch (error) {
    removeConfined(root, incomplete)
    throw error
  }
}

/** Renames a file to a name that must be free, as far as the file system can tell. */
function nameAnew(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // The file system knows no second names.
    renameSync(from, to)
    return
  }
  unlinkSync(from)
}

/** Creates a link in a confined directory, replacing what is there. */
export function linkConfined(root: string, name: string, target: string, owner: Owner): void {
  atParent(root, name, null, (at) => {
    unlinkIfThere(at)
    symlinkSync(target, at)
    if (owner !== null) lchownSync(at, owner.uid, owner.gid)
  })
}

/** Creates a directory in a confined directory, replacing a file or a link; an existing directory keeps its contents. */
export function directoryConfined(
  root: string,
  name: string,
  { owner, mode, isMasked = false }: Omit<CopyOptions, 'hash'>,
): void {
  atParent(root, name, null, (at) => {
    const there = lstatSync(at, { throwIfNoEntry: false })
    if (there?.isDirectory() === false) unlinkSync(at)
    try {
      mkdirSync(at, isMasked ? mode : 0o700)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      // The directory that is there keeps its owner and permissions.
      if (isMasked) return
    }
    const made = openSync(at, OPEN_DIRECTORY_FLAGS)
    try {
      if (owner !== null) fchownSync(made, owner.uid, owner.gid)
      if (!isMasked) fchmodSync(made, mode & 0o777)
    } finally {
      closeSync(made)
    }
  })
}

/** Creates a directory in a confined directory if it does not exist. Fails with `EEXIST` if a file or link is there. */
export function makeConfined(root: string, name: string): void {
  atParent(root, name, makeDirectory, (at) => {
    makeDirectory(at)
    closeSync(openSync(at, OPEN_DIRECTORY_FLAGS))
  })
}

/** Removes an entry of a confined directory, with all its contents, if it exists. */
export function removeConfined(root: string, name: string): void {
  try {
    atParent(root, name, null, (at) => rmSync(at, { recursive: true, force: true }))
  } catch {
    // A directory on the way is gone, or is a link.
  }
}

/** Calls `work` with a path of a directory in a confined directory that no link can redirect. */
export function inConfined<T>(root: string, name: string, work: (at: string) => T): T {
  return atParent(root, name === '' ? '.' : `${name}/.`, null, (at) => work(at.slice(0, -2)))
}

/** Opens the parent directory of a name, following no link, and calls `work` with a safe path of the name. */
function atParent<T>(
  root: string,
  name: string,
  onDirectory: ((at: string) => void) | null,
  work: (at: string) => T,
): T {
  const parts = name.split(process.platform === 'win32' ? /[/\\]/u : '/')
  const last = parts.pop()!
  let directory = openSync(root, OPEN_DIRECTORY_FLAGS)
  let path = root
  try {
    for (const part of parts) {
      const at = safePath(directory, path, part)
      onDirectory?.(at)
      const next = openSync(at, OPEN_DIRECTORY_FLAGS)
      closeSync(directory)
      directory = next
      path = join(path, part)
    }
    return work(safePath(directory, path, last))
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

/** Returns a path that no link can redirect: through the open directory on Linux, else a checked path. */
function safePath(directory: number, path: string, part: string): string {
  if (process.platform === 'linux') return `/proc/self/fd/${directory}/${part}`
  if (lstatSync(path).isSymbolicLink()) throw new Error(`\`${path}\` is a link`)
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
  const file = createFile(at, 0o644)
  try {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from)
    if (owner !== null) fchownSync(file, owner, owner)
  } finally {
    closeSync(file)
  }
}
