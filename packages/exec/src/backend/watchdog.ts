import { directorySize, overfull } from '../run/list-artifacts.ts'
import { groupMemory, type ControlGroup } from './control-group.ts'
import { addHidden, nodesInMemory, tcpGrowth } from './hidden-memory.ts'
import { processTree, residentBytes, sharedMappings, threadsOf } from './process-tree.ts'
import { bytesInMemory, type Workspace } from './workspace.ts'
import type { StopReason } from '@x/interfaces'
import type { ExecutionLimits } from '../run/limits.ts'

/** Milliseconds between two looks at the processes; every third one takes in the work directory. */
const POLL_INTERVAL_MS = 100

/** Looks at a directory that was full from the start in which it need not have become less; it may not become more. */
const FULL_START_GRACE_POLLS = 7

/** Processes of the sandbox itself, beside those of the code. */
const SANDBOX_THREADS = 4

/**
 * Ends a process tree that together uses more than one process's limits can forbid: memory, processes, the work
 * directory. A limit on processes does not bind root, so that it is counted too. Returns what ends the watching.
 */
export function watchTree(task: WatchTask, stop: (reason: StopReason) => void): () => void {
  const { root, limits, workDir, counted } = task
  const timer = task.timed ? setTimeout(() => stop('timeout'), limits.timeout * 1000) : undefined
  if (process.platform !== 'linux') return () => clearTimeout(timer)
  let round = 0
  const grew = workDir === undefined ? () => false : fullness(workDir, limits)
  const grownByTcp = tcpGrowth()
  const looking = setInterval(() => {
    const tree = processTree(root)
    let threads = 0
    const hidden = { memory: nodesInMemory(tree), disk: 0 }
    const seen = new Set<string>()
    for (const pid of tree) {
      addHidden(pid, { hidden, seen, openFiles: limits.openFiles })
      threads += threadsOf(pid)
    }
    const bytes = ((counted && countedMemory(counted)) ?? hidden.memory + processMemory(tree, seen)) + grownByTcp(tree)
    if (bytes > limits.memoryBytes) stop('memory')
    else if (threads > limits.pids + SANDBOX_THREADS) stop('processes')
    else if (hidden.disk > limits.workspaceBytes) stop('disk')
    else if (++round % 3 === 0 && grew()) stop('disk')
  }, POLL_INTERVAL_MS)
  return () => {
    clearInterval(looking)
    clearTimeout(timer)
  }
}

/** Bytes of memory of a control group, without those of files in the work directory. */
function countedMemory({ group, workspace }: NonNullable<WatchTask['counted']>): number | null {
  const bytes = groupMemory(group)
  return bytes === null ? null : Math.max(bytes - bytesInMemory(workspace), 0)
}

/** Bytes of memory of some processes; what several of them map counts once, and not when `seen` holds it already. */
function processMemory(pids: readonly number[], seen: ReadonlySet<string>): number {
  const shared = new Map<string, number>()
  let bytes = 0
  for (const pid of pids) {
    bytes += residentBytes(pid)
    for (const { file, bytes: size } of sharedMappings(pid)) {
      if (!seen.has(file)) shared.set(file, Math.max(shared.get(file) ?? 0, size))
    }
  }
  for (const size of shared.values()) bytes += size
  return bytes
}

/** Returns a look at a directory, which tells whether it is too full. */
function fullness(workDir: string, limits: ExecutionLimits): () => boolean {
  // Code that finds the directory too full gets a moment to make room.
  let most = overfull(workDir, limits) ? directorySize(workDir) : null
  let moments = FULL_START_GRACE_POLLS
  return () => {
    if (!overfull(workDir, limits)) {
      most = null
      return false
    }
    if (most === null || moments-- === 0) return true
    const now = directorySize(workDir)
    const more = now.bytes > most.bytes || now.entries > most.entries || now.endless
    most = now
    return more
  }
}

/** A process tree to be watched: plain data, so that another thread can do it. */
export interface WatchTask {
  /** Process that started all others; the leader of its group. */
  readonly root: number
  readonly limits: ExecutionLimits
  /** Directory on the disk that may not grow beyond its limits. */
  readonly workDir?: string | undefined
  /** Control groups in which the kernel counts what the tree takes, and the workspace whose files are not counted. */
  readonly counted?: { readonly group: ControlGroup; readonly workspace: Workspace } | undefined
  /** True if the time of the code is watched as well, from the beginning on. */
  readonly timed: boolean
}

/** Watches process trees. */
export interface Watcher {
  /** Ends a tree that goes over its limits, and tells why. Gives a function that ends the watching. */
  watch(task: WatchTask, stop: (reason: StopReason) => void): () => void
}
