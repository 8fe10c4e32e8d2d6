import type { WorkerOptions } from 'node:worker_threads'

/** The file beside `base` that a thread runs, with the ending of what runs now: sources run as they are. */
export const threadFile = (name: string, base: string): URL =>
  new URL(`./${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base)

/** What a thread is started with: nothing of the program's environment and flags, and no voice on its console. */
export const threadOptions = (base: string): WorkerOptions => ({
  execArgv: base.endsWith('.ts') ? ['--conditions=@x/source'] : [],
  env: {},
  stdout: true,
  stderr: true,
})
