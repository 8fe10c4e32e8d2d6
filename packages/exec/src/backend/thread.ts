import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { WorkerOptions } from 'node:worker_threads'
import { XError } from '@x/kernel'

/**
 * Returns the URL of a file of this package that a thread or a process runs: its path relative to `base`, with the ending of
 * the running code, since sources run without a build. In a bundle, the file is that of the package installed beside the
 * bundle or in the working directory.
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
    `cannot run code: the program is a bundle without the file \`${path.replace(/^.*\//u, '')}\` of \`@x/exec\`. Leave \`@x/exec\` out of the bundle (\`external\`), or install it where the program runs`,
  )
}

/** Returns true if a URL is that of the program, which a thread would run again by importing it. */
export function isProgram(url: string): boolean {
  const [, program] = process.argv
  return program !== undefined && existsSync(program) && url === pathToFileURL(realpathSync(program)).href
}

/**
 * Returns the options of a thread that runs code of this package: without the environment and flags of the program, and
 * without output on its console. Sources need a condition to import other sources, and the environment of their loader.
 */
export const threadOptions = (base: string | undefined): WorkerOptions => ({
  ...(base?.endsWith('.ts') ? { execArgv: [SOURCE_CONDITION_FLAG] } : { execArgv: [], env: {} }),
  stdout: true,
  stderr: true,
})

/**
 * Returns the options of a thread that runs a custom backend: the environment, the flags and the console of the main thread,
 * so that the same code works in both. The thread inherits the flags where it can: a list of its own may have no flag of V8,
 * such as `--max-old-space-size`.
 */
export function foreignThreadOptions(base: string | undefined): WorkerOptions {
  const { execArgv } = process
  const isOfThread = (flag: string, at: number): boolean =>
    !INPUT_FLAG.test(flag) && !INPUT_FLAG_BEFORE_VALUE.test(execArgv[at - 1] ?? '')
  const added = base?.endsWith('.ts') && !execArgv.includes(SOURCE_CONDITION_FLAG) ? [SOURCE_CONDITION_FLAG] : []
  if (added.length === 0 && execArgv.every(isOfThread)) return {}
  return { execArgv: [...added, ...execArgv.filter(isOfThread)] }
}

const SOURCE_CONDITION_FLAG = '--conditions=@x/source'

/** Flags that name the code of the main thread, which a thread refuses. */
const INPUT_FLAG = /^(?:--input-type(?:=.*)?|-e|-p|-pe|--eval|--print)$/u
const INPUT_FLAG_BEFORE_VALUE = /^(?:--input-type|-e|-p|-pe|--eval|--print)$/u
