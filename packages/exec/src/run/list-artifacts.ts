import type { Stats } from 'node:fs'
import type { Artifact } from '@x/interfaces'
import { deadline } from './deadline.ts'
import { MAX_DEPTH, walkTree } from './walk-tree.ts'

/** At most this many rows; the rest of a flooded directory is not listed. */
const MAX_ARTIFACTS = 1_000

/** Milliseconds that a listing may take; what it has not come to by then is not listed. */
const LISTING_TIMEOUT_MS = 250

/** Milliseconds that one look at the size of a directory may take. */
const MEASURE_TIMEOUT_MS = 100

/** Entries that are looked at whatever the time: a machine that is busy elsewhere makes no directory too large. */
const MIN_VISITED_ENTRIES = 500

/**
 * Lists what lies in a directory and below it, names of each directory sorted; links are listed and never followed, also
 * when they take the place of a directory meanwhile, and no file is opened. Never throws.
 */
export function listArtifacts(
  root: string,
  most: number = MAX_ARTIFACTS,
  within: number = LISTING_TIMEOUT_MS,
): Artifact[] {
  const artifacts: Artifact[] = []
  const isOver = deadline(within)
  for (const { name, stats } of walkTree(root)) {
    if (artifacts.length >= most || (artifacts.length >= MIN_VISITED_ENTRIES && isOver())) break
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

/** Size of a directory with all below it. */
export interface TreeSize {
  /** Bytes that it takes on the disk: blocks, which a size does not tell. */
  readonly bytes: number
  readonly entries: number
  /** True if it lies too deep to be counted, or took too long. */
  readonly endless: boolean
}

/** Adds up a directory; stops early where `enough` says so, or when it takes too long. */
function treeSize(
  root: string,
  enough: (size: { bytes: number; entries: number }) => boolean,
  within: number = MEASURE_TIMEOUT_MS,
): TreeSize {
  const isOver = deadline(within)
  const size = { bytes: 0, entries: 0 }
  let endless = false
  const seen = new Set<string>()
  for (const { stats, depth } of walkTree(root)) {
    size.entries++
    // Several names of one file take its room once.
    const file = `${stats.dev}:${stats.ino}`
    if (!stats.isDirectory() && !seen.has(file)) size.bytes += stats.blocks * 512
    if (stats.nlink > 1) seen.add(file)
    endless ||= stats.isDirectory() && depth + 1 >= MAX_DEPTH
    endless ||= size.entries > MIN_VISITED_ENTRIES && isOver()
    if (endless || enough(size)) break
  }
  return { ...size, endless }
}

/** Adds up a directory and all below it, as far as time allows. */
export const directorySize = (root: string): TreeSize => treeSize(root, () => false)

/** Limits of a work directory. */
export interface DirectoryLimits {
  readonly workspaceBytes: number
  readonly workspaceEntries: number
}

/** Returns true if a directory holds more than it may: too many bytes, too many entries, or directories too deep. */
export function overfull(root: string, limits: DirectoryLimits, within: number = MEASURE_TIMEOUT_MS): boolean {
  const over = ({ bytes, entries }: { bytes: number; entries: number }): boolean =>
    entries > limits.workspaceEntries || bytes > limits.workspaceBytes
  const size = treeSize(root, over, within)
  return size.endless || over(size)
}
