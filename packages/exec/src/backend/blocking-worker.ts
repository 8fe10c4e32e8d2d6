import { workerData, type MessagePort } from 'node:worker_threads'
import type { Artifact, ErrorCode } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { importBackend } from '../custom/custom-backend.ts'
import type { Job, LimitedBackend, OutputChunk, Outcome } from '../run/job.ts'
import { type ThreadSpec, createBackend } from './create-backend.ts'
import { holdImage, latestImage, type PythonImage } from '../wasm/python-images.ts'
import { STATE_ENDED, STATE_READY, STATE_WAITING } from './blocking-protocol.ts'

/** A request that another thread waits for. */
export type Question = { type: 'run'; job: Job } | { type: 'artifacts' | 'restart' | 'close' }

/** The answer to a request. */
export interface Answer {
  readonly chunks?: OutputChunk[]
  readonly outcome?: Outcome
  readonly artifacts?: Artifact[]
  /** Made by this thread since it was asked last, for others. */
  readonly image?: PythonImage
  readonly error?: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> }
}

const { port, state, spec, ...given } = workerData as {
  port: MessagePort
  state: Int32Array<SharedArrayBuffer>
  spec: ThreadSpec
  image: PythonImage | null
}
if (given.image) holdImage(given.image)
/** What the other thread knows. */
let known = given.image

const wakeUp = (next: typeof STATE_READY | typeof STATE_ENDED): void => {
  Atomics.store(state, 0, next)
  Atomics.notify(state, 0)
}

port.on('message', (question: Question) => {
  void answerTo(question).then((answer) => {
    port.postMessage(answer)
    wakeUp(STATE_READY)
    if (question.type === 'close') setImmediate(() => process.exit())
  })
})
// Code of others may fail where nobody waits for it; who waits for an answer hears of it.
process.on('uncaughtException', (error) => {
  if (Atomics.load(state, 0) === STATE_WAITING) port.postMessage(failure(error))
  process.exit(1)
})
// Whoever waits must not wait for a thread that is gone.
process.on('exit', () => wakeUp(STATE_ENDED))

let backend: LimitedBackend | undefined
const openBackend = async (): Promise<LimitedBackend> =>
  (backend ??= spec.kind === 'imported' ? await importBackend(spec) : createBackend(spec))

wakeUp(STATE_READY)

async function answerTo(question: Question): Promise<Answer> {
  try {
    // What was never used has nothing to close.
    if (question.type === 'close') {
      await backend?.close()
      return {}
    }
    const opened = await openBackend()
    if (question.type === 'run') {
      const chunks: OutputChunk[] = []
      const outcome = await opened.run(question.job, { onOutput: (chunk) => void chunks.push(chunk) })
      const image = latestImage()
      if (!image || image === known) return { chunks, outcome }
      known = image
      return { chunks, outcome, image }
    }
    if (question.type === 'artifacts') return { artifacts: await opened.artifacts() }
    await opened.restart?.()
    return {}
  } catch (error) {
    return failure(error)
  }
}

function failure(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error)
  if (!isXError(error)) return { error: { code: 'invalid-state', message } }
  return { error: { code: error.code, message, ...(error.details && { details: error.details }) } }
}
