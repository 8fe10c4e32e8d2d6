import { existsSync, readFileSync, realpathSync, lstatSync, readlinkSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import type { Runtime } from '../run/languages.ts'
import { homedir, userInfo } from 'node:os'

/** Interpreter of the machine, and the directory that a sandbox has to show for it. */
export interface Interpreter {
  readonly path: string
  readonly directory: string
}

/**
 * Finds a program that a sandbox does not show by default, such as one of pyenv, of nvm or in `/opt`; returns null if there is
 * none. Fails with a remedy if the program cannot be shown, because its directory holds more than programs, or contains a
 * hidden directory.
 */
export function interpreterOutside(name: string, path: string, hidden: readonly string[]): Interpreter | null {
  const program = lookUp(
    name,
    path
      .split(delimiter)
      .filter((entry) => entry.startsWith('/'))
      .join(delimiter),
  )
  if (program === undefined) return null
  const real = realpathSync(program)
  const { directories, covered } = visiblePrograms(hidden)
  const isSeen = directories.some((seen) => within(seen, real)) && !covered.some((place) => within(place, real))
  if (isSeen) return null
  const directory = dirname(dirname(real))
  // System users have homes among the programs, or none.
  const homes = [...homesAndHere(), ...homesOfAll()].filter((home) => home !== '/' && !directories.includes(home))
  // Holds programs of a user beside keys and settings.
  const besideKeys = homes.map((home) => join(home, '.local'))
  const hides = [...hidden, ...hidden.flatMap(realPath), ...homes, ...besideKeys].some((place) =>
    within(directory, place),
  )
  if (basename(dirname(real)) !== 'bin' || directory === '/' || hides) {
    throw new Error(
      `cannot show \`${name}\` to code: it lies at \`${real}\`, in a directory that may hold more than programs. Give the directory of the real interpreter as \`readOnly\` and put its \`bin\` first in \`PATH\`, or install one in \`/usr\``,
    )
  }
  return { path: join(directory, 'bin', basename(real)), directory }
}

/** Returns the real paths of the homes of all users that the system lists. */
function homesOfAll(): string[] {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    return lines.flatMap((line) => realPath(line.split(':')[5] ?? '/'))
  } catch {
    return []
  }
}

/** Command lines that run a file given as their last argument, by language, best first. */
export const INTERPRETER_COMMANDS: Readonly<Partial<Record<Runtime, readonly (readonly [string, ...string[]])[]>>> = {
  // Ignores packages and environment of the user; output is not buffered.
  python: [
    ['python3', '-E', '-s', '-B', '-u'],
    ['python', '-E', '-s', '-B', '-u'],
  ],
  bash: [['bash']],
  sh: [['sh']],
  powershell: [
    ['pwsh', '-NoProfile', '-NonInteractive', '-File'],
    ['powershell', '-NoProfile', '-NonInteractive', '-File'],
  ],
  javascript: [['node']],
  typescript: [['node']],
}

/** Returns a file name that no program takes for an option. */
export const asArgument = (file: string): string => `./${file}`

/** Returns the first file of a name in the directories of a `PATH`; undefined if there is none. */
export function lookUp(name: string, path: string): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : ['']
  for (const directory of path.split(delimiter)) {
    for (const ending of endings) {
      const file = join(directory, name + ending)
      if (directory !== '' && existsSync(file)) return file
    }
  }
  return undefined
}

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
function homesAndHere(): string[] {
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
function realPath(path: string): string[] {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}

/** Returns true if a path is a directory or lies in it. */
export const within = (directory: string, path: string): boolean =>
  `${path}/`.startsWith(directory === '/' ? '/' : `${directory}/`)
