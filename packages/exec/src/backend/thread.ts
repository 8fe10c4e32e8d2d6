import type { WorkerOptions } from 'node:worker_threads'

/** The file beside `base` that a thread runs, with the ending of what runs now: sources run as they are. */
export const threadFile = (name: string, base: string): URL =>
  new URL(`./${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base)

/**
 * What a thread is started with: nothing of the program's environment and flags, and no voice on its console. Sources
 * need to know what to import, and from the environment where they lie without types.
 */
export const threadOptions = (base: string): WorkerOptions => ({
  ...(base.endsWith('.ts') ? { execArgv: ['--conditions=@x/source'] } : { execArgv: [], env: {} }),
  stdout: true,
  stderr: true,
})
