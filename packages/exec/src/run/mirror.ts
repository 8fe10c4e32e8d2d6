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
import { deadline } from './deadline.ts'
import type { DirectoryLimits } from './list-artifacts.ts'
import { guardedNames, holdsGuarded, isGuarded } from './guarded.ts'
import { walkTree, type TreeEntry } from './walk-tree.ts'

const OPEN_SOURCE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Milliseconds of copying after which the event loop gets its turn. */
const COPY_TURN_MS = 8

/** The directories that a {@link Mirror} copies between, and its limits. */
export interface MirrorOptions {
  /** Directory of the user's. */
  readonly outer: string
  /** Directory that code works in. */
  readonly inner: string
  /** Directory that code never gets to change: what is guarded is copied here, and shown from here. */
  readonly guard: string
  /** User that code runs as, where it is another one. */
  readonly owner: number | null
  /** Guarded names that code may change all the same. */
  readonly writable: readonly string[]
}

/**
 * Keeps a copy of a directory that code works on: what the user changed is copied in before a block, what code changed is
 * brought back after it. Both sides are compared with what they were after the last copy. Only files, directories and
 * links travel, without bits by which a file runs as its owner.
 */
export class Mirror {
  readonly #options: MirrorOptions
  /** How things looked after they were copied, by name. */
  readonly #outside: Map<string, string> = new Map()
  readonly #inside: Map<string, string> = new Map()
  /** One copying at a time. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: MirrorOptions) {
    this.#options = options
  }

  /** Guarded names that exist outside as files or directories. */
  guarded(): string[] {
    const { outer, writable } = this.#options
    return guardedNames(writable).filter((name) => {
      const looks = this.#outside.has(name) && lstatSync(join(outer, name), { throwIfNoEntry: false })
      return looks && (looks.isDirectory() || looks.isFile())
    })
  }

  /** Copies in what is new outside, and removes what is gone there. False when it is more than the limits allow. */
  async bringIn(limits: DirectoryLimits): Promise<boolean> {
    return await this.#inTurn(async () => {
      const { outer, inner, guard, owner, writable } = this.#options
      const whose = owner === null ? null : { uid: owner, gid: owner }
      const names = guardedNames(writable)
      const target = (name: string): string => (names.some((each) => within(each, name)) ? guard : inner)
      // The way to those that do not lie at the top.
      for (const way of names.map(dirname))
        if (way !== '.') directoryConfined(guard, way, { owner: whose, mode: 0o755 })
      let bytes = 0
      let entries = 0
      const fits = await this.#copy([outer, this.#outside], [target, this.#inside], ({ stats }) => {
        bytes += stats.isFile() ? stats.blocks * 512 : 0
        entries++
        return bytes > limits.workspaceBytes || entries > limits.workspaceEntries ? 'stop' : whose
      })
      // Something for them to be mounted on.
      for (const name of this.guarded()) placeholder(inner, name, lstatSync(join(outer, name)).isDirectory(), whose)
      return fits
    })
  }

  /**
   * Brings out what code changed, but for guarded names and what they lie in. False when it is more than the limits
   * allow: a file with holes, or with many names, takes more room outside than inside.
   */
  async bringOut(limits: DirectoryLimits): Promise<boolean> {
    return await this.#inTurn(async () => {
      const { outer, inner, writable } = this.#options
      const { uid, gid } = statSync(outer)
      const whose = process.getuid?.() === 0 ? { uid, gid } : null
      const isThere = (name: string): boolean => this.#outside.has(name)
      let bytes = 0
      return await this.#copy(
        [inner, this.#inside],
        [() => outer, this.#outside],
        ({ name, stats }) => {
          if (isGuarded(name, writable, isThere)) return 'skip'
          if (!stats.isDirectory() && holdsGuarded(name, writable, isThere)) return 'skip'
          bytes += stats.isFile() ? stats.size : 0
          return bytes > limits.workspaceBytes ? 'stop' : whose
        },
        (name) => isGuarded(name, writable, isThere) || holdsGuarded(name, writable, isThere),
      )
    })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work)
    this.#last = turn.catch(() => {})
    return await turn
  }

  /** Copies one way. `whose` says whom a copy belongs to, or that there is none, or that there was enough. */
  async #copy(
    [from, known]: readonly [string, Map<string, string>],
    [target, copies]: readonly [(name: string) => string, Map<string, string>],
    whose: (entry: TreeEntry) => Owner | 'skip' | 'stop',
    stays: (name: string) => boolean = () => false,
  ): Promise<boolean> {
    const seen = new Set<string>()
    const unread: string[] = []
    let isOver = deadline(COPY_TURN_MS)
    for (const entry of walkTree(from, (name) => unread.push(name))) {
      if (isOver()) {
        await new Promise((resolve) => setImmediate(resolve))
        isOver = deadline(COPY_TURN_MS)
      }
      const { name, stats } = entry
      seen.add(name)
      const owner = whose(entry)
      if (owner === 'stop') return false
      const stamp = stampOf(stats)
      if (owner === 'skip' || known.get(name) === stamp || !copyTo(target(name), entry, owner)) continue
      known.set(name, stamp)
      copies.set(name, stampIn(target(name), name))
    }
    // What lies in a directory goes before the directory, which stays when something in it stays.
    for (const name of [...known.keys()].toReversed()) {
      if (seen.has(name) || stays(name) || unread.some((directory) => directory === '' || within(directory, name)))
        continue
      known.delete(name)
      copies.delete(name)
      removeOne(target(name), name)
    }
    return true
  }
}

const within = (directory: string, name: string): boolean => `${name}/`.startsWith(`${directory}/`)

/** Removes a file, a link or an empty directory. */
function removeOne(root: string, name: string): void {
  try {
    inParent(root, name, (at) => (lstatSync(at).isDirectory() ? rmdirSync(at) : unlinkSync(at)))
  } catch {
    // It is gone already, or there is something in it.
  }
}

/** Makes an empty file or directory where there is none of its kind. */
function placeholder(root: string, name: string, directory: boolean, owner: Owner): void {
  const stats = lstatSync(join(root, name), { throwIfNoEntry: false })
  if (directory ? stats?.isDirectory() : stats?.isFile()) return
  if (stats) removeConfined(root, name)
  const parent = dirname(name)
  if (parent !== '.') directoryConfined(root, parent, { owner, mode: 0o755 })
  if (directory) directoryConfined(root, name, { owner, mode: 0o755 })
  else writeConfined(root, name, '')
}

/** What tells a changed file from the same one. Directories change with what is in them, which is looked at by itself. */
function stampOf(stats: Stats): string {
  if (stats.isDirectory()) return `directory ${stats.mode}`
  return [stats.mode, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ')
}

const stampIn = (root: string, name: string): string => inParent(root, name, (at) => stampOf(lstatSync(at)))

/** Does something with a name, by a path that cannot be led astray. */
function inParent<T>(root: string, name: string, work: (at: string) => T): T {
  const parent = dirname(name)
  return inConfined(root, parent === '.' ? '' : parent, (at) => work(`${at}/${basename(name)}`))
}

/** Copies one thing; false when it is none of those that travel, or cannot be read or made. Fails when there is no room. */
function copyTo(to: string, entry: TreeEntry, owner: Owner): boolean {
  try {
    return copied(to, entry, owner)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw error
    if (code !== 'EISDIR' && code !== 'EPERM') return false
  }
  // A directory lies where a file belongs.
  removeConfined(to, entry.name)
  try {
    return copied(to, entry, owner)
  } catch {
    return false
  }
}

function copied(to: string, { name, stats, at }: TreeEntry, owner: Owner): boolean {
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
