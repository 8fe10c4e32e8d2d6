import type { Runtime } from '../run/languages.ts'

/** Command lines that run a file, best first, by runtime. They take the file as their last argument. */
export const COMMANDS: Readonly<Partial<Record<Runtime, readonly (readonly [string, ...string[]])[]>>> = {
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
