import type { ExecutionLimits } from '../run/limits.ts'

/** Limits of one process and its descendants, as arguments of `prlimit`, but for their number. */
const ofEach = (
  { memoryBytes, openFiles, fileBytes, timeout }: ExecutionLimits,
  byAddressSpace: boolean,
): readonly string[] => [
  // Some engines reserve far more address space than they use; those are watched by what is resident.
  ...(byAddressSpace ? [`--as=${memoryBytes}`] : []),
  `--nofile=${openFiles}`,
  `--fsize=${fileBytes}`,
  '--core=0',
  `--cpu=${Math.ceil(timeout) * 4}`,
]

/** Sets the limits of one process and its descendants, then runs `argv`. */
export const limited = (limits: ExecutionLimits, byAddressSpace: boolean, argv: readonly string[]): string[] => [
  'prlimit',
  `--nproc=${limits.pids}`,
  ...ofEach(limits, byAddressSpace),
  '--',
  ...argv,
]

/**
 * Sets the same for what sets up a sandbox whose first process belongs to the code's own user: code may change that one,
 * which would have no limits else. Not their number: so early, the kernel would count all of the user's processes.
 */
export const limitedOutside = (limits: ExecutionLimits, byAddressSpace: boolean): string[] => [
  'prlimit',
  ...ofEach(limits, byAddressSpace),
  '--',
]
