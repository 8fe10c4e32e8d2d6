import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  rmdirSync,
  statSync,
  unlinkSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  copyConfined,
  directoryConfined,
  inConfined,
  linkConfined,
  removeConfined,
  writeConfined,
  type Owner,
} from './confined-file.ts'
import { deadline } from './clock.ts'
import type { DirectoryLimits } from './list-artifacts.ts'
import { guardedNames, holdsGuarded, isGuarded } from './guarded.ts'
import { walkTree, type TreeEntry } from './walk-tree.ts'

const OPEN_SOURCE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Milliseconds of copying after which the event loop gets a turn. */
const COPY_TURN_MS = 8

/** Options of a {@link Mirror}. */
export interface MirrorOptions {
  /** Directory of the user. */
  readonly outer: string
  /** Directory in which code works. */
  readonly inner: string
  /** Directory that code can never change. Guarded files are copied to it, and shown to code from it. */
  readonly guard: string
  /** User id of code; null if code runs as the user of this program. */
  readonly owner: number | null
  /** Guarded names that code may change. */
  readonly writable: readonly string[]
}

/**
 * Keeps a copy of the user's directory for code to work on. Changes of the user are copied in before a block, and changes of
 * code are copied out after it; each side is compared with its state after the last copy. Only files, directories and links
 * are copied, without set-user-id and set-group-id bits.
 */
export class Mirror {
  readonly #options: MirrorOptions
  /** Stamps of the entries of each side after the last copy, by name. */
  readonly #outerStamps: Map<string, string> = new Map()
  readonly #innerStamps: Map<string, string> = new Map()
  /** The last copy; copies run one at a time. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: MirrorOptions) {
    this.#options = options
  }

  /** Returns the guarded names that are files or directories on the user's side. */
  guarded(): string[] {
    const { outer, writable } = this.#options
    return guardedNames(writable).filter((name) => {
      const stats = this.#outerStamps.has(name) && lstatSync(join(outer, name), { throwIfNoEntry: false })
      return stats && (stats.isDirectory() || stats.isFile())
    })
  }

  /** Copies in changes of the user, and removes what the user removed. Returns false if the directory is over its limits. */
  async copyIn(limits: DirectoryLimits): Promise<boolean> {
    return await this.#inTurn(async () => {
      const { outer, inner, guard, owner, writable } = this.#options
      const copyOwner = owner === null ? null : { uid: owner, gid: owner }
      const names = guardedNames(writable)
      const target = (name: string): string =>
        names.some((guardedName) => isWithin(guardedName, name)) ? guard : inner
      // Guarded names in a subdirectory need that directory.
      for (const parent of names.map(dirname))
        if (parent !== '.') directoryConfined(guard, parent, { owner: copyOwner, mode: 0o755 })
      let bytes = 0
      let entries = 0
      const fits = await this.#copy([outer, this.#outerStamps], [target, this.#innerStamps], ({ stats }) => {
        bytes += stats.isFile() ? stats.blocks * 512 : 0
        entries++
        return bytes > limits.workspaceBytes || entries > limits.workspaceEntries ? 'stop' : copyOwner
      })
      // Each guarded name needs a mount point.
      for (const name of this.guarded())
        makeMountPoint(inner, name, lstatSync(join(outer, name)).isDirectory(), copyOwner)
      return fits
    })
  }

  /**
   * Copies out changes of code, except for guarded names and the directories that contain them. Returns false if the changes
   * are over the limits: a sparse file, or one with many names, takes more space outside than inside.
   */
  async copyOut(limits: DirectoryLimits): Promise<boolean> {
    return await this.#inTurn(async () => {
      const { outer, inner, writable } = this.#options
      const { uid, gid } = statSync(outer)
      const copyOwner = process.getuid?.() === 0 ? { uid, gid } : null
      const exists = (name: string): boolean => this.#outerStamps.has(name)
      let bytes = 0
      return await this.#copy(
        [inner, this.#innerStamps],
        [() => outer, this.#outerStamps],
        ({ name, stats }) => {
          if (isGuarded(name, writable, exists)) return 'skip'
          if (!stats.isDirectory() && holdsGuarded(name, writable, exists)) return 'skip'
          bytes += stats.isFile() ? stats.size : 0
          return bytes > limits.workspaceBytes ? 'stop' : copyOwner
        },
        (name) => isGuarded(name, writable, exists) || holdsGuarded(name, writable, exists),
      )
    })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work)
    this.#last = turn.catch(() => {})
    return await turn
  }

  /** Copies changes in one direction. `ownerFor` returns the owner of a copy, `skip` for no copy, or `stop` to end early. */
  async #copy(
    [from, known]: readonly [string, Map<string, string>],
    [target, copies]: readonly [(name: string) => string, Map<string, string>],
    ownerFor: (entry: TreeEntry) => Owner | 'skip' | 'stop',
    isKept: (name: string) => boolean = () => false,
  ): Promise<boolean> {
    const seenNames = new Set<string>()
    const unreadable: string[] = []
    let isOver = deadline(COPY_TURN_MS)
    for (const entry of walkTree(from, (name) => unreadable.push(name))) {
      if (isOver()) {
        await new Promise((resolve) => setImmediate(resolve))
        isOver = deadline(COPY_TURN_MS)
      }
      const { name, stats } = entry
      seenNames.add(name)
      const owner = ownerFor(entry)
      if (owner === 'stop') return false
      const stamp = stampOf(stats)
      if (owner === 'skip' || known.get(name) === stamp || !copyTo(target(name), entry, owner)) continue
      known.set(name, stamp)
      copies.set(name, stampIn(target(name), name))
    }
    // Removes the contents of a directory before the directory, which stays if something in it stays.
    for (const name of [...known.keys()].toReversed()) {
      if (
        seenNames.has(name) ||
        isKept(name) ||
        unreadable.some((directory) => directory === '' || isWithin(directory, name))
      )
        continue
      known.delete(name)
      copies.delete(name)
      removeOne(target(name), name)
    }
    return true
  }
}

const isWithin = (directory: string, name: string): boolean => `${name}/`.startsWith(`${directory}/`)

/** Removes a file, a link or an empty directory. */
function removeOne(root: string, name: string): void {
  try {
    inParent(root, name, (at) => (lstatSync(at).isDirectory() ? rmdirSync(at) : unlinkSync(at)))
  } catch {
    // It is gone already, or is not empty.
  }
}

/** Creates an empty file or directory, if there is none of that kind. */
function makeMountPoint(root: string, name: string, directory: boolean, owner: Owner): void {
  const stats = lstatSync(join(root, name), { throwIfNoEntry: false })
  if (directory ? stats?.isDirectory() : stats?.isFile()) return
  if (stats) removeConfined(root, name)
  const parent = dirname(name)
  if (parent !== '.') directoryConfined(root, parent, { owner, mode: 0o755 })
  if (directory) directoryConfined(root, name, { owner, mode: 0o755 })
  else writeConfined(root, name, '')
}

/** Returns a text that differs if a file has changed. The contents of a directory have stamps of their own. */
function stampOf(stats: Stats): string {
  if (stats.isDirectory()) return `directory ${stats.mode}`
  return [stats.mode, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ')
}

const stampIn = (root: string, name: string): string => inParent(root, name, (at) => stampOf(lstatSync(at)))

/** Calls `work` with a path of a name that no link can redirect. */
function inParent<T>(root: string, name: string, work: (at: string) => T): T {
  const parent = dirname(name)
  return inConfined(root, parent === '.' ? '' : parent, (at) => work(`${at}/${basename(name)}`))
}

/** Copies one entry; returns false if it is of another kind, or cannot be read or written. Fails if the disk is full. */
function copyTo(to: string, entry: TreeEntry, owner: Owner): boolean {
  try {
    return copyEntry(to, entry, owner)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw error
    if (code !== 'EISDIR' && code !== 'EPERM') return false
  }
  // A directory is in place of the file.
  removeConfined(to, entry.name)
  try {
    return copyEntry(to, entry, owner)
  } catch {
    return false
  }
}

function copyEntry(to: string, { name, stats, at }: TreeEntry, owner: Owner): boolean {
  if (stats.isDirectory()) directoryConfined(to, name, { owner, mode: stats.mode | 0o700 })
  else if (stats.isSymbolicLink()) linkConfined(to, name, readlinkSync(at), owner)
  else if (stats.isFile()) {
    const source = openSync(at, OPEN_SOURCE_FLAGS)
    try {
      const { mode } = fstatSync(source)
      copyConfined(to, name, source, { owner, mode: mode | 0o600 })
    } finally {
      closeSync(source)
    }
  } else return false
  return true
}
