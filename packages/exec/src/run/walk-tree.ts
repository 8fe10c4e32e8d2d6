import { closeSync, constants, lstatSync, openSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

const OPEN_DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Depth of the deepest directory that is read; deeper directories are only listed. */
export const MAX_DEPTH = 64

/** Entry of a directory tree. */
export interface TreeEntry {
  /** Path from the root of the tree, with `/`. */
  readonly name: string
  readonly stats: Stats
  /** Path that is safe from exchange by links, valid until the next entry is read. */
  readonly at: string
  /** Number of directories between the root and the entry. */
  readonly depth: number
}

/**
 * Walks a directory tree that hostile code may be changing: the entries of a directory by name, then its subdirectories. Each
 * directory is opened from its parent, so that depth costs no time and no link is followed. `unreadable` is called with the
 * path of each directory that cannot be read. Never throws.
 */
export function* walkTree(root: string, unreadable?: (name: string) => void): Generator<TreeEntry, void> {
  const descriptor = openDirectory(root)
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
  // An open directory cannot be exchanged. Only Linux gives access to one by its descriptor.
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
      const below = openDirectory(`${base}/${name}`)
      if (below === null) unreadable?.(prefix + name)
      else yield* walkOpen(below, { path: join(path, name), prefix: `${prefix}${name}/`, depth: depth + 1 }, unreadable)
    }
  } finally {
    closeSync(descriptor)
  }
}

function openDirectory(path: string): number | null {
  try {
    return openSync(path, OPEN_DIRECTORY_FLAGS)
  } catch {
    // The code removed it, or its permissions.
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
