import type { StopReason } from '@x/interfaces'
import type { ExecutionLimits } from '../run/limits.ts'
import { overfull } from '../run/list-artifacts.ts'
import { addHidden } from './hidden-files.ts'
import { processTree, residentBytes, threadsOf } from './process-tree.ts'

/** Milliseconds between two looks at the processes; every third one takes in the work directory. */
const PERIOD = 100

/** Looks that a block goes without when it starts in a full directory. */
const MOMENT = 20

/** Processes of the sandbox itself, beside those of the code. */
const OWN = 4

/**
 * Ends a process tree that together uses more than one process's limits can forbid: memory, processes, the work
 * directory. A limit on processes does not bind root, so that it is counted too. Returns what ends the watching.
 */
export function watchTree(
  root: number | undefined,
  limits: ExecutionLimits,
  workDir: string | undefined,
  stop: (reason: StopReason) => void,
): () => void {
  if (root === undefined || process.platform !== 'linux') return () => {}
  // Code that finds the directory too full gets a moment to make room.
  let round = workDir !== undefined && overfull(workDir, limits) ? -MOMENT : 0
  const timer = setInterval(() => {
    const tree = processTree(root)
    let bytes = 0
    let threads = 0
    const hidden = { memory: 0, disk: 0 }
    const seen = new Set<string>()
    for (const pid of tree) {
      addHidden(pid, hidden, seen)
      bytes += residentBytes(pid)
      threads += threadsOf(pid)
    }
    if (bytes + hidden.memory > limits.memoryBytes) stop('memory')
    else if (threads > limits.pids + OWN) stop('processes')
    else if (hidden.disk > limits.workspaceBytes) stop('disk')
    else if (workDir !== undefined && round++ > 0 && round % 3 === 0 && overfull(workDir, limits)) stop('disk')
  }, PERIOD)
  return () => clearInterval(timer)
}
