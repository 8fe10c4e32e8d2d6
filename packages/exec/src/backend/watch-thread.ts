import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import type { Artifact, StopReason } from '@x/interfaces'
import { listArtifacts } from '../run/list-artifacts.ts'
import { packageFile, threadOptions } from './thread.ts'
import { type Watcher, type WatchTask, watchTree } from './watchdog.ts'
import type { WatchNews, WatchRequest } from './watch-worker.ts'

/** A watcher in a thread of its own, which a busy program does not delay. */
export interface WatchThread extends Watcher {
  /** Lists a directory there, so that a deep one does not keep the program. */
  list(root: string): Promise<Artifact[]>
  close(): Promise<void>
}

/** Makes a watcher; its thread starts with the first request. If there is none to be had, this thread does the work. */
export function watchThread(): WatchThread {
  /** What is watched; a function that ends it, where this thread had to take over. */
  const watched = new Map<number, { task: WatchTask; stop: (reason: StopReason) => void; end?: () => void }>()
  const lists = new Map<number, (artifacts: Artifact[] | null) => void>()
  let thread: { readonly worker: Worker; readonly port: MessagePort } | null | undefined
  let last = 0

  const hear = (news: WatchNews): void => {
    if (news.type === 'stop') watched.get(news.id)?.stop(news.reason)
    else lists.get(news.id)?.(news.artifacts)
  }
  const lose = (): void => {
    thread = null
    for (const each of watched.values()) each.end ??= watchTree(each.task, each.stop)
    for (const listed of lists.values()) listed(null)
  }
  const open = (): MessagePort | null => {
    if (thread !== undefined) return thread && thread.port
    const { port1: port, port2 } = new MessageChannel()
    try {
      const worker = new Worker(packageFile('../backend/watch-worker', import.meta.url), {
        ...threadOptions(import.meta.url),
        workerData: { port: port2 },
        transferList: [port2],
        resourceLimits: { maxOldGenerationSizeMb: 64 },
      })
      worker.on('error', lose)
      worker.on('exit', lose)
      worker.unref()
      port.on('message', hear)
      port.unref()
      thread = { worker, port }
      return port
    } catch {
      thread = null
      return null
    }
  }
  const ask = (port: MessagePort, request: WatchRequest): void => port.postMessage(request)

  return {
    watch(task: WatchTask, stop) {
      const port = open()
      if (!port) return watchTree(task, stop)
      const id = ++last
      watched.set(id, { task, stop })
      ask(port, { type: 'watch', id, task })
      return () => {
        // What was told while this thread was busy is heard before the end is judged.
        for (let news = receiveMessageOnPort(port); news; news = receiveMessageOnPort(port)) {
          hear(news.message as WatchNews)
        }
        watched.get(id)?.end?.()
        if (watched.delete(id)) ask(port, { type: 'end', id })
      }
    },
    async list(root) {
      const port = open()
      if (!port) return listArtifacts(root)
      const id = ++last
      const { promise, resolve } = Promise.withResolvers<Artifact[] | null>()
      lists.set(id, resolve)
      // Nobody else may keep the program while it waits.
      port.ref()
      ask(port, { type: 'list', id, root })
      try {
        return (await promise) ?? listArtifacts(root)
      } finally {
        lists.delete(id)
        if (lists.size === 0) port.unref()
      }
    },
    async close() {
      const its = thread
      thread = null
      its?.port.close()
      await its?.worker.terminate()
    },
  }
}
