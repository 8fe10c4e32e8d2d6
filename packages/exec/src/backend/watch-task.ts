import type { StopReason } from '@x/interfaces'
import type { ExecutionLimits } from '../run/limits.ts'
import type { ControlGroup } from './control-group.ts'
import type { Workspace } from './workspace.ts'

/** A process tree to be watched: plain data, so that another thread can do it. */
export interface WatchTask {
  /** Process that started all others; the leader of its group. */
  readonly root: number
  readonly limits: ExecutionLimits
  /** Directory on the disk that may not grow beyond its limits. */
  readonly workDir?: string | undefined
  /** Control groups in which the kernel counts what the tree takes, and the workspace whose files are not counted. */
  readonly counted?: { readonly group: ControlGroup; readonly workspace: Workspace } | undefined
  /** Whether the time of the code is watched as well, from the beginning on. */
  readonly timed: boolean
}

/** Watches process trees. */
export interface Watcher {
  /** Ends a tree that goes over its limits, and tells why. Gives a function that ends the watching. */
  watch(task: WatchTask, stop: (reason: StopReason) => void): () => void
}
