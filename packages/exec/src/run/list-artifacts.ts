import type { Stats } from 'node:fs'
import type { Artifact } from '@x/interfaces'
import { deadline } from './clock.ts'
import { MAX_DEPTH, walkTree } from './walk-tree.ts'

/** Entries that are listed at most; the rest of a flooded directory is left out. */
const MAX_ARTIFACTS = 1_000

/** Milliseconds that a listing may take; entries that it has not reached by then are left out. */
const LISTING_TIMEOUT_MS = 250

/** Milliseconds that one measurement of a directory may take. */
const MEASURE_TIMEOUT_MS = 100

/** Entries that are visited regardless of the time, so that a busy machine does not make a directory look too large. */
const MIN_VISITED_ENTRIES = 500

/**
 * Lists the contents of a directory tree, each directory sorted by name. Links are listed and never followed, also when one
 * replaces a directory meanwhile, and no file is opened. Never throws.
 */
export function listArtifacts(
  root: string,
  maxArtifacts: number = MAX_ARTIFACTS,
  timeoutMs: number = LISTING_TIMEOUT_MS,
): Artifact[] {
  const artifacts: Artifact[] = []
  const isOver = deadline(timeoutMs)
  for (const { name, stats } of walkTree(root)) {
    if (artifacts.length >= maxArtifacts || (artifacts.length >= MIN_VISITED_ENTRIES && isOver())) break
    const kind = kindOf(stats)
    artifacts.push({ name, size: kind === 'directory' ? 0 : stats.size, kind })
  }
  return artifacts
}

function kindOf(stats: Stats): Artifact['kind'] {
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'directory'
  return stats.isFile() ? 'file' : 'other'
}

/** Size of a directory tree. */
export interface TreeSize {
  /** Bytes on the disk, counted in blocks. */
  readonly bytes: number
  readonly entries: number
  /** True if the tree is too deep, or took too long to count. */
  readonly unbounded: boolean
}

/** Adds up a directory tree; stops early if `isEnough` returns true, or when the time is over. */
function treeSize(
  root: string,
  isEnough: (size: { bytes: number; entries: number }) => boolean,
  timeoutMs: number = MEASURE_TIMEOUT_MS,
): TreeSize {
  const isOver = deadline(timeoutMs)
  const size = { bytes: 0, entries: 0 }
  let unbounded = false
  const countedFiles = new Set<string>()
  for (const { stats, depth } of walkTree(root)) {
    size.entries++
    // A file with several names takes its space once.
    const file = `${stats.dev}:${stats.ino}`
    if (!stats.isDirectory() && !countedFiles.has(file)) size.bytes += stats.blocks * 512
    if (stats.nlink > 1) countedFiles.add(file)
    unbounded ||= stats.isDirectory() && depth + 1 >= MAX_DEPTH
    unbounded ||= size.entries > MIN_VISITED_ENTRIES && isOver()
    if (unbounded || isEnough(size)) break
  }
  return { ...size, unbounded }
}

/** Returns the size of a directory tree, as far as time allows. */
export const directorySize = (root: string): TreeSize => treeSize(root, () => false)

/** Limits of a work directory. */
export interface DirectoryLimits {
  readonly workspaceBytes: number
  readonly workspaceEntries: number
}

/** Text for a directory over its limits. */
export const DIRECTORY_TOO_FULL =
  'the work directory is over its limits: remove files from it, or raise `workspaceBytes` and `workspaceEntries` of `limits`'

/** Bytes and entries above which a directory of the user's is not copied whole where the kernel can lay changes over it. */
const LARGE_DIRECTORY: DirectoryLimits = { workspaceBytes: 256 * 2 ** 20, workspaceEntries: 10_000 }

/** Milliseconds that measuring a directory of the user's may take; one that takes longer is large. */
const LARGE_TIMEOUT_MS = 500

/** Returns true if a directory of the user's is too large to be copied whole, in any case or within limits. */
export function isLarge(root: string, { workspaceBytes, workspaceEntries }: DirectoryLimits): boolean {
  const most = {
    workspaceBytes: Math.min(workspaceBytes, LARGE_DIRECTORY.workspaceBytes),
    workspaceEntries: Math.min(workspaceEntries, LARGE_DIRECTORY.workspaceEntries),
  }
  return isOverfull(root, most, LARGE_TIMEOUT_MS)
}

/** Returns true if a directory is over its limits: too many bytes, too many entries, or directories that are too deep. */
export function isOverfull(root: string, limits: DirectoryLimits, timeoutMs: number = MEASURE_TIMEOUT_MS): boolean {
  const isOver = ({ bytes, entries }: { bytes: number; entries: number }): boolean =>
    entries > limits.workspaceEntries || bytes > limits.workspaceBytes
  const size = treeSize(root, isOver, timeoutMs)
  return size.unbounded || isOver(size)
}
