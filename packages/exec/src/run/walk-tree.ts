import { closeSync, constants, lstatSync, openSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

const OPEN_DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Directories that lie deeper are given and not looked into. */
export const MAX_DEPTH = 64

/** An entry of a tree of files. */
export interface TreeEntry {
  /** Path from the root of the tree, with `/`. */
  readonly name: string
  readonly stats: Stats
  /** Path that leads to it and nowhere else, until the next entry is asked for. */
  readonly at: string
  /** How many directories it lies in, the root not counted. */
  readonly depth: number
}

/**
 * Goes through a directory that hostile code may be changing: what lies in it in the order of names, then what lies in
 * its directories. Each directory is opened from the one above it, so that a deep one takes no longer than a flat one
 * and no link is followed. A directory that cannot be read is told to `unreadable` by its path. Never throws.
 */
export function* walkTree(root: string, unreadable?: (name: string) => void): Generator<TreeEntry, void> {
  const descriptor = opened(root)
  if (descriptor === null) return unreadable?.('')
  yield* walkOpen(descriptor, { path: root, prefix: '', depth: 0 }, unreadable)
}

interface Directory {
  readonly path: string
  readonly prefix: string
  readonly depth: number
}

function* walkOpen(
  descriptor: number,
  { path, prefix, depth }: Directory,
  unreadable: ((name: string) => void) | undefined,
): Generator<TreeEntry, void> {
  // What is open cannot be exchanged; other platforms than Linux do not show it, and get a path that is checked.
  const base = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path
  try {
    const directories: string[] = []
    for (const name of namesIn(base)) {
      const at = `${base}/${name}`
      const stats = statsOf(at)
      if (!stats) continue
      if (stats.isDirectory()) directories.push(name)
      yield { name: prefix + name, stats, at, depth }
    }
    if (depth + 1 >= MAX_DEPTH) return
    for (const name of directories) {
      const below = opened(`${base}/${name}`)
      if (below === null) unreadable?.(prefix + name)
      else yield* walkOpen(below, { path: join(path, name), prefix: `${prefix}${name}/`, depth: depth + 1 }, unreadable)
    }
  } finally {
    closeSync(descriptor)
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, OPEN_DIRECTORY_FLAGS)
  } catch {
    // The code took it away, or its rights.
    return null
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted()
  } catch {
    return []
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
