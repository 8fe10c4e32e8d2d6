import { directorySize, isOverfull, listArtifacts } from '../run/list-artifacts.ts'
import { groupMemory, type ControlGroup } from './control-group.ts'
import {
  addHidden,
  connectionGrowth,
  inodeBytes,
  lockBytes,
  mappingsOf,
  ownMemory,
  processTree,
  threadsOf,
  type Mappings,
  type OwnMemory,
} from './processes.ts'
import { bytesInMemory, type Workspace } from './workspace.ts'
import type { StopReason, Artifact } from '@x/interfaces'
import type { ExecutionLimits } from '../run/limits.ts'
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { packageFile, threadOptions } from './thread.ts'

/** Milliseconds between two measurements of the processes; every third one includes the work directory. */
const POLL_INTERVAL_MS = 100

/** Measurements during which a directory that was overfull from the start may stay so, without growing. */
const FULL_START_GRACE_POLLS = 7

/** Threads of the sandbox itself, beside those of the code. */
const SANDBOX_THREADS = 4

/**
 * Watches the limits that no limit of a single process can enforce: memory, processes and work directory of a process tree.
 * Calls `stop` with the first limit that is exceeded. Processes are counted here too, since their limit does not bind root.
 * Returns a function that ends the watching.
 */
export function watchTree(task: WatchTask, stop: (reason: StopReason) => void): () => void {
  const { root, limits, workDir, counted } = task
  const timer = task.timed ? setTimeout(() => stop('timeout'), limits.timeout * 1000) : undefined
  if (process.platform !== 'linux') return () => clearTimeout(timer)
  let round = 0
  const isFull = workDir === undefined ? () => false : fullnessCheck(workDir, limits)
  const connectionBytes = connectionGrowth()
  const poll = setInterval(() => {
    const tree = processTree(root)
    let threads = 0
    const hidden = { files: inodeBytes(tree), kernel: lockBytes(tree) + connectionBytes(tree), disk: 0 }
    const countedFiles = new Set<string>()
    const processes = tree.map((pid) => ({ ...ownMemory(pid), ...mappingsOf(pid) }))
    for (const pid of tree) {
      addHidden(pid, { hidden, countedFiles, openFiles: limits.openFiles })
      threads += threadsOf(pid)
    }
    for (const { pageTables, kernelBytes } of processes) hidden.kernel += pageTables + kernelBytes
    // A control group counts little or nothing of what the kernel keeps for code, by its version and settings.
    const bytes =
      ((counted && countedMemory(counted)) ?? hidden.files + processMemory(processes, countedFiles)) + hidden.kernel
    if (bytes > limits.memoryBytes) stop('memory')
    else if (threads > limits.pids + SANDBOX_THREADS) stop('processes')
    else if (hidden.disk > limits.workspaceBytes) stop('disk')
    else if (++round % 3 === 0 && isFull()) stop('disk')
  }, POLL_INTERVAL_MS)
  return () => {
    clearInterval(poll)
    clearTimeout(timer)
  }
}

/** Returns the bytes of memory of a control group, without the files of the work directory. */
function countedMemory({ group, workspace }: NonNullable<WatchTask['counted']>): number | null {
  const bytes = groupMemory(group)
  return bytes === null ? null : Math.max(bytes - bytesInMemory(workspace), 0)
}

/** Returns the bytes of memory of processes. A shared mapping counts once, and not at all if `countedFiles` has its file. */
function processMemory(processes: readonly (OwnMemory & Mappings)[], countedFiles: ReadonlySet<string>): number {
  const shared = new Map<string, number>()
  let total = 0
  for (const process of processes) {
    total += process.resident
    for (const { file, bytes } of process.shared) {
      if (!countedFiles.has(file)) shared.set(file, Math.max(shared.get(file) ?? 0, bytes))
    }
  }
  for (const bytes of shared.values()) total += bytes
  return total
}

/** Returns a function that returns true if a directory is overfull. */
function fullnessCheck(workDir: string, limits: ExecutionLimits): () => boolean {
  // Code that starts in an overfull directory gets a moment to remove files.
  let lastSize = isOverfull(workDir, limits) ? directorySize(workDir) : null
  let pollsLeft = FULL_START_GRACE_POLLS
  return () => {
    if (!isOverfull(workDir, limits)) {
      lastSize = null
      return false
    }
    if (lastSize === null || pollsLeft-- === 0) return true
    const size = directorySize(workDir)
    const grew = size.bytes > lastSize.bytes || size.entries > lastSize.entries || size.unbounded
    lastSize = size
    return grew
  }
}

/** Process tree to watch: plain data, so that another thread can watch it. */
export interface WatchTask {
  /** Id of the first process, which leads its process group. */
  readonly root: number
  readonly limits: ExecutionLimits
  /** Directory on the disk to keep within its limits. */
  readonly workDir?: string | undefined
  /** Control groups in which the kernel counts the memory of the tree, and the workspace whose files do not count. */
  readonly counted?: { readonly group: ControlGroup; readonly workspace: Workspace } | undefined
  /** True if the time limit is watched as well, from now on. */
  readonly timed: boolean
}

/** Watches process trees. */
export interface Watcher {
  /** Kills a tree that exceeds its limits, and calls `stop` with the reason. Returns a function that ends the watching. */
  watch(task: WatchTask, stop: (reason: StopReason) => void): () => void
}

/** Request to the thread: watch a process tree, end the watching, or list a directory. */
export type WatchRequest =
  | { readonly type: 'watch'; readonly id: number; readonly task: WatchTask }
  | { readonly type: 'end'; readonly id: number }
  | { readonly type: 'list'; readonly id: number; readonly root: string }

/** Message of the thread: why it killed a process tree, or the contents of a directory. */
export type WatchMessage =
  | { readonly type: 'stop'; readonly id: number; readonly reason: StopReason }
  | { readonly type: 'listed'; readonly id: number; readonly artifacts: Artifact[] }

/** Watcher in a thread of its own, which a busy program does not delay. */
export interface WatchThread extends Watcher {
  /** Lists a directory in the thread, so that a large directory does not block the program. */
  list(root: string): Promise<Artifact[]>
  close(): Promise<void>
}

/** Creates a watcher. Its thread starts with the first request; if it cannot start, this thread does the work. */
export function watchThread(): WatchThread {
  return new WatchWorker()
}

class WatchWorker implements WatchThread {
  /** Watched process trees; `end` is set if this thread had to take over. */
  readonly #watched: Map<number, { task: WatchTask; stop: (reason: StopReason) => void; end?: () => void }> = new Map()
  readonly #listings: Map<number, (artifacts: Artifact[] | null) => void> = new Map()
  /** Null if the thread cannot start, or has ended. */
  #thread: { readonly worker: Worker; readonly port: MessagePort } | null | undefined
  #lastId = 0

  watch(task: WatchTask, stop: (reason: StopReason) => void): () => void {
    const port = this.#open()
    if (!port) return watchTree(task, stop)
    const id = ++this.#lastId
    this.#watched.set(id, { task, stop })
    send(port, { type: 'watch', id, task })
    return () => {
      // Reads messages that arrived while this thread was busy before the caller judges how the process ended.
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
        this.#handle(next.message as WatchMessage)
      }
      this.#watched.get(id)?.end?.()
      if (this.#watched.delete(id)) send(port, { type: 'end', id })
    }
  }

  async list(root: string): Promise<Artifact[]> {
    const port = this.#open()
    if (!port) return listArtifacts(root)
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<Artifact[] | null>()
    this.#listings.set(id, resolve)
    // Nothing else may keep the program running while it waits.
    port.ref()
    send(port, { type: 'list', id, root })
    try {
      return (await promise) ?? listArtifacts(root)
    } finally {
      this.#listings.delete(id)
      if (this.#listings.size === 0) port.unref()
    }
  }

  async close(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    thread?.port.close()
    await thread?.worker.terminate()
  }

  /** Starts the thread with the first call; returns null if there is none. */
  #open(): MessagePort | null {
    if (this.#thread !== undefined) return this.#thread && this.#thread.port
    const { port1: port, port2 } = new MessageChannel()
    try {
      const worker = new Worker(packageFile('../backend/watch-worker', import.meta.url), {
        ...threadOptions(import.meta.url),
        workerData: { port: port2 },
        transferList: [port2],
        resourceLimits: { maxOldGenerationSizeMb: 64 },
      })
      const onEnd = (): void => this.#takeOver()
      worker.on('error', onEnd)
      worker.on('exit', onEnd)
      worker.unref()
      port.on('message', (message: WatchMessage) => this.#handle(message))
      port.unref()
      this.#thread = { worker, port }
      return port
    } catch {
      this.#thread = null
      return null
    }
  }

  #handle(message: WatchMessage): void {
    if (message.type === 'stop') this.#watched.get(message.id)?.stop(message.reason)
    else this.#listings.get(message.id)?.(message.artifacts)
  }

  /** Continues the work of a thread that has ended in this thread. */
  #takeOver(): void {
    this.#thread = null
    for (const entry of this.#watched.values()) entry.end ??= watchTree(entry.task, entry.stop)
    for (const resolve of this.#listings.values()) resolve(null)
  }
}

const send = (port: MessagePort, request: WatchRequest): void => port.postMessage(request)
