import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import type { Artifact, StopReason } from '@x/interfaces'
import { listArtifacts } from '../run/list-artifacts.ts'
import { packageFile, threadOptions } from './thread.ts'
import { type Watcher, type WatchTask, watchTree } from './watchdog.ts'
import type { WatchMessage, WatchRequest } from './watch-worker.ts'

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
