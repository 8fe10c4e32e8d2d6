import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, rmdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import {
  IN_CONFLICT,
  IN_THE_WAY,
  judge,
  MAX_LISTED_CHANGES,
  type Change,
  type ChangeRules,
} from '../changes/changeset.ts'
import { plainName } from '../changes/risk-marks.ts'
import {
  inConfined,
  isIncomplete,
  makeConfined,
  removeConfined,
  writeAtOnce,
  writeConfined,
} from '../run/confined-file.ts'
import { nameFault } from '../read/file-name.ts'
import { walkTree } from '../run/walk-tree.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { encodeFrame, type TransferFrame } from './transfer-frames.ts'
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
  readonly given: Content
  readonly original: Content | undefined
}

/** Changes that were held back, by name: what blocks see, undefined if removed, and the original at that time. */
export type HeldFiles = Map<string, { readonly seen: Content | undefined; readonly original: Content | undefined }>

const isSame = (one: Content | undefined, other: Content | undefined): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other

/**
 * Returns the files and directories of a work directory as frames, without links, with the changes that were held back; null
 * if it is over its limits. A held change of a file that the user changed since is dropped.
 */
export async function readFiles(
  workDir: string,
  { workspaceBytes, workspaceEntries }: WorkspaceLimits,
  held: HeldFiles = new Map(),
): Promise<{ pieces: Uint8Array[]; sent: ReadonlyMap<string, SentEntry> } | null> {
  const countSteps = stepCounter()
  const sent = new Map<string, SentEntry>()
  let entries = 0
  let bytes = 0
  for (const { name, stats, at, depth } of walkTree(workDir)) {
    if (isIncomplete(name)) continue
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
    else if (seen === undefined) sent.delete(name)
    else sent.set(name, { given: seen, original })
  }
  const pieces = [...sent].flatMap(([path, { given }]) =>
    encodeFrame({ path, kind: given ? 'file' : 'directory' }, given ?? undefined),
  )
  return { pieces, sent }
}

/** How changes are written to a work directory. */
interface WriteOptions {
  readonly limits: WorkspaceLimits
  /** Rules for the changes that come back to the directory of the user; absent in a directory that the executor made. */
  readonly rules?: ChangeRules | undefined
  readonly held?: HeldFiles | undefined
}

/**
 * Updates a work directory with the files that a process sends; returns what changed, or null if they are over the limits. The
 * process is not trusted: names must be valid file names of blocks, sizes and numbers within the limits, no link is followed,
 * and only files that were sent to the process are removed.
 */
export async function writeFiles(
  workDir: string,
  received: readonly TransferFrame[],
  sent: ReadonlyMap<string, SentEntry>,
  { limits, rules, held = new Map() }: WriteOptions,
): Promise<Change[] | null> {
  const files = validFiles(received, limits)
  if (files === null) return null
  const repositories = new Set<string>()
  for (const name of [...files.keys(), ...sent.keys()]) {
    const slash = name.lastIndexOf('/')
    if (plainName(name.slice(slash + 1)) === 'head') repositories.add(name.slice(0, Math.max(slash, 0)))
  }
  const isRepository = (directory: string): boolean => repositories.has(directory)
  const countSteps = stepCounter()
  const changes: Change[] = []
  const settle = async (name: string, content: Content | undefined): Promise<void> => {
    const original = sent.get(name)?.original
    const entry = (content === undefined ? original : content) === null ? 'directory' : 'file'
    const kind = content === undefined ? 'removed' : original === undefined ? 'added' : 'changed'
    const judged: Change = rules ? judge({ name, kind, entry }, rules, isRepository) : { name, kind, entry }
    await countSteps(stepsTo(name) + (content?.length ?? 0) / BYTES_PER_STEP)
    const why = judged.held ?? change(workDir, name, { content, original: rules ? { content: original } : undefined })
    if (why === undefined) held.delete(name)
    else if (rules) held.set(name, { seen: content, original })
    if (changes.length < MAX_LISTED_CHANGES) changes.push(why === undefined ? judged : { ...judged, held: why })
  }
  // The contents of a directory before the directory.
  for (const name of [...sent.keys()].toSorted((a, b) => stepsTo(b) - stepsTo(a)))
    if (!files.has(name)) await settle(name, undefined)
  for (const [path, { header, body }] of files) {
    const content = header['kind'] === 'directory' ? null : header['kind'] === 'file' ? body : undefined
    if (content !== undefined && !isSame(content, sent.get(path)?.given)) await settle(path, content)
  }
  return changes
}

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

/** Writes or removes one entry, if it is still the original where one is given; returns why it cannot. */
function change(
  workDir: string,
  name: string,
  { content, original }: { content: Content | undefined; original: { content: Content | undefined } | undefined },
): string | undefined {
  try {
    const now = contentAt(workDir, name)
    const isMade = content === null && now === null
    if (original && !isMade && !isSame(now, original.content)) return IN_CONFLICT
    if (content === undefined) {
      if (now === null && original) removeEmpty(workDir, name)
      else removeConfined(workDir, name)
    } else if (content === null) {
      if (now instanceof Uint8Array) removeConfined(workDir, name)
      makeConfined(workDir, name)
    } else {
      if (now === null) removeEmpty(workDir, name)
      writeAtOnce(workDir, name, (incomplete) => writeConfined(workDir, incomplete, content))
    }
    return undefined
  } catch {
    return IN_THE_WAY
  }
}

const atName = <T>(root: string, name: string, work: (at: string) => T): T => {
  const slash = name.lastIndexOf('/')
  return inConfined(root, name.slice(0, Math.max(slash, 0)), (at) => work(`${at}/${name.slice(slash + 1)}`))
}

const removeEmpty = (root: string, name: string): void => atName(root, name, (at) => rmdirSync(at))

/** Returns the content of an entry now; undefined if there is none. Fails if it is a link, or another kind of file. */
function contentAt(root: string, name: string): Content | undefined {
  try {
    return atName(root, name, (at) => {
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
