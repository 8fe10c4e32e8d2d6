import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  statSync,
  unlinkSync,
  type Stats,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import {
  IN_CONFLICT,
  IN_THE_WAY,
  judge,
  LEADS_OUT,
  MAX_LISTED_CHANGES,
  type Change,
  type ChangeRules,
  type FoundChange,
} from '../changes/changeset.ts'
import { leavesBy, targetInside } from '../changes/links.ts'
import { plainName, type EntryKind } from '../changes/risk-marks.ts'
import {
  copyConfined,
  directoryConfined,
  inConfined,
  linkConfined,
  isIncomplete,
  removeConfined,
  writeAtOnce,
  type Owner,
} from './confined-file.ts'
import { deadline } from './clock.ts'
import type { DirectoryLimits } from './list-artifacts.ts'
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
  /** User id of code; null if code runs as the user of this program. */
  readonly owner: number | null
  readonly rules: ChangeRules
}

/** The changes of code, and whether they came back. */
export interface CopiedOut {
  /** False if the changes are over the limits; then none came back. */
  readonly fits: boolean
  readonly changes: readonly Change[]
}

/** A change with the stamp of its entry in the inner directory; null if it was removed. */
interface Found {
  readonly change: FoundChange
  readonly stamp: string | null
}

/**
 * Keeps a copy of the user's directory for code to work on. Changes of the user are copied in before a block. Changes of code
 * are judged after it, and copied out or held back; what is held back stays in the copy for later blocks. Each side is
 * compared with its state after the last copy. Only files, directories and links are copied, without set-user-id and
 * set-group-id bits.
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

  /**
   * Copies in changes of the user, and removes what the user removed; they replace changes that were held back. Returns false
   * if the directory is over its limits.
   */
  async copyIn(limits: DirectoryLimits): Promise<boolean> {
    return await this.#inTurn(async () => {
      const { outer, inner, owner } = this.#options
      const copyOwner = owner === null ? null : { uid: owner, gid: owner }
      const seenNames = new Set<string>()
      const unreadable: string[] = []
      const takeTurn = turns()
      let bytes = 0
      for (const entry of walkTree(outer, (name) => unreadable.push(name))) {
        const { name, stats } = entry
        if (isIncomplete(name)) continue
        await takeTurn()
        seenNames.add(name)
        bytes += stats.isFile() ? stats.blocks * 512 : 0
        if (bytes > limits.workspaceBytes || seenNames.size > limits.workspaceEntries) return false
        const stamp = stampOf(stats)
        if (this.#outerStamps.get(name) === stamp || !copyTo(inner, entry, copyOwner)) continue
        this.#outerStamps.set(name, stamp)
        this.#innerStamps.set(name, stampIn(inner, name))
      }
      // Removes the contents of a directory before the directory, which stays if something in it stays.
      for (const name of deepestFirst(this.#outerStamps.keys())) {
        if (seenNames.has(name) || isBelow(unreadable, name)) continue
        this.#outerStamps.delete(name)
        this.#innerStamps.delete(name)
        removeOne(inner, name)
      }
      return true
    })
  }

  /**
   * Copies out the changes of code that the rules allow. Copies nothing if the copy is over the limits: a sparse file, or one
   * with many names, takes more space outside than inside.
   */
  async copyOut(limits: DirectoryLimits): Promise<CopiedOut> {
    return await this.#inTurn(async () => {
      const found = await this.#findChanges(limits)
      if (!found) return { fits: false, changes: [] }
      const { outer, rules } = this.#options
      const isRepository = this.#repositories(found)
      const { uid, gid } = statSync(outer)
      const owner = process.getuid?.() === 0 ? { uid, gid } : null
      const takeTurn = turns()
      const changes: Change[] = []
      for (const one of found) {
        await takeTurn()
        const { name } = one.change
        const judged = judge(one.change, rules, isRepository)
        if (judged.held !== undefined && this.#isUnchanged(one)) {
          this.#innerStamps.set(name, one.stamp!)
          continue
        }
        const held = judged.held ?? this.#apply(one, owner)
        if (held !== undefined) this.#keepHeld(one)
        if (changes.length < MAX_LISTED_CHANGES) changes.push(held === undefined ? judged : { ...judged, held })
      }
      return { fits: true, changes }
    })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work)
    this.#last = turn.catch(() => {})
    return await turn
  }

  /** Returns what code changed: removals, the deepest first, then the rest in the order of a walk. Null if over the limits. */
  async #findChanges(limits: DirectoryLimits): Promise<Found[] | null> {
    const { inner } = this.#options
    const written: Found[] = []
    const seenNames = new Set<string>()
    const unreadable: string[] = []
    const takeTurn = turns()
    let bytes = 0
    for (const { name, stats, at } of walkTree(inner, (directory) => unreadable.push(directory))) {
      await takeTurn()
      const entry = entryKindOf(stats)
      if (entry === null || isIncomplete(name)) continue
      seenNames.add(name)
      bytes += stats.isFile() ? stats.size : 0
      if (bytes > limits.workspaceBytes) return null
      const stamp = stampOf(stats)
      if (this.#innerStamps.get(name) === stamp) continue
      const target = entry === 'link' ? targetOf(at) : undefined
      const kind = this.#outerStamps.has(name) ? 'changed' : 'added'
      written.push({ change: { name, kind, entry, target }, stamp })
    }
    const removed: Found[] = []
    for (const name of deepestFirst(this.#innerStamps.keys())) {
      if (seenNames.has(name) || isBelow(unreadable, name)) continue
      const entry = entryOfStamp(this.#outerStamps.get(name) ?? '')
      if (this.#outerStamps.has(name)) removed.push({ change: { name, kind: 'removed', entry }, stamp: null })
      else this.#innerStamps.delete(name)
    }
    return [...removed, ...written]
  }

  /** Returns a function that returns true for directories with a file `HEAD` on either side. */
  #repositories(found: readonly Found[]): (directory: string) => boolean {
    const directories = new Set<string>()
    for (const name of [
      ...this.#outerStamps.keys(),
      ...found.map(({ change }) => change.name),
      ...this.#innerStamps.keys(),
    ])
      if (plainName(basename(name)) === 'head') directories.add(dirname(name) === '.' ? '' : dirname(name))
    return (directory) => directories.has(directory)
  }

  /** Returns true if a file has the content of the original again, or still. */
  #isUnchanged({ change: { name, kind, entry } }: Found): boolean {
    const { inner, outer } = this.#options
    return kind === 'changed' && entry === 'file' && haveSameContent(inner, outer, name)
  }

  /** Applies a change to the user's directory; returns why it cannot, if so. */
  #apply({ change, stamp }: Found, owner: Owner): string | undefined {
    const { outer, inner } = this.#options
    const { name, entry, target } = change
    try {
      const now = stampNow(outer, name)
      const isThere = now !== undefined && entry === 'directory' && entryOfStamp(now) === 'directory'
      if (now !== this.#outerStamps.get(name) && !isThere) return IN_CONFLICT
      if (stamp === null) {
        inParent(outer, name, (at) => (entry === 'directory' ? rmdirSync(at) : unlinkSync(at)))
        this.#outerStamps.delete(name)
        this.#innerStamps.delete(name)
        return undefined
      }
      if (now !== undefined && entry !== 'directory' && entryOfStamp(now) === 'directory')
        inParent(outer, name, (at) => rmdirSync(at))
      if (entry === 'link') {
        if (leavesBy(outer, targetInside(name, target!)!)) return LEADS_OUT
        linkConfined(outer, name, target!, owner)
      } else inParent(inner, name, (at) => bringOut(outer, { name, entry, at }, owner))
      this.#outerStamps.set(name, stampIn(outer, name))
      this.#innerStamps.set(name, stamp)
      return undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
      return IN_THE_WAY
    }
  }

  /** Remembers the state of a change that was held back, so that it is told once. */
  #keepHeld({ change: { name }, stamp }: Found): void {
    if (stamp !== null) this.#innerStamps.set(name, stamp)
    else this.#innerStamps.delete(name)
  }
}

/** Bytes of a file whose content is compared with the original. */
const MAX_COMPARED_BYTES = 4 * 2 ** 20

/** Returns a function that gives the event loop a turn now and then. */
function turns(): () => Promise<void> | undefined {
  let isOver = deadline(COPY_TURN_MS)
  return () => {
    if (!isOver()) return undefined
    isOver = deadline(COPY_TURN_MS)
    return new Promise((resolve) => void setImmediate(resolve))
  }
}

const depthOf = (name: string): number => name.split('/').length

const deepestFirst = (names: Iterable<string>): string[] => [...names].toSorted((a, b) => depthOf(b) - depthOf(a))

const isBelow = (directories: readonly string[], name: string): boolean =>
  directories.some((directory) => directory === '' || isWithin(directory, name))

function entryKindOf(stats: Stats): EntryKind | null {
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'link'
  return stats.isFile() ? 'file' : null
}

function targetOf(at: string): string {
  try {
    return readlinkSync(at)
  } catch {
    // It was exchanged meanwhile; an empty target is never copied.
    return ''
  }
}

/** Returns the stamp of an entry; undefined if there is none. Fails if its directory cannot be entered. */
function stampNow(root: string, name: string): string | undefined {
  return inParent(root, name, (at) => {
    const stats = lstatSync(at, { throwIfNoEntry: false })
    return stats && stampOf(stats)
  })
}

function haveSameContent(inner: string, outer: string, name: string): boolean {
  try {
    const [one, other] = [inner, outer].map((root) => inParent(root, name, readSmall))
    return one !== undefined && other !== undefined && one.equals(other)
  } catch {
    return false
  }
}

function readSmall(at: string): Buffer {
  const file = openSync(at, OPEN_SOURCE_FLAGS)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || stats.size > MAX_COMPARED_BYTES) throw new Error('not a small file')
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Copies a file or directory of the inner directory to the user's, a file at once. */
function bringOut(
  outer: string,
  { name, entry, at }: { readonly name: string; readonly entry: EntryKind; readonly at: string },
  owner: Owner,
): void {
  const isDirectory = entry === 'directory'
  const source = openSync(at, isDirectory ? OPEN_SOURCE_FLAGS | constants.O_DIRECTORY : OPEN_SOURCE_FLAGS)
  try {
    const stats = fstatSync(source)
    if (isDirectory) directoryConfined(outer, name, { owner, mode: stats.mode | 0o700 })
    else if (stats.isFile()) {
      const copy = { owner, mode: stats.mode | 0o600 }
      writeAtOnce(outer, name, (incomplete) => copyConfined(outer, incomplete, source, copy))
    } else throw new Error('it is another kind of file now')
  } finally {
    closeSync(source)
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

/** Returns a text that differs if a file has changed. The contents of a directory have stamps of their own. */
function stampOf(stats: Stats): string {
  if (stats.isDirectory()) return `directory ${stats.mode}`
  const kind = stats.isSymbolicLink() ? 'link' : 'file'
  return [kind, stats.mode, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ')
}

const entryOfStamp = (stamp: string): EntryKind => (stamp.split(' ', 1)[0] || 'file') as EntryKind

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
