import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteStorage } from './sqlite-storage.ts'
import type { WriteReply, WriteRequest, WriteThreadData } from './write-thread.ts'

const storage = openSqliteStorage((workerData as WriteThreadData).file)

parentPort!.on('message', (request: WriteRequest | Int32Array) => {
  if (!(request instanceof Int32Array)) return parentPort!.postMessage(written(request))
  storage.close()
  Atomics.store(request, 0, 1)
  Atomics.notify(request, 0)
})

function written({ id, pieces, retain }: WriteRequest): WriteReply {
  try {
    storage.write(pieces, true)
    if (retain) storage.retain(retain)
    return { id }
  } catch (error) {
    const { message, errcode } = error as { message?: string; errcode?: unknown }
    return { id, error: { message: String(message), errcode } }
  }
}
