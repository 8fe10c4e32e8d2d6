import type { WorkerOptions } from 'node:worker_threads'

/** Gives the file beside `base` that a thread runs, with the ending of what runs now: sources run as they are. */
export const threadFile = (name: string, base: string): URL =>
  new URL(`./${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base)

/**
 * Gives the options of a thread that runs code of this package: nothing of the program's environment and flags, and no
 * output on its console. Sources need to know what to import, and from the environment where they lie without types.
 */
export const threadOptions = (base: string): WorkerOptions => ({
  ...(base.endsWith('.ts') ? { execArgv: [SOURCES] } : { execArgv: [], env: {} }),
  stdout: true,
  stderr: true,
})

/**
 * Gives the options of a thread that runs code of others: they find the environment, the flags and the console that
 * they have in the main thread, so that the same code works in both.
 */
export const foreignThreadOptions = (base: string): WorkerOptions => ({
  execArgv: [
    ...(base.endsWith('.ts') ? [SOURCES] : []),
    ...process.execArgv.filter((flag, at, flags) => !INPUT.test(flag) && !INPUT_BEFORE.test(flags[at - 1] ?? '')),
  ],
})

const SOURCES = '--conditions=@x/source'

/** Flags that say what the main thread runs, which a thread does not take; some stand before their value. */
const INPUT = /^(?:--input-type(?:=.*)?|-e|-p|-pe|--eval|--print)$/u
const INPUT_BEFORE = /^(?:--input-type|-e|-p|-pe|--eval|--print)$/u
