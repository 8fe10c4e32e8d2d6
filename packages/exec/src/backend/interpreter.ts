import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { lookUp } from './local.ts'

/** A program of the machine, and the directory that it needs to be seen with. */
export interface Interpreter {
  readonly path: string
  readonly directory: string
}

/** Directories whose programs a sandbox sees anyway. */
const SEEN = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/**
 * Where a program lies that a sandbox does not see, such as one of pyenv's, nvm's or of `/opt`; null when there is none.
 * Fails with what to do when it cannot be shown: because its directory is not one of programs alone, or holds what is to
 * stay hidden.
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
  if (SEEN.some((seen) => within(seen, real))) return null
  const directory = dirname(dirname(real))
  const hides = [...hidden, homedir()].some((place) => within(directory, place))
  if (basename(dirname(real)) !== 'bin' || directory === '/' || hides) {
    throw new Error(
      `\`${name}\` lies at \`${real}\`, which is not shown to code: give the directory of the real interpreter as \`readOnly\` and put its \`bin\` first in \`PATH\`, or install one in \`/usr\``,
    )
  }
  return { path: join(directory, 'bin', basename(real)), directory }
}

const within = (directory: string, path: string): boolean => `${path}/`.startsWith(`${directory}/`)
