import type { ExecutionLimits } from '../run/limits.ts'

/** Sets the limits of one process and its descendants, then runs `argv`. */
export function limited(limits: ExecutionLimits, byAddressSpace: boolean, argv: readonly string[]): string[] {
  const { memoryBytes, pids, openFiles, fileBytes, timeout } = limits
  return [
    'prlimit',
    // Some engines reserve far more address space than they use; those are watched by what is resident.
    ...(byAddressSpace ? [`--as=${memoryBytes}`] : []),
    `--nproc=${pids}`,
    `--nofile=${openFiles}`,
    `--fsize=${fileBytes}`,
    '--core=0',
    `--cpu=${Math.ceil(timeout) * 4}`,
    '--',
    ...argv,
  ]
}
