import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { makeConfined, removeConfined, writeConfined } from '../run/confined-file.ts'
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

/** Returns the files and directories of a work directory as frames, without links; null if it is over its limits. */
export async function readFiles(
  workDir: string,
  { workspaceBytes, workspaceEntries }: WorkspaceLimits,
): Promise<{ pieces: Uint8Array[]; names: ReadonlySet<string> } | null> {
  const countSteps = stepCounter()
  const pieces: Uint8Array[] = []
  const names = new Set<string>()
  let entries = 0
  let bytes = 0
  for (const { name, stats, at, depth } of walkTree(workDir)) {
    const size = stats.isFile() ? stats.size : 0
    entries++
    bytes += size
    if (entries > workspaceEntries || bytes > workspaceBytes || depth + 1 >= MAX_DEPTH) return null
    await countSteps(1 + size / BYTES_PER_STEP)
    const body = stats.isFile() ? readPlain(at) : null
    if (!stats.isDirectory() && body === null) continue
    pieces.push(...encodeFrame({ path: name, kind: body ? 'file' : 'directory' }, body ?? undefined))
    names.add(name)
  }
  return { pieces, names }
}

/**
 * Updates a work directory with the files that a process sends; returns false if they are over the limits. The process is not
 * trusted: names must be valid file names of blocks, sizes and numbers within the limits, no link is followed, and only files
 * that were sent to the process are removed.
 */
export async function writeFiles(
  workDir: string,
  received: readonly TransferFrame[],
  sent: ReadonlySet<string>,
  {
    isGuarded = () => false,
    ...limits
  }: WorkspaceLimits & { readonly isGuarded?: ((path: string) => boolean) | undefined },
): Promise<boolean> {
  const files = new Map<string, TransferFrame>()
  let bytes = 0
  for (const frame of received) {
    const { path } = frame.header
    const { length } = frame.body
    if (typeof path !== 'string' || nameFault(path) !== null || length > limits.fileBytes) continue
    bytes += length
    const isTooDeep = path.split('/').length > MAX_DEPTH
    if (isTooDeep || files.size >= limits.workspaceEntries || bytes > limits.workspaceBytes) return false
    files.set(path, frame)
  }
  const countSteps = stepCounter()
  for (const name of [...sent].toReversed()) {
    if (files.has(name) || isGuarded(name)) continue
    await countSteps(stepsTo(name))
    removeConfined(workDir, name)
  }
  for (const [path, { header, body }] of files) {
    if (isGuarded(path)) continue
    await countSteps(stepsTo(path) + body.length / BYTES_PER_STEP)
    try {
      if (header['kind'] === 'directory') makeConfined(workDir, path)
      else if (header['kind'] === 'file') writeConfined(workDir, path, body)
    } catch {
      // A directory is in place of a file, or the reverse; it stays.
    }
  }
  return true
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
