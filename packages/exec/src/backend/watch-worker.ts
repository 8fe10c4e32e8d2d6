import { workerData, type MessagePort } from 'node:worker_threads'
import type { StopReason } from '@x/interfaces'
import { listArtifacts } from '../run/list-artifacts.ts'
import { type WatchMessage, type WatchRequest, type WatchTask, watchTree } from './watch.ts'

const { port } = workerData as { port: MessagePort }
const endWatching = new Map<number, () => void>()
const send = (message: WatchMessage): void => port.postMessage(message)

port.on('message', (request: WatchRequest) => {
  const { id } = request
  if (request.type === 'watch')
    endWatching.set(
      id,
      watchTree(request.task, (reason) => killTree(request, reason)),
    )
  else if (request.type === 'list') send({ type: 'listed', id, artifacts: listArtifacts(request.root) })
  else {
    endWatching.get(id)?.()
    endWatching.delete(id)
  }
})

/** Sends the reason before it kills the tree, so that the reason arrives before the end of the process. */
function killTree({ id, task }: { readonly id: number; readonly task: WatchTask }, reason: StopReason): void {
  send({ type: 'stop', id, reason })
  // The process failed to start; id 0 would be the process group of this program.
  if (task.root === 0) return
  try {
    if (process.platform === 'win32') process.kill(task.root)
    else process.kill(-task.root, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
