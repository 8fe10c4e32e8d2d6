import type { ChildProcess } from 'node:child_process'

/**
 * Ends a process that this program started. One that could not be started is left alone: Node has no number for it, and
 * would send the signal to whatever number lies there, which may be that of this program's whole group.
 */
export function endProcess(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill('SIGKILL')
}
