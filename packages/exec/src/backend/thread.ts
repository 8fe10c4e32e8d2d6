import type { WorkerOptions } from 'node:worker_threads'

/** The file beside `base` that a thread runs, with the ending of what runs now: sources run as they are. */
export const threadFile = (name: string, base: string): URL =>
  new URL(`./${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base)

/**
 * What a thread is started with: nothing of the program's flags, no voice on its console, and of its environment only
 * where compiled code is kept, which makes the thread start faster.
 */
export const threadOptions = (base: string): WorkerOptions => ({
  execArgv: base.endsWith('.ts') ? ['--conditions=@x/source'] : [],
  env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  stdout: true,
  stderr: true,
})
