import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteStorage } from './sqlite-storage.ts'
import type { WriteReply, WriteRequest, WriteThreadData } from './write-thread.ts'

const storage = openSqliteStorage((workerData as WriteThreadData).file)

parentPort!.on('message', ({ id, pieces }: WriteRequest) => parentPort!.postMessage(written(id, pieces)))

function written(id: number, pieces: WriteRequest['pieces']): WriteReply {
  try {
    storage.write(pieces, true)
    return { id }
  } catch (error) {
    const { message, errcode } = error as { message?: string; errcode?: unknown }
    return { id, error: { message: String(message), errcode } }
  }
}
