import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, lstatSync, openSync, readlinkSync, rmdirSync, unlinkSync } from 'node:fs'
import {
  ChangeJudge,
  CHANGED_SINCE,
  directoryFacts,
  DIRECTORY_GONE,
  IN_CONFLICT,
  IN_THE_WAY,
  LEADS_OUT,
  MAX_LISTED_CHANGES,
  MAX_PROPOSALS,
  partByChoice,
  type Change,
  type ChangeRules,
  type Choice,
  type DirectoryFacts,
  type FoundChange,
  type Proposal,
} from '../changes/changeset.ts'
import { changesetText, MAX_DIFF_BYTES, type ChangedContent } from '../changes/changeset-text.ts'
import { leavesBy, targetInside } from '../changes/links.ts'
import {
  copyConfined,
  directoryConfined,
  linkConfined,
  isIncomplete,
  removeConfined,
  writeAtOnce,
  type CopyOptions,
  type Owner,
} from './confined-file.ts'
import { deadline } from './clock.ts'
import {
  contentIn,
  copyOptions,
  digestIn,
  digestOf,
  entryKindOf,
  entryOfStamp,
  haveSameContent,
  inParent,
  isFresh,
  isGone,
  mayRun,
  OPEN_SOURCE_FLAGS,
  openFile,
  ownerIn,
  removeOne,
  stampIn,
  stampNow,
  stampOf,
  targetOf,
} from './entries.ts'
import type { DirectoryLimits } from './list-artifacts.ts'
import { walkTree, type TreeEntry } from './walk-tree.ts'

/** Milliseconds of copying after which the event loop gets a turn. */
const COPY_TURN_MS = 8

/** Entries above the limit that the file of a block may add. */
const OWN_ENTRIES = 64

/** Options of a {@link Mirror}. */
export interface MirrorOptions {
  /** Directory of the user. */
  readonly outer: string
  /** Directory in which code works. */
  readonly inner: string
  /** User id of code; null if code runs as the user of this program. */
  readonly owner: number | null
  readonly rules: ChangeRules
  /** True if copies of the user's files may share their bytes with them, where the file system can. */
  readonly clones?: boolean | undefined
  /** True if the inner directory shows the files of the user where code has not changed them, so that nothing is copied. */
  readonly isLayered?: boolean | undefined
}

/** Entries of a directory of the user's that is not copied: each block looks at all of them twice. */
export const MAX_LAYERED_ENTRIES = 200_000

/** The changes of code, and whether they came back. */
export interface CopiedOut {
  /** False if the changes are over the limits; then none came back. */
  readonly fits: boolean
  readonly changes: readonly Change[]
  /** Changes that wait for a choice. */
  readonly proposal?: Proposal | undefined
}

/** A change with the stamp of its entry in the inner directory; null if it was removed. */
interface Found {
  readonly change: FoundChange
  readonly stamp: string | null
  /** True if the owner may run the file. */
  readonly isExecutable: boolean
  /** Digest of the file that somebody was shown, and chooses; undefined if nobody chooses. */
  digest?: string | undefined
}

/** Ends the work on a change; the reason is for the person who reads why it was held back. */
class HeldBack extends Error {}

/**
 * Keeps a copy of the user's directory for code to work on. Changes of the user are copied in before a block. Changes of code
 * are judged after it, and copied out or held back; what is held back stays in the copy for later blocks. Each side is
 * compared with its state after the last copy. Only files, directories and links are copied. Of the permissions that code
 * sets, only that to run a file is copied out.
 */
export class Mirror {
  readonly #options: MirrorOptions
  /** Stamps of the entries of each side after the last copy, by name. */
  readonly #outerStamps: Map<string, string> = new Map()
  readonly #innerStamps: Map<string, string> = new Map()
  /** Digests of files of the user whose stamps do not yet tell a further change. */
  readonly #freshDigests: Map<string, string> = new Map()
  /** Changes that wait for a choice, by the id of their proposal. */
  readonly #proposed: Map<number, readonly Found[]> = new Map()
  #lastProposal = 0
  /** Stamps of files that this program wrote for blocks, by name. */
  readonly #ownStamps: Map<string, string> = new Map()
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
      const { outer, inner, owner, clones, isLayered = false } = this.#options
      const maxEntries = isLayered ? MAX_LAYERED_ENTRIES : limits.workspaceEntries
      const copyOwner = owner === null ? null : { uid: owner, gid: owner }
      const seenNames = new Set<string>()
      const unreadable: string[] = []
      const takeTurn = turns()
      // One walk is cheaper than the way to each of many entries.
      const seen = new Map<string, string>()
      if (isLayered && this.#outerStamps.size === 0)
        for (const { name, stats } of walkTree(inner)) {
          await takeTurn()
          seen.set(name, stampOf(stats))
          if (seen.size > maxEntries) return false
        }
      let bytes = 0
      for (const entry of walkTree(outer, (name) => unreadable.push(name))) {
        const { name, stats } = entry
        if (isIncomplete(name)) continue
        await takeTurn()
        seenNames.add(name)
        bytes += stats.isFile() && !isLayered ? stats.blocks * 512 : 0
        if (bytes > limits.workspaceBytes || seenNames.size > maxEntries) return false
        const stamp = stampOf(stats)
        if (this.#outerStamps.get(name) === stamp && this.#isAsCopied(entry)) continue
        if (isLayered && this.#takeFromBelow(entry, stamp, seen)) continue
        const hash = stats.isFile() && isFresh(stats) ? createHash('sha256') : undefined
        const options = { owner: copyOwner, hash, clones }
        const copied = copyTo(inner, entry, options, (above) => this.#innerStamps.set(above, 'directory'))
        if (copied === null) continue
        if (hash) this.#freshDigests.set(name, hash.digest('hex'))
        this.#outerStamps.set(name, stamp)
        this.#innerStamps.set(name, copied)
      }
      // Removes the contents of a directory before the directory, which stays if something in it stays.
      for (const name of missing(this.#outerStamps, seenNames, unreadable)) {
        this.#forget(name)
        removeOne(inner, name)
        // A directory in which something of code's stays is not told as a change.
        if (!isGone(inner, name)) this.#innerStamps.set(name, 'directory')
      }
      return true
    })
  }

  /** Takes note of the file that this program has written for a block under a name of its own. */
  noteOwnFile(name: string): void {
    this.#ownStamps.set(name, stampIn(this.#options.inner, name))
  }

  /**
   * Copies out the changes of code that the rules allow, or proposes them if `asks` is set. Copies nothing if the copy is over
   * the limits: a sparse file, or one with many names, takes more space outside than inside.
   */
  async copyOut(limits: DirectoryLimits, asks = false): Promise<CopiedOut> {
    return await this.#inTurn(async () => {
      const all = await this.#findChanges(limits)
      if (!all) return { fits: false, changes: [] }
      const { rules } = this.#options
      const found = this.#withoutOwn(all, asks || rules.apply === 'unasked')
      if (!asks) return { fits: true, changes: await this.#settle(found, rules) }
      const { open, rest } = partByChoice(found, rules, this.#facts(found))
      const changes = await this.#settle(rest, rules)
      return { fits: true, changes, proposal: open.length === 0 ? undefined : await this.#propose(open) }
    })
  }

  /** Applies the choice on a proposal; returns what became of its changes. */
  async settle(id: number, choice: Choice): Promise<readonly Change[]> {
    return await this.#inTurn(async () => {
      const found = this.#proposed.get(id) ?? []
      this.#proposed.delete(id)
      return await this.#settle(found, this.#options.rules, choice)
    })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work)
    this.#last = turn.catch(() => {})
    return await turn
  }

  /** Takes note of an entry of the user's that code sees without a copy; returns false if code sees something else. */
  #takeFromBelow({ name, stats, at }: TreeEntry, stamp: string, seen: ReadonlyMap<string, string>): boolean {
    if ((seen.get(name) ?? stampSeen(this.#options.inner, name)) !== stamp) return false
    if (stats.isFile() && isFresh(stats)) this.#freshDigests.set(name, digestOf(at))
    else this.#freshDigests.delete(name)
    this.#outerStamps.set(name, stamp)
    this.#innerStamps.set(name, stamp)
    return true
  }

  /** Returns true if a file of the user still has the content that was copied, although its stamp would not tell. */
  #isAsCopied({ name, stats, at }: TreeEntry): boolean {
    const digest = this.#freshDigests.get(name)
    if (digest === undefined) return true
    if (digestOf(at) !== digest) return false
    if (!isFresh(stats)) this.#freshDigests.delete(name)
    return true
  }

  #forget(name: string): void {
    this.#outerStamps.delete(name)
    this.#innerStamps.delete(name)
    this.#freshDigests.delete(name)
  }

  /** Leaves out files that this program wrote for blocks: they come back without being told, or stay in the copy. */
  #withoutOwn(found: readonly Found[], staysInCopy: boolean): Found[] {
    const others: Found[] = []
    for (const one of found) {
      const { name } = one.change
      const isOwn = one.stamp !== null && this.#ownStamps.get(name) === one.stamp
      if (!isOwn) others.push(one)
      else if (staysInCopy || this.#apply(one, ownerIn(this.#options.outer)) !== undefined) this.#keepHeld(one)
    }
    this.#ownStamps.clear()
    return others
  }

  async #propose(open: readonly { readonly one: Found; readonly change: Change }[]): Promise<Proposal> {
    const { inner, outer } = this.#options
    const takeTurn = turns()
    for (const { one } of open) {
      await takeTurn()
      if (one.change.entry === 'file' && one.stamp !== null) one.digest = digestIn(inner, one.change.name)
    }
    const byName = new Map(open.map(({ one }) => [one.change.name, one]))
    const contentOf = ({ name, kind }: Change): ChangedContent => {
      const one = byName.get(name)!
      const after = contentIn(inner, name, MAX_DIFF_BYTES)
      // What is shown is what may come back.
      if (after instanceof Uint8Array) one.digest = createHash('sha256').update(after).digest('hex')
      const wasExecutable = mayRun(this.#outerStamps.get(name) ?? '')
      const isSame = (kind === 'changed' && wasExecutable) === one.isExecutable
      const becomes = isSame ? undefined : one.isExecutable ? 'executable' : 'not executable'
      return { before: contentIn(outer, name, MAX_DIFF_BYTES), after, becomes }
    }
    const changes = open.map(({ change }) => change)
    const diff = changesetText(changes, contentOf)
    const id = ++this.#lastProposal
    this.#proposed.set(id, [...byName.values()])
    this.#proposed.delete(id - MAX_PROPOSALS)
    return { id, changes, diff }
  }

  /** Applies or holds back changes, by the rules or by a choice; returns what became of each. */
  async #settle(found: readonly Found[], rules: ChangeRules, choice?: Choice): Promise<Change[]> {
    const judge = new ChangeJudge(rules, this.#facts(found), choice)
    const owner = ownerIn(this.#options.outer)
    const takeTurn = turns()
    const changes: Change[] = []
    for (const one of found) {
      await takeTurn()
      if (this.#isSettled(one)) continue
      const judged = judge.judge(one.change)
      const held = judged.held ?? this.#apply(one, owner)
      if (held !== undefined) this.#keepHeld(one)
      if (changes.length < MAX_LISTED_CHANGES) changes.push(held === undefined ? judged : { ...judged, held })
    }
    return changes
  }

  /** Returns what code changed: removals, the deepest first, then the rest in the order of a walk. Null if over the limits. */
  async #findChanges({ workspaceBytes, workspaceEntries }: DirectoryLimits): Promise<Found[] | null> {
    const { inner, outer, isLayered = false } = this.#options
    const maxEntries = (isLayered ? MAX_LAYERED_ENTRIES : workspaceEntries) + OWN_ENTRIES
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
      const stamp = stampOf(stats)
      const isKnown = this.#innerStamps.get(name) === stamp
      bytes += stats.isFile() && !(isLayered && isKnown) ? stats.size : 0
      if (bytes > workspaceBytes || seenNames.size > maxEntries) return null
      // What the user wrote meanwhile shows through layers.
      if (isKnown || (isLayered && stampSeen(outer, name) === stamp)) continue
      const target = entry === 'link' ? targetOf(at) : undefined
      const original = this.#outerStamps.get(name)
      const kind = original === undefined ? 'added' : 'changed'
      const was = original === undefined ? undefined : entryOfStamp(original)
      const one = { change: { name, kind, entry, target, was }, stamp, isExecutable: mayRun(stamp) } as const
      // A file that has the content of the original again, or still, is no change.
      if (this.#isUnchanged(one)) this.#innerStamps.set(name, stamp)
      else written.push(one)
    }
    const removed: Found[] = []
    for (const name of missing(this.#innerStamps, seenNames, unreadable)) {
      const entry = entryOfStamp(this.#outerStamps.get(name) ?? '')
      const change = { name, kind: 'removed', entry } as const
      const isThere = this.#outerStamps.has(name) && !isGone(outer, name)
      if (isThere) removed.push({ change, stamp: null, isExecutable: false })
      else this.#forget(name)
    }
    return [...removed, ...written]
  }

  #facts(found: readonly Found[]): DirectoryFacts {
    const changed = found.map(({ change }) => change.name)
    return directoryFacts(
      this.#options.outer,
      () => [...this.#outerStamps.keys(), ...changed, ...this.#innerStamps.keys()],
      () => [...this.#outerStamps].filter(([, stamp]) => entryOfStamp(stamp) === 'link').map(([name]) => name),
    )
  }

  /** Returns true if a file has the content of the original again, or still. */
  #isUnchanged({ change: { name, kind, entry }, isExecutable }: Found): boolean {
    if (kind !== 'changed' || entry !== 'file') return false
    const { inner, outer } = this.#options
    return mayRun(this.#outerStamps.get(name)!) === isExecutable && haveSameContent(inner, outer, name)
  }

  /** Returns true if another choice has settled the same change. */
  #isSettled({ change: { name }, stamp }: Found): boolean {
    return stamp === null ? !this.#innerStamps.has(name) : this.#innerStamps.get(name) === stamp
  }

  /** Applies a change to the user's directory; returns why it cannot, if so. */
  #apply(found: Found, owner: Owner): string | undefined {
    const { name } = found.change
    try {
      const digest = this.#bringOut(found, owner)
      if (found.stamp === null) {
        this.#forget(name)
        return undefined
      }
      this.#outerStamps.set(name, stampIn(this.#options.outer, name))
      this.#innerStamps.set(name, found.stamp)
      if (digest === undefined) this.#freshDigests.delete(name)
      else this.#freshDigests.set(name, digest)
      return undefined
    } catch (error) {
      if (error instanceof HeldBack) return error.message
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOSPC') throw error
      return code === 'EEXIST' ? IN_CONFLICT : existsSync(this.#options.outer) ? IN_THE_WAY : DIRECTORY_GONE
    }
  }

  /** Brings out a change; returns the digest of a file. Fails with {@link HeldBack} if it must not. */
  #bringOut({ change, stamp, digest: shown, isExecutable }: Found, owner: Owner): string | undefined {
    const { outer, inner } = this.#options
    const { name, entry, kind, target } = change
    const check = (): void => {
      if (!this.#isOriginal(change)) throw new HeldBack(IN_CONFLICT)
    }
    check()
    if (stamp === null) {
      if (!isGone(inner, name)) throw new HeldBack(CHANGED_SINCE)
      inParent(outer, name, (at) => (entry === 'directory' ? rmdirSync(at) : unlinkSync(at)))
      return undefined
    }
    if (entry === 'directory') {
      directoryConfined(outer, name, { owner, mode: 0o777, isMasked: true })
      return undefined
    }
    const there = inParent(outer, name, (at) => lstatSync(at, { throwIfNoEntry: false }))
    if (there?.isDirectory()) inParent(outer, name, (at) => rmdirSync(at))
    const isNew = kind === 'added' || there?.isDirectory() === true
    if (entry === 'link') {
      if (leavesBy(outer, targetInside(name, target!)!)) throw new HeldBack(LEADS_OUT)
      const link = (incomplete: string): void => linkConfined(outer, incomplete, target!, owner)
      writeAtOnce(outer, name, link, there?.isDirectory() ? {} : { check })
      return undefined
    }
    const source = inParent(inner, name, openFile)
    try {
      const hash = createHash('sha256')
      const copy = copyOptions(there?.isFile() ? there : undefined, { owner, isExecutable })
      let digest = ''
      writeAtOnce(outer, name, (incomplete) => copyConfined(outer, incomplete, source, { ...copy, hash }), {
        isNew,
        check: () => {
          digest = hash.digest('hex')
          if (shown !== undefined && shown !== digest) throw new HeldBack(CHANGED_SINCE)
          if (!isNew) check()
        },
      })
      return digest
    } finally {
      closeSync(source)
    }
  }

  /** Returns true if the entry of the user's directory is the one that was copied; a directory may be there already. */
  #isOriginal({ name, entry }: FoundChange): boolean {
    const { outer } = this.#options
    const now = stampNow(outer, name)
    if (now !== this.#outerStamps.get(name))
      return now !== undefined && entry === 'directory' && entryOfStamp(now) === 'directory'
    const digest = this.#freshDigests.get(name)
    return digest === undefined || digest === digestIn(outer, name)
  }

  /** Remembers the state of a change that was held back, so that it is told once. */
  #keepHeld({ change: { name }, stamp }: Found): void {
    if (stamp !== null) this.#innerStamps.set(name, stamp)
    else this.#innerStamps.delete(name)
  }
}

/** Returns a function that gives the event loop a turn now and then. */
function turns(): () => Promise<void> | undefined {
  let isOver = deadline(COPY_TURN_MS)
  return () => {
    if (!isOver()) return undefined
    isOver = deadline(COPY_TURN_MS)
    return new Promise((resolve) => void setImmediate(resolve))
  }
}

/** Returns the stamp of an entry; undefined if there is none, or if it cannot be reached. */
function stampSeen(root: string, name: string): string | undefined {
  try {
    return stampNow(root, name)
  } catch {
    return undefined
  }
}

const depthOf = (name: string): number => name.split('/').length

/** Returns the names that are no longer seen, though their directories could be read; the deepest first. */
const missing = (
  stamps: ReadonlyMap<string, string>,
  seen: ReadonlySet<string>,
  unreadable: readonly string[],
): string[] =>
  [...stamps.keys()]
    .filter((name) => !seen.has(name) && !isBelow(unreadable, name))
    .toSorted((a, b) => depthOf(b) - depthOf(a))

const isBelow = (directories: readonly string[], name: string): boolean =>
  directories.some((directory) => directory === '' || isWithin(directory, name))

const isWithin = (directory: string, name: string): boolean => `${name}/`.startsWith(`${directory}/`)

type EntryCopy = Pick<CopyOptions, 'owner' | 'hash' | 'clones'>

/** Errors of a path through a directory that code has removed or replaced. */
const NO_DIRECTORY_CODES: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

/**
 * Copies one entry; returns the stamp of the copy, or null if the entry is of another kind, or cannot be read or written. Calls
 * `onDirectory` for directories above it that it makes anew. Fails if the disk is full.
 */
function copyTo(to: string, entry: TreeEntry, options: EntryCopy, onDirectory: (name: string) => void): string | null {
  try {
    return copyEntry(to, entry, options)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw error
    // A directory is in place of the file.
    if (code === 'EISDIR' || code === 'EPERM') removeConfined(to, entry.name)
    else if (!NO_DIRECTORY_CODES.has(code)) return null
  }
  try {
    for (let end = entry.name.indexOf('/'); end > 0; end = entry.name.indexOf('/', end + 1)) {
      const directory = entry.name.slice(0, end)
      directoryConfined(to, directory, { owner: options.owner, mode: 0o755 })
      onDirectory(directory)
    }
    return copyEntry(to, entry, options)
  } catch {
    return null
  }
}

function copyEntry(to: string, { name, stats, at }: TreeEntry, options: EntryCopy): string | null {
  const { owner } = options
  if (stats.isDirectory()) {
    directoryConfined(to, name, { owner, mode: stats.mode | 0o700 })
    return stampOf(stats)
  }
  if (stats.isSymbolicLink()) {
    linkConfined(to, name, readlinkSync(at), owner)
    return stampIn(to, name)
  }
  if (!stats.isFile()) return null
  const source = openSync(at, OPEN_SOURCE_FLAGS)
  try {
    return stampOf(copyConfined(to, name, source, { ...options, mode: fstatSync(source).mode | 0o600 }))
  } finally {
    closeSync(source)
  }
}
