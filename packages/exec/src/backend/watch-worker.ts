import { workerData, type MessagePort } from 'node:worker_threads'
import type { Artifact, StopReason } from '@x/interfaces'
import { listArtifacts } from '../run/list-artifacts.ts'
import { type WatchTask, watchTree } from './watchdog.ts'

/** A request to the thread: to watch, to end that, to list a directory. */
export type WatchRequest =
  | { readonly type: 'watch'; readonly id: number; readonly task: WatchTask }
  | { readonly type: 'end'; readonly id: number }
  | { readonly type: 'list'; readonly id: number; readonly root: string }

/** A message of the thread: why it ended a tree, or what lies in a directory. */
export type WatchNews =
  | { readonly type: 'stop'; readonly id: number; readonly reason: StopReason }
  | { readonly type: 'listed'; readonly id: number; readonly artifacts: Artifact[] }

const { port } = workerData as { port: MessagePort }
const watched = new Map<number, () => void>()
const tell = (news: WatchNews): void => port.postMessage(news)

port.on('message', (request: WatchRequest) => {
  const { id } = request
  if (request.type === 'watch')
    watched.set(
      id,
      watchTree(request.task, (reason) => stopTree(request, reason)),
    )
  else if (request.type === 'list') tell({ type: 'listed', id, artifacts: listArtifacts(request.root) })
  else {
    watched.get(id)?.()
    watched.delete(id)
  }
})

/** Tells first, so that the reason is there when the end is seen. */
function stopTree({ id, task }: { readonly id: number; readonly task: WatchTask }, reason: StopReason): void {
  tell({ type: 'stop', id, reason })
  // It did not start: number 0 would be the group of this program.
  if (task.root === 0) return
  try {
    if (process.platform === 'win32') process.kill(task.root)
    else process.kill(-task.root, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
