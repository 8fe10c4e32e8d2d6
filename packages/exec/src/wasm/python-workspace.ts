import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { makeConfined, removeConfined, writeConfined } from '../run/confined-file.ts'
import { nameFault } from '../read/file-name.ts'
import { walkTree } from '../run/walk-tree.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { encodeFrame, type TransferFrame } from './transfer-frames.ts'
import { MAX_DEPTH } from './python-files.ts'

type WorkspaceLimits = Pick<ExecutionLimits, 'fileBytes' | 'workspaceBytes' | 'workspaceEntries'>

/** Steps after which others get their turn: each is a directory or a file that is opened, or so many bytes. */
const STEPS_PER_TURN = 500
const BYTES_PER_STEP = 65_536

/**
 * Lets timers and signals of the program have their turn while many files are copied: asked with the steps that come, it
 * waits after some hundreds of them.
 */
function turns(): (more: number) => Promise<void> {
  let steps = 0
  return async (more) => {
    steps += more
    if (steps < STEPS_PER_TURN) return
    steps = 0
    await setImmediate()
  }
}

const stepsTo = (path: string): number => path.split('/').length + 1

/** Files and directories of a work directory, encodeFrame; links and everything else stay outside. Null for too much. */
export async function filesOf(
  workDir: string,
  { workspaceBytes, workspaceEntries }: WorkspaceLimits,
): Promise<{ pieces: Uint8Array[]; names: ReadonlySet<string> } | null> {
  const turn = turns()
  const pieces: Uint8Array[] = []
  const names = new Set<string>()
  let entries = 0
  let bytes = 0
  for (const { name, stats, at, depth } of walkTree(workDir)) {
    const size = stats.isFile() ? stats.size : 0
    entries++
    bytes += size
    if (entries > workspaceEntries || bytes > workspaceBytes || depth + 1 >= MAX_DEPTH) return null
    await turn(1 + size / BYTES_PER_STEP)
    const body = stats.isFile() ? readPlain(at) : null
    if (!stats.isDirectory() && body === null) continue
    pieces.push(...encodeFrame({ path: name, kind: body ? 'file' : 'directory' }, body ?? undefined))
    names.add(name)
  }
  return { pieces, names }
}

/**
 * Makes a work directory what a process says its own has become; false when that is more than it may be. The process may
 * say anything: names are held to those of blocks, sizes and numbers to the limits, no link is followed, and what was not
 * sent to it is not removed.
 */
export async function keepFiles(
  workDir: string,
  said: readonly TransferFrame[],
  sent: ReadonlySet<string>,
  {
    isGuarded = () => false,
    ...limits
  }: WorkspaceLimits & { readonly isGuarded?: ((path: string) => boolean) | undefined },
): Promise<boolean> {
  const left = new Map<string, TransferFrame>()
  let bytes = 0
  for (const parcel of said) {
    const { path } = parcel.header
    const { length } = parcel.body
    if (typeof path !== 'string' || nameFault(path) !== null || length > limits.fileBytes) continue
    bytes += length
    const deep = path.split('/').length > MAX_DEPTH
    if (deep || left.size >= limits.workspaceEntries || bytes > limits.workspaceBytes) return false
    left.set(path, parcel)
  }
  const turn = turns()
  for (const name of [...sent].toReversed()) {
    if (left.has(name) || isGuarded(name)) continue
    await turn(stepsTo(name))
    removeConfined(workDir, name)
  }
  for (const [path, { header, body }] of left) {
    if (isGuarded(path)) continue
    await turn(stepsTo(path) + body.length / BYTES_PER_STEP)
    try {
      if (header['kind'] === 'directory') makeConfined(workDir, path)
      else if (header['kind'] === 'file') writeConfined(workDir, path, body)
    } catch {
      // A directory where a file should be, or the reverse: what was there stays.
    }
  }
  return true
}

/** Reads a plain file, which may have become something else meanwhile; null when it has. */
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
