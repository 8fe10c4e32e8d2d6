import type { Worker } from 'node:worker_threads'
import type { Piece, RecordBounds } from './storage.ts'

/** Pieces for the thread to write. */
export interface WriteRequest {
  readonly id: number
  readonly pieces: readonly Piece[]
  /** Bounds to hold behind them; null for none. */
  readonly retain: RecordBounds | null
}

/** The reply of the thread: the pieces are written, or why not. */
export interface WriteReply {
  readonly id: number
  readonly error?: { readonly message: string; readonly errcode: unknown }
}

/** Data of the thread. */
export interface WriteThreadData {
  readonly file: string
}

/**
 * Starts a thread that writes pieces to a file of SQLite, so that runs do not wait for it. `onReply` takes its replies; null
 * stands for its end. Returns null where no thread can be started, such as in a bundle.
 */
export function startWriteThread(file: string, onReply: (reply: WriteReply | null) => void): Worker | null {
  const base = import.meta.url
  const isSource = base.endsWith('.ts')
  try {
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads')
    const thread = new Thread(new URL(isSource ? './write-worker.ts' : './write-worker.js', base), {
      ...(isSource ? { execArgv: ['--conditions=@x/source'] } : { execArgv: [], env: {} }),
      workerData: { file } satisfies WriteThreadData,
    })
    const end = (): void => onReply(null)
    thread.on('message', onReply)
    thread.on('error', end)
    thread.on('exit', end)
    thread.unref()
    return thread
  } catch {
    return null
  }
}

/** Most time that a thread has to close its file, in milliseconds: it may be in the middle of a batch. */
const MAX_CLOSE_MS = 1000

/**
 * Waits until a thread has closed its file: the last one to do so puts the log beside the file into it, so that a copy of the
 * file has everything.
 */
export function closeInThread(thread: Worker): void {
  const closed = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  thread.postMessage(closed)
  Atomics.wait(closed, 0, 0, MAX_CLOSE_MS)
}
