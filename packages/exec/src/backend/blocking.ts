import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import type { Artifact, ErrorCode } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { Change, Choice } from '../changes/changeset.ts'
import { importedSpec } from '../custom/custom-backend.ts'
import type { Job, OutputChunk, Outcome } from '../run/job.ts'
import type { BackendSpec, ThreadSpec } from './kinds.ts'
import { keepImage, latestImage, type PythonImage } from '../wasm/python-images.ts'
import { foreignThreadOptions, packageFile, threadOptions } from './thread.ts'

/** Backend whose operations block. */
export interface BlockingBackend {
  /** Runs a job to its end, then yields its output and returns its outcome. */
  run(job: Job): Generator<OutputChunk, Outcome>
  settle(job: Job, id: number, choice: Choice): readonly Change[]
  artifacts(): Artifact[]
  restart(): void
  close(): void
}

/** Milliseconds that the thread may take to start. */
const WORKER_START_TIMEOUT_MS = 60_000

/** Runs jobs in another thread with the code of the asynchronous calls, and blocks until they end. */
export function blockingBackend(backendSpec: BackendSpec): BlockingBackend {
  const spec: ThreadSpec = backendSpec.kind === 'custom' ? importedSpec(backendSpec) : backendSpec
  const { port1: port, port2 } = new MessageChannel()
  const state = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(packageFile('../backend/blocking-worker', import.meta.url), {
    ...(spec.kind === 'imported' ? foreignThreadOptions(import.meta.url) : threadOptions(import.meta.url)),
    workerData: { port: port2, state, spec, image: latestImage() },
    transferList: [port2],
  })
  // Without a listener, an error would end the process. The waiting call learns of the end of the thread below.
  worker.on('error', () => {})
  worker.unref()
  port.unref()
  if (Atomics.wait(state, 0, STATE_WAITING, WORKER_START_TIMEOUT_MS) === 'timed-out') {
    void worker.terminate()
    throw new XError(
      'invalid-state',
      'cannot run code in a blocking call: its thread did not start. Call without `Sync`',
    )
  }
  return {
    *run(job) {
      const { chunks = [], outcome } = ask(port, state, { type: 'run', job })
      yield* chunks
      return outcome!
    },
    settle: (job, id, choice) => ask(port, state, { type: 'settle', job, id, choice }).changes ?? [],
    artifacts: () => ask(port, state, { type: 'artifacts' }).artifacts!,
    restart: () => void ask(port, state, { type: 'restart' }),
    close() {
      // The thread exits by itself: ending it from here could interrupt its work.
      if (Atomics.load(state, 0) !== STATE_ENDED) ask(port, state, { type: 'close' })
      port.close()
    },
  }
}

function ask(port: MessagePort, state: Int32Array<SharedArrayBuffer>, question: Question): Answer {
  // Waiting for a thread that has ended would never return.
  if (Atomics.compareExchange(state, 0, STATE_READY, STATE_WAITING) === STATE_READY) {
    port.postMessage(question)
    Atomics.wait(state, 0, STATE_WAITING)
  }
  const answer = receiveMessageOnPort(port)?.message as Answer | undefined
  if (!answer) {
    throw new XError(
      'invalid-state',
      'cannot run code in a blocking call: its thread ended without an answer. Call without `Sync`',
    )
  }
  if (answer.image) keepImage(answer.image)
  if (answer.error) throw new XError(answer.error.code, answer.error.message, { details: answer.error.details })
  return answer
}

/** State of the thread while it starts, or while it owes an answer. */
export const STATE_WAITING = 0

/** State of the thread once it has answered. */
export const STATE_READY = 1

/** State of the thread once it has ended. */
export const STATE_ENDED = 2

/** Request to the thread of blocking calls. */
export type Question =
  | { type: 'run'; job: Job }
  | { type: 'settle'; job: Job; id: number; choice: Choice }
  | { type: 'artifacts' | 'restart' | 'close' }

/** Answer to a {@link Question}. */
export interface Answer {
  readonly chunks?: OutputChunk[]
  readonly outcome?: Outcome
  readonly artifacts?: Artifact[]
  readonly changes?: readonly Change[]
  /** Image that the thread has made since its last answer. */
  readonly image?: PythonImage
  readonly error?: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> }
}
