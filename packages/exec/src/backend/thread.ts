import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { WorkerOptions } from 'node:worker_threads'
import { XError } from '@x/kernel'

/**
 * Returns a file of this package that a thread or a process runs: by its path from `base`, with the ending of what runs
 * now, since sources run as they are. A bundle does not hold the file: there it is that of the package as installed
 * beside the bundle, or in the working directory.
 */
export function packageFile(path: string, base: string | undefined): URL {
  const beside = base && new URL(`${path}${base.endsWith('.ts') ? '.ts' : '.js'}`, base)
  if (beside && existsSync(beside)) return beside
  for (const from of [...(base ? [base] : []), pathToFileURL(`${process.cwd()}/module.js`)]) {
    try {
      const entry = pathToFileURL(createRequire(from).resolve('@x/exec'))
      const installed = new URL(`${path.replace(/^\.\./u, '.')}.js`, entry)
      if (existsSync(installed)) return installed
    } catch {
      // Not installed there.
    }
  }
  throw new XError(
    'invalid-state',
    `cannot run code: the program is a bundle, and \`${path.replace(/^.*\//u, '')}\` of \`@x/exec\` is a file of its own: leave \`@x/exec\` out of the bundle (\`external\`), or install it where the program runs`,
  )
}

/** Returns true if an address is that of the program: a thread that imported it would run the program again. */
export function isProgram(url: string): boolean {
  const [, program] = process.argv
  return program !== undefined && existsSync(program) && url === pathToFileURL(realpathSync(program)).href
}

/**
 * Returns the options of a thread that runs code of this package: nothing of the program's environment and flags, and no
 * output on its console. Sources need to know what to import, and from the environment where they lie without types.
 */
export const threadOptions = (base: string | undefined): WorkerOptions => ({
  ...(base?.endsWith('.ts') ? { execArgv: [SOURCE_CONDITION_FLAG] } : { execArgv: [], env: {} }),
  stdout: true,
  stderr: true,
})

/**
 * Returns the options of a thread that runs code of others: they find the environment, the flags and the console that
 * they have in the main thread, so that the same code works in both.
 */
export const foreignThreadOptions = (base: string | undefined): WorkerOptions => ({
  execArgv: [
    ...(base?.endsWith('.ts') ? [SOURCE_CONDITION_FLAG] : []),
    ...process.execArgv.filter(
      (flag, at, flags) => !INPUT_FLAG.test(flag) && !INPUT_FLAG_BEFORE_VALUE.test(flags[at - 1] ?? ''),
    ),
  ],
})

const SOURCE_CONDITION_FLAG = '--conditions=@x/source'

/** Flags that say what the main thread runs, which a thread does not take; some stand before their value. */
const INPUT_FLAG = /^(?:--input-type(?:=.*)?|-e|-p|-pe|--eval|--print)$/u
const INPUT_FLAG_BEFORE_VALUE = /^(?:--input-type|-e|-p|-pe|--eval|--print)$/u
