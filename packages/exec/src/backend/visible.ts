import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'

/** Directories that every program needs to start. */
const CORE_DIRECTORIES = [
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libx32',
  '/usr/libexec',
]

/** Directories of programs and their files. `/usr/src`, `/usr/local/etc` and the rest stay hidden. */
const PROGRAM_DIRECTORIES = [
  ...CORE_DIRECTORIES,
  ...['/usr/share', '/usr/include'],
  ...['bin', 'sbin', 'lib', 'lib64', 'libexec', 'include'].map((name) => `/usr/local/${name}`),
]

/** Directories of programs outside `/usr`: links on most systems, directories on old ones. */
const TOP_LEVEL_DIRECTORIES = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** Programs of the machine that code sees. */
export interface Visible {
  /** Directories that are shown read-only at their own path. */
  readonly directories: readonly string[]
  /** Links to create, each with its target. */
  readonly links: readonly (readonly [target: string, path: string])[]
  /** Directories inside of `directories` that an empty directory covers. */
  readonly covered: readonly string[]
}

/** Returns the programs that a sandbox shows, without the hidden directories, the home and the working directory. */
export function visiblePrograms(hidden: readonly string[]): Visible {
  const existing = [...PROGRAM_DIRECTORIES, ...TOP_LEVEL_DIRECTORIES].filter((path) =>
    lstatSync(path, { throwIfNoEntry: false }),
  )
  const links = existing.filter((path) => lstatSync(path).isSymbolicLink())
  const directories = existing.filter((path) => !links.includes(path))
  const real = [...new Set([...hidden, ...homesAndHere()].flatMap(realPath))]
  const covered = real.filter(
    (place) =>
      ![...CORE_DIRECTORIES, ...TOP_LEVEL_DIRECTORIES].includes(place) &&
      directories.some((directory) => within(directory, place)),
  )
  return {
    directories,
    links: links.map((path) => [readlinkSync(path), path] as const),
    covered: covered.filter((place) => !covered.some((other) => other !== place && within(other, place))),
  }
}

/** Returns the real paths of the working directory and of the user's home, as the environment and the system name it. */
export function homesAndHere(): string[] {
  return [homedir, () => userInfo().homedir, () => process.cwd()].flatMap((place) => {
    try {
      return realPath(place())
    } catch {
      // The user has no entry, or the directory is gone.
      return []
    }
  })
}

/** Returns the path without links in a list; an empty list if nothing is there. */
export function realPath(path: string): string[] {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}

/** Returns true if a path is a directory or lies in it. */
export const within = (directory: string, path: string): boolean =>
  `${path}/`.startsWith(directory === '/' ? '/' : `${directory}/`)
