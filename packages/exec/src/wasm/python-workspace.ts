import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, rmdirSync, unlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import {
  ChangeJudge,
  directoryFacts,
  IN_CONFLICT,
  IN_THE_WAY,
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
import { changesetText, MAX_DIFF_BYTES } from '../changes/changeset-text.ts'
import {
  copyConfined,
  directoryConfined,
  isIncomplete,
  makeConfined,
  removeConfined,
  writeAtOnce,
  writeConfined,
} from '../run/confined-file.ts'
import { copyOptions, inParent, ownerIn } from '../run/entries.ts'
import { nameFault } from '../read/file-name.ts'
import { walkTree } from '../run/walk-tree.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import type { TransferFrame } from './transfer-frames.ts'
import { MAX_DEPTH } from './python-files.ts'

type WorkspaceLimits = Pick<ExecutionLimits, 'fileBytes' | 'workspaceBytes' | 'workspaceEntries'>

/** Steps of copying after which the event loop gets a turn. A step opens a file or directory, or copies some bytes. */
const STEPS_PER_TURN = 500
const BYTES_PER_STEP = 65_536

/** Returns a function that counts steps of copying, and gives timers and signals of the program a turn now and then. */
function stepCounter(): (count: number) => Promise<void> {
  let steps = 0
  return async (count) => {
    steps += count
    if (steps < STEPS_PER_TURN) return
    steps = 0
    await setImmediate()
  }
}

const stepsTo = (path: string): number => path.split('/').length + 1

/** Content of an entry: the bytes of a file, or null for a directory. */
type Content = Uint8Array | null

/** An entry as a process gets it, and as it is in the work directory; undefined if it is not there. */
export interface SentEntry {
  readonly given: Content | undefined
  readonly original: Content | undefined
  /** True for the file of the block, which this program has written. */
  readonly isOwn?: boolean
}

/** Changes that were held back, by name: what blocks see, undefined if removed, and the original at that time. */
export type HeldFiles = Map<string, { readonly seen: Content | undefined; readonly original: Content | undefined }>

const isSame = (one: Content | undefined, other: Content | undefined): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other

/**
 * Returns the files and directories of a work directory, without links, with the changes that were held back; null if it is
 * over its limits. A held change of a file that the user changed since is dropped.
 */
export async function readFiles(
  workDir: string,
  { workspaceBytes, workspaceEntries }: WorkspaceLimits,
  held: HeldFiles = new Map(),
  onLink?: (name: string) => void,
): Promise<Map<string, SentEntry> | null> {
  const countSteps = stepCounter()
  const sent = new Map<string, SentEntry>()
  let entries = 0
  let bytes = 0
  for (const { name, stats, at, depth } of walkTree(workDir)) {
    if (isIncomplete(name)) continue
    if (stats.isSymbolicLink()) onLink?.(name)
    const size = stats.isFile() ? stats.size : 0
    entries++
    bytes += size
    if (entries > workspaceEntries || bytes > workspaceBytes || depth + 1 >= MAX_DEPTH) return null
    await countSteps(1 + size / BYTES_PER_STEP)
    const body = stats.isFile() ? readPlain(at) : null
    if (stats.isDirectory() || body !== null) sent.set(name, { given: body, original: body })
  }
  for (const [name, { seen, original }] of held) {
    if (!isSame(sent.get(name)?.original, original)) held.delete(name)
    else sent.set(name, { given: seen, original })
  }
  return sent
}

/** Returns the entries that a process gets. */
export function* givenIn(sent: ReadonlyMap<string, SentEntry>): Generator<readonly [path: string, content: Content]> {
  for (const [path, { given }] of sent) if (given !== undefined) yield [path, given]
}

/** A change that a process made; its content is undefined if the entry was removed. */
interface FoundFile {
  readonly change: FoundChange
  readonly content: Content | undefined
  readonly original: Content | undefined
  /** True for the file of the block, as this program wrote it. */
  readonly isOwn: boolean
}

/**
 * Updates a work directory that the executor made with the files that a process sends; returns false if they are over the
 * limits. The process is not trusted: names must be valid file names of blocks, sizes and numbers within the limits, no link is
 * followed, and only files that were sent to the process are removed.
 */
export async function writeFiles(
  workDir: string,
  received: readonly TransferFrame[],
  sent: ReadonlyMap<string, SentEntry>,
  limits: WorkspaceLimits,
): Promise<boolean> {
  const changes = findChanges(received, sent, limits)
  if (changes === null) return false
  const countSteps = stepCounter()
  for (const { change, content } of changes.found) {
    await countSteps(stepsTo(change.name) + (content?.length ?? 0) / BYTES_PER_STEP)
    writeEntry(workDir, change.name, content)
  }
  return true
}

/**
 * Returns what a process changed: removals, the contents of a directory before it, then the rest; and the names of entries
 * that it removed and only blocks have seen. Null if the files are over the limits.
 */
function findChanges(
  received: readonly TransferFrame[],
  sent: ReadonlyMap<string, SentEntry>,
  limits: WorkspaceLimits,
): { readonly found: readonly FoundFile[]; readonly dropped: readonly string[] } | null {
  const files = validFiles(received, limits)
  if (files === null) return null
  const found: FoundFile[] = []
  const dropped: string[] = []
  const add = (name: string, content: Content | undefined): void => {
    const { original, given, isOwn = false }: Partial<SentEntry> = sent.get(name) ?? {}
    const entry = (content === undefined ? original : content) === null ? 'directory' : 'file'
    const kind = content === undefined ? 'removed' : original === undefined ? 'added' : 'changed'
    const was = original === undefined ? undefined : original === null ? 'directory' : 'file'
    found.push({ change: { name, kind, entry, was }, content, original, isOwn: isOwn && isSame(content, given) })
  }
  for (const [name] of [...givenIn(sent)].toSorted(([a], [b]) => stepsTo(b) - stepsTo(a))) {
    if (files.has(name)) continue
    if (sent.get(name)!.original === undefined) dropped.push(name)
    else add(name, undefined)
  }
  for (const [path, { header, body }] of files) {
    const { given, original, isOwn = false }: Partial<SentEntry> = sent.get(path) ?? {}
    const { kind } = header
    // Of a file that it did not change, a process sends the name alone.
    const content = kind === 'directory' ? null : kind === 'file' ? body : given
    if (content !== undefined && !isSame(content, isOwn ? original : given)) add(path, content)
  }
  return { found, dropped }
}

/** The fate of the files that a process sent, as a mirror tells it. */
interface WrittenOut {
  readonly fits: boolean
  readonly changes: readonly Change[]
  readonly proposal?: Proposal | undefined
}

/** How the changes of a job come out. */
interface WriteOptions {
  readonly limits: WorkspaceLimits
  /** True if the changes are proposed to somebody who chooses. */
  readonly asks?: boolean | undefined
  /** True if the file of the block is a change like others. */
  readonly tellsOwn?: boolean | undefined
}

/** A directory of the user's, of which processes get copies; keeps what was held back for later ones. */
export class GivenDirectory {
  readonly #path: string
  readonly #rules: ChangeRules
  readonly #held: HeldFiles = new Map()
  /** Changes that wait for a choice, by the id of their proposal. */
  readonly #proposed: Map<number, readonly FoundFile[]> = new Map()
  /** Proposed changes without a decision, as after a run that was stopped at its question. */
  readonly #undecided: Map<string, FoundFile> = new Map()
  #lastProposal = 0
  #lastNames: readonly string[] = []
  /** Links of the user's, which Python does not see. */
  #links: readonly string[] = []

  constructor(path: string, rules: ChangeRules) {
    this.#path = path
    this.#rules = rules
  }

  /**
   * Returns the files for a process, with the file of its block; null if they are over the limits. Fails if something else has
   * the name of that file.
   */
  async read(limits: WorkspaceLimits, file: string, code: string): Promise<Map<string, SentEntry> | null> {
    const links: string[] = []
    const sent = await readFiles(this.#path, limits, this.#held, (name) => links.push(name))
    this.#links = links
    if (sent === null) return null
    const there = sent.get(file)
    const parents = parentsOf(file)
    if (there?.given === null || parents.some((name) => sent.get(name)?.given instanceof Uint8Array))
      throw new Error(`cannot save \`${file}\` in the workspace: choose another name`)
    for (const name of parents) if (!sent.has(name)) sent.set(name, { given: null, original: undefined, isOwn: true })
    sent.set(file, { given: Buffer.from(code), original: there?.original, isOwn: true })
    return sent
  }

  /** Writes out the changes that the rules allow, or proposes them; without frames, only the file of the block. */
  async write(
    frames: readonly TransferFrame[] | null,
    sent: ReadonlyMap<string, SentEntry>,
    { limits, asks = false, tellsOwn = false }: WriteOptions,
  ): Promise<WrittenOut> {
    const changed = findChanges(frames ?? unchangedFrames(sent), sent, limits)
    if (changed === null) return { fits: false, changes: [] }
    const all = changed.found
    for (const name of changed.dropped) this.#held.delete(name)
    this.#lastNames = [...all.map(({ change }) => change.name), ...sent.keys()]
    const own = tellsOwn ? [] : all.filter(({ isOwn }) => isOwn)
    const found = tellsOwn ? all : all.filter(({ isOwn }) => !isOwn)
    // The file that the executor named comes back without being told, unless somebody is to be asked.
    if (!asks && this.#rules.apply !== 'unasked') await this.#settle(own, this.#rules)
    if (!asks) return { fits: true, changes: await this.#settle(found, this.#rules) }
    const { open, rest } = partByChoice([...found, ...this.#proposedBefore(all)], this.#rules, this.#facts())
    const changes = await this.#settle(rest, this.#rules)
    return { fits: true, changes, proposal: open.length === 0 ? undefined : this.#propose(open) }
  }

  /** Applies the choice on a proposal; returns what became of its changes. */
  async settle(id: number, choice: Choice): Promise<readonly Change[]> {
    const found = this.#proposed.get(id) ?? []
    this.#proposed.delete(id)
    for (const one of found) {
      const { name } = one.change
      if (this.#undecided.get(name) === one) this.#undecided.delete(name)
    }
    return await this.#settle(found, this.#rules, choice)
  }

  /** Returns the changes that are still to be decided on, and that blocks still see, besides new ones. */
  #proposedBefore(changed: readonly FoundFile[]): FoundFile[] {
    const names = new Set(changed.map(({ change }) => change.name))
    return [...this.#undecided.values()].filter(({ change: { name }, content }) => {
      const held = this.#held.get(name)
      return held !== undefined && held.seen === content && !names.has(name)
    })
  }

  #propose(open: readonly { readonly one: FoundFile; readonly change: Change }[]): Proposal {
    const changes = open.map(({ change }) => change)
    const byName = new Map(open.map(({ one }) => [one.change.name, one]))
    const diff = changesetText(changes, ({ name }) => {
      const { content, original } = byName.get(name)!
      return { before: shownContent(original), after: shownContent(content) }
    })
    const id = ++this.#lastProposal
    const found = [...byName.values()]
    this.#proposed.set(id, found)
    this.#proposed.delete(id - MAX_PROPOSALS)
    // Later blocks see the changes, whatever the choice.
    for (const one of found) {
      const { change, content, original } = one
      this.#held.set(change.name, { seen: content, original })
      this.#undecided.set(change.name, one)
    }
    return { id, changes, diff }
  }

  async #settle(found: readonly FoundFile[], rules: ChangeRules, choice?: Choice): Promise<Change[]> {
    const judge = new ChangeJudge(rules, this.#facts(), choice)
    const countSteps = stepCounter()
    const changes: Change[] = []
    for (const { change, content, original } of found) {
      const { name } = change
      const judged = judge.judge(change)
      await countSteps(stepsTo(name) + (content?.length ?? 0) / BYTES_PER_STEP)
      const held = judged.held ?? bringOut(this.#path, name, { content, original })
      if (held === undefined) this.#held.delete(name)
      else this.#held.set(name, { seen: content, original })
      if (changes.length < MAX_LISTED_CHANGES) changes.push(held === undefined ? judged : { ...judged, held })
    }
    return changes
  }

  #facts(): DirectoryFacts {
    const names = this.#lastNames
    return directoryFacts(
      this.#path,
      () => names,
      () => this.#links,
    )
  }
}

const shownContent = (content: Content | undefined): Uint8Array | number | undefined =>
  content && content.length > MAX_DIFF_BYTES ? content.length : (content ?? undefined)

function parentsOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Returns entries as a process sends them that changed nothing. */
const unchangedFrames = (sent: ReadonlyMap<string, SentEntry>): TransferFrame[] =>
  [...givenIn(sent)].map(([path, given]) => ({
    header: { path, kind: given ? 'file' : 'directory' },
    body: given ?? new Uint8Array(),
  }))

/** Returns the files that a process may send, by name; null if they are over the limits. */
function validFiles(received: readonly TransferFrame[], limits: WorkspaceLimits): Map<string, TransferFrame> | null {
  const files = new Map<string, TransferFrame>()
  let bytes = 0
  for (const frame of received) {
    const { path } = frame.header
    const { length } = frame.body
    if (typeof path !== 'string' || nameFault(path) !== null || length > limits.fileBytes) continue
    bytes += length
    const isTooDeep = path.split('/').length > MAX_DEPTH
    if (isTooDeep || files.size >= limits.workspaceEntries || bytes > limits.workspaceBytes) return null
    files.set(path, frame)
  }
  return files
}

/** Writes or removes one entry of a directory that the executor made, as far as that can be done. */
function writeEntry(workDir: string, name: string, content: Content | undefined): void {
  try {
    if (content === undefined || (content === null && contentAt(workDir, name) instanceof Uint8Array))
      removeConfined(workDir, name)
    if (content === null) makeConfined(workDir, name)
    else if (content) writeConfined(workDir, name, content)
  } catch {
    // Something else is in its place, such as a link.
  }
}

/** Writes or removes one entry of the user's directory, if it is still the original; returns why it cannot. */
function bringOut(
  workDir: string,
  name: string,
  { content, original }: Pick<FoundFile, 'content' | 'original'>,
): string | undefined {
  const isOriginal = (): boolean => {
    const now = contentAt(workDir, name)
    return isSame(now, original) || (content === null && now === null)
  }
  try {
    if (!isOriginal()) return IN_CONFLICT
    const stats = inParent(workDir, name, (at) => lstatSync(at, { throwIfNoEntry: false }))
    const isEmptied = stats?.isDirectory() === true && content !== null
    if (isEmptied) inParent(workDir, name, (at) => rmdirSync(at))
    const isReplaced = stats?.isFile() === true && !(content instanceof Uint8Array)
    if (isReplaced) inParent(workDir, name, (at) => unlinkSync(at))
    const owner = ownerIn(workDir)
    if (content === null) directoryConfined(workDir, name, { owner, mode: 0o777, isMasked: true })
    if (!(content instanceof Uint8Array)) return undefined
    const there = stats?.isFile() ? stats : undefined
    const isExecutable = ((there?.mode ?? 0) & constants.S_IXUSR) !== 0
    const copy = copyOptions(there, { owner, isExecutable })
    const check = (): void => {
      if (there && !isOriginal()) throw Object.assign(new Error(IN_CONFLICT), { code: 'EEXIST' })
    }
    const write = (incomplete: string): void => void copyConfined(workDir, incomplete, content, copy)
    writeAtOnce(workDir, name, write, { isNew: !there, check })
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? IN_CONFLICT : IN_THE_WAY
  }
}

/** Returns the content of an entry now; undefined if there is none. Fails if it is a link, or another kind of file. */
function contentAt(root: string, name: string): Content | undefined {
  try {
    return inParent(root, name, (at) => {
      const stats = lstatSync(at, { throwIfNoEntry: false })
      if (stats === undefined) return undefined
      if (stats.isDirectory()) return null
      const content = readPlain(at)
      if (content === null) throw new Error('it is not a plain file')
      return content
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Reads a plain file; returns null if something else has replaced it meanwhile. */
function readPlain(at: string): Uint8Array | null {
  let file: number | undefined
  try {
    file = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    return fstatSync(file).isFile() ? readFileSync(file) : null
  } catch {
    return null
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
