import { readdirSync, lstatSync, type Stats } from 'node:fs'
import type { Artifact } from '@x/interfaces'
import { inConfined } from './confined-file.ts'

/** At most this many rows; the rest of a flooded directory is not listed. */
const MOST = 1_000

/** Directories that lie deeper are listed and not looked into. */
const DEEPEST = 64

/**
 * What lies in a directory and below it, names sorted; links are listed and never followed, also when they take the
 * place of a directory meanwhile, and nothing is opened. Never throws.
 */
export function listArtifacts(root: string, most: number = MOST): Artifact[] {
  const artifacts: Artifact[] = []
  const left = ['']
  for (const directory of left) {
    if (artifacts.length >= most) break
    for (const [name, stats] of entriesOf(root, directory, most - artifacts.length)) {
      const path = directory === '' ? name : `${directory}/${name}`
      const kind = kindOf(stats)
      artifacts.push({ name: path, size: kind === 'directory' ? 0 : stats.size, kind })
      if (kind === 'directory' && path.split('/').length < DEEPEST) left.push(path)
    }
  }
  return artifacts
}

function entriesOf(root: string, directory: string, most: number): [name: string, stats: Stats][] {
  try {
    return inConfined(root, directory, (at) => {
      const entries: [string, Stats][] = []
      for (const name of readdirSync(at).toSorted()) {
        if (entries.length >= most) break
        const stats = lstatSync(`${at}/${name}`, { throwIfNoEntry: false })
        if (stats) entries.push([name, stats])
      }
      return entries
    })
  } catch {
    // The code took it away, or its rights.
    return []
  }
}

function kindOf(stats: Stats): Artifact['kind'] {
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'directory'
  return stats.isFile() ? 'file' : 'other'
}

/** Tells whether a directory holds more than it may: too many bytes, too many entries, or directories too deep. */
export function overfull(root: string, limits: { workspaceBytes: number; workspaceEntries: number }): boolean {
  let bytes = 0
  const entries = listArtifacts(root, limits.workspaceEntries + 1)
  for (const { size } of entries) bytes += size
  if (entries.some(({ name, kind }) => kind === 'directory' && name.split('/').length >= DEEPEST)) return true
  return entries.length > limits.workspaceEntries || bytes > limits.workspaceBytes
}
