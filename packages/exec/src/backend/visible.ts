import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'

/** Directories of the machine without which no program starts. */
const CORE_DIRECTORIES = [
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libx32',
  '/usr/libexec',
]

/** Directories of programs, and of what they read. `/usr/src`, `/usr/local/etc` and the rest stay out of sight. */
const PROGRAM_DIRECTORIES = [
  ...CORE_DIRECTORIES,
  ...['/usr/share', '/usr/include'],
  ...['bin', 'sbin', 'lib', 'lib64', 'libexec', 'include'].map((name) => `/usr/local/${name}`),
]

/** Names of the same beside `/usr`: links on most systems, directories on old ones. */
const TOP_LEVEL_DIRECTORIES = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** The programs of the machine that code sees. */
export interface Visible {
  /** Directories that are shown read-only where they lie. */
  readonly directories: readonly string[]
  /** Links that are made anew, each with what it leads to. */
  readonly links: readonly (readonly [target: string, path: string])[]
  /** Directories inside of those, which are covered by an empty one. */
  readonly covered: readonly string[]
}

/** Tells what to show of the machine: its programs, without the places given, the home and the working directory. */
export function visiblePrograms(places: readonly string[]): Visible {
  const there = [...PROGRAM_DIRECTORIES, ...TOP_LEVEL_DIRECTORIES].filter((path) =>
    lstatSync(path, { throwIfNoEntry: false }),
  )
  const links = there.filter((path) => lstatSync(path).isSymbolicLink())
  const directories = there.filter((path) => !links.includes(path))
  const real = [...new Set([...places, ...homesAndHere()].flatMap(realPath))]
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

/** Real paths of the user's home, as the system and the environment name it, and of the working directory. */
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

/** The path without links; an empty list where nothing lies. */
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
