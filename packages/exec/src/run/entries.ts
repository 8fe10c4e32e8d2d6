import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmdirSync,
  statSync,
  unlinkSync,
  type Stats,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import type { EntryKind } from '../changes/risk-marks.ts'
import { eventTime } from './clock.ts'
import { inConfined, type CopyOptions, type Owner } from './confined-file.ts'

// Entries of a directory that hostile code may be changing: no link is followed, and only plain files are opened.

/** Flags to read a file without following a link, and without waiting for the other end of a pipe. */
export const OPEN_SOURCE_FLAGS: number = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Milliseconds after a change in which another one may have the same times: clocks of file systems are coarse. */
const COARSE_CLOCK_MS = 100

/** Calls `work` with a path of a name that no link can redirect. */
export function inParent<T>(root: string, name: string, work: (at: string) => T): T {
  const parent = dirname(name)
  return inConfined(root, parent === '.' ? '' : parent, (at) => work(`${at}/${basename(name)}`))
}

/** Returns the kind of an entry; null if it is of none that is copied. */
export function entryKindOf(stats: Stats): EntryKind | null {
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'link'
  return stats.isFile() ? 'file' : null
}

/** Returns a text that differs if a file or link has changed. The contents of a directory have stamps of their own. */
export function stampOf(stats: Stats): string {
  if (stats.isDirectory()) return 'directory'
  const kind = stats.isSymbolicLink() ? 'link' : 'file'
  return [kind, stats.mode, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ')
}

/** Returns the kind of the entry of a stamp. */
export const entryOfStamp = (stamp: string): EntryKind => (stamp.split(' ', 1)[0] || 'file') as EntryKind

/** Returns true if the owner of the file of a stamp may run it. */
export const mayRun = (stamp: string): boolean =>
  stamp.startsWith('file ') && (Number(stamp.split(' ', 2)[1]) & constants.S_IXUSR) !== 0

/** Returns the stamp of an entry. Fails if there is none. */
export const stampIn = (root: string, name: string): string => inParent(root, name, (at) => stampOf(lstatSync(at)))

/** Returns the stamp of an entry; undefined if there is none. Fails if its directory cannot be entered. */
export function stampNow(root: string, name: string): string | undefined {
  return inParent(root, name, (at) => {
    const stats = lstatSync(at, { throwIfNoEntry: false })
    return stats && stampOf(stats)
  })
}

/** Returns true if there is no entry of a name, nor a directory in which it could be. */
export function isGone(root: string, name: string): boolean {
  try {
    return stampNow(root, name) === undefined
  } catch {
    return true
  }
}

/** Returns true if an entry was changed so lately that a further change may leave its stamp as it is. */
export const isFresh = ({ ctimeMs }: Stats): boolean => eventTime() - ctimeMs < COARSE_CLOCK_MS

/** Returns the target of a link. */
export function targetOf(at: string): string {
  try {
    return readlinkSync(at)
  } catch {
    // It was exchanged meanwhile; an empty target is never copied.
    return ''
  }
}

/** Opens a plain file; fails for anything else, also a link. */
export function openFile(at: string): number {
  const file = openSync(at, OPEN_SOURCE_FLAGS)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new Error('it is not a plain file')
}

/** Returns the content of a file; its size if it is over a limit, and undefined if it cannot be read. */
export function contentIn(root: string, name: string, maxBytes: number): Uint8Array | number | undefined {
  try {
    return inParent(root, name, (at) => {
      const file = openFile(at)
      try {
        const { size } = fstatSync(file)
        return size > maxBytes ? size : readFileSync(file)
      } finally {
        closeSync(file)
      }
    })
  } catch {
    return undefined
  }
}

/** Bytes of a file whose content is compared with the original. */
const MAX_COMPARED_BYTES = 4 * 2 ** 20

/** Returns true if two directories have files of the same content at a name, up to 4 MiB. */
export function haveSameContent(inner: string, outer: string, name: string): boolean {
  const [one, other] = [inner, outer].map((root) => contentIn(root, name, MAX_COMPARED_BYTES))
  return one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0
}

/** Bytes of a file that are read at once for its digest. */
const DIGEST_CHUNK_BYTES = 262_144

/** Returns the digest of a file; an empty text if it cannot be read. */
export function digestOf(at: string): string {
  try {
    const file = openFile(at)
    try {
      const hash = createHash('sha256')
      const chunk = Buffer.allocUnsafe(DIGEST_CHUNK_BYTES)
      for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
        hash.update(chunk.subarray(0, read))
      return hash.digest('hex')
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

/** Returns the digest of a file at a name; an empty text if it cannot be read. */
export function digestIn(root: string, name: string): string {
  try {
    return inParent(root, name, digestOf)
  } catch {
    return ''
  }
}

/** Removes a file, a link or an empty directory. */
export function removeOne(root: string, name: string): void {
  try {
    inParent(root, name, (at) => (lstatSync(at).isDirectory() ? rmdirSync(at) : unlinkSync(at)))
  } catch {
    // It is gone already, or is not empty.
  }
}

/**
 * Returns the owner and permissions of a file that comes back: those of the original, or of a new file of this program. Code
 * decides only whether it may be run.
 */
export function copyOptions(
  original: Stats | undefined,
  { owner, isExecutable }: { readonly owner: Owner; readonly isExecutable: boolean },
): CopyOptions {
  if (!original) return { owner, mode: isExecutable ? 0o777 : 0o666, isMasked: true }
  const { mode, uid, gid } = original
  const wasExecutable = (mode & 0o100) !== 0
  // Who may read a file that becomes executable may run it.
  const run = isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
  const adapted = wasExecutable === isExecutable ? mode : run
  return { owner: owner && { uid, gid }, mode: adapted, isMasked: false }
}

/** Returns the owner of new files of the user's directory; null if they belong to the user of this program, or it is gone. */
export function ownerIn(directory: string): Owner {
  const { uid, gid } = statSync(directory, { throwIfNoEntry: false }) ?? {}
  return process.getuid?.() === 0 && uid !== undefined && gid !== undefined ? { uid, gid } : null
}
