import { readdirSync, lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Artifact } from '@x/interfaces'

/** At most this many rows; the rest of a flooded directory is not listed. */
const MOST = 1_000

/** What lies in a directory and below it, names sorted; links are listed and never followed, nothing is opened. */
export function listArtifacts(root: string, most: number = MOST): Artifact[] {
  const found: Artifact[] = []
  const left = ['']
  while (left.length > 0 && found.length < most) {
    const directory = left.shift()!
    for (const name of namesIn(join(root, directory))) {
      if (found.length >= most) break
      const path = directory === '' ? name : `${directory}/${name}`
      const stats = lstatSync(join(root, path), { throwIfNoEntry: false })
      if (!stats) continue
      const kind = kindOf(stats)
      found.push({ name: path, size: kind === 'directory' ? 0 : stats.size, kind })
      if (kind === 'directory') left.push(path)
    }
  }
  return found
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted()
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

/** Whether a directory holds more than it may, by bytes on disk or by entries. */
export function overfull(root: string, limits: { workspaceBytes: number; workspaceEntries: number }): boolean {
  let bytes = 0
  const entries = listArtifacts(root, limits.workspaceEntries + 1)
  for (const { size } of entries) bytes += size
  return entries.length > limits.workspaceEntries || bytes > limits.workspaceBytes
}
