import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { homesAndHere, realPath, visiblePrograms, within } from './visible.ts'
import type { Runtime } from '../run/languages.ts'

/** A program of the machine, and the directory that it needs to be seen with. */
export interface Interpreter {
  readonly path: string
  readonly directory: string
}

/**
 * Finds a program that a sandbox does not see, such as one of pyenv's, nvm's or of `/opt`; null when there is none. Fails
 * with what to do when it cannot be shown: because its directory is not one of programs alone, or holds what is to stay
 * hidden.
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
  // Users of the system itself live among its programs, or nowhere.
  const homes = [...homesAndHere(), ...homesOfAll()].filter((home) => home !== '/' && !directories.includes(home))
  // Programs of a user lie there beside keys and settings.
  const besideKeys = homes.map((home) => join(home, '.local'))
  const hides = [...hidden, ...hidden.flatMap(realPath), ...homes, ...besideKeys].some((place) =>
    within(directory, place),
  )
  if (basename(dirname(real)) !== 'bin' || directory === '/' || hides) {
    throw new Error(
      `\`${name}\` lies at \`${real}\`, which is not shown to code: give the directory of the real interpreter as \`readOnly\` and put its \`bin\` first in \`PATH\`, or install one in \`/usr\``,
    )
  }
  return { path: join(directory, 'bin', basename(real)), directory }
}

/** Homes of all users that the system lists, without links. */
function homesOfAll(): string[] {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    return lines.flatMap((line) => realPath(line.split(':')[5] ?? '/'))
  } catch {
    return []
  }
}

/** Command lines that run a file, best first, by runtime. They take the file as their last argument. */
export const INTERPRETER_COMMANDS: Readonly<Partial<Record<Runtime, readonly (readonly [string, ...string[]])[]>>> = {
  // Neither the user's own packages nor the environment change what runs; output comes as it is printed.
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

/** A file name that no program takes for an option. */
export const asArgument = (file: string): string => `./${file}`

/** The first file of a name in the directories of a `PATH`. */
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
