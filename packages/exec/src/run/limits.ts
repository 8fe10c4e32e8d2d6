import { XError } from '@x/kernel'
import { checkOptions, kind } from '@x/kernel/options'
import { FOREIGN_LIMIT_WORDS } from '../foreign-words.ts'

/** Limits of one block of code. */
export interface ExecutionLimits {
  /** Time limit in seconds; default 60, at least 1, at most 2,147,483. */
  readonly timeout: number
  /** Bytes of output that are kept, half from its start and half from its end; default 262,144. Sixteen times as much output ends the block. */
  readonly outputBytes: number
  /** Bytes of memory of all processes of the block; default 512 MiB. */
  readonly memoryBytes: number
  /** Processes and threads at once; default 64. */
  readonly pids: number
  /** Open files of one process; default 256. */
  readonly openFiles: number
  /** Bytes of one file; default 32 MiB. */
  readonly fileBytes: number
  /** Bytes of the work directory; default 256 MiB. */
  readonly workspaceBytes: number
  /** Files and directories of the work directory; default 10,000. */
  readonly workspaceEntries: number
}

const BYTES_PER_MIB = 2 ** 20

const DEFAULT_LIMITS: ExecutionLimits = {
  timeout: 60,
  outputBytes: 262_144,
  memoryBytes: 512 * BYTES_PER_MIB,
  pids: 64,
  openFiles: 256,
  fileBytes: 32 * BYTES_PER_MIB,
  workspaceBytes: 256 * BYTES_PER_MIB,
  workspaceEntries: 10_000,
}

/** Longest time limit, in seconds: a timer of Node counts at most 2^31 - 1 milliseconds. */
const MAX_TIMEOUT_S = 2_147_483

const LIMIT_KINDS = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, kind.any]))

/** Returns limits with the defaults filled in; refuses unknown names and values out of range. */
export function limitsOf(
  given: { readonly [Name in keyof ExecutionLimits]?: ExecutionLimits[Name] | undefined } = {},
): ExecutionLimits {
  checkOptions(given, LIMIT_KINDS, 'run code with these `limits`', FOREIGN_LIMIT_WORDS)
  const limits = { ...DEFAULT_LIMITS }
  for (const [name, value] of Object.entries(given) as [keyof ExecutionLimits, number | undefined][]) {
    if (value === undefined) continue
    const most = name === 'timeout' ? MAX_TIMEOUT_S : Number.MAX_SAFE_INTEGER
    if (!(typeof value === 'number' && value >= 1 && value <= most)) {
      const range = typeof value === 'number' && value > most ? `at most ${most}` : 'at least 1'
      throw new XError('invalid-argument', `cannot run code with the limit \`${name}\` ${value}: give ${range}`)
    }
    // Engines take whole numbers alone, and a part of a GiB may be none.
    limits[name] = name === 'timeout' ? value : Math.floor(value)
  }
  return limits
}
