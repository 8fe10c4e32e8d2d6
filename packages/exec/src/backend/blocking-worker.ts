import { workerData, type MessagePort } from 'node:worker_threads'
import type { Artifact, ErrorCode } from '@x/interfaces'
import { isXError } from '@x/kernel'
import type { Job, OutputChunk, Outcome } from '../run/job.ts'
import type { BackendSpec } from './backend-spec.ts'
import { createBackend } from './create-backend.ts'

/** What another thread asks and waits for. */
export type Question = { type: 'run'; job: Job } | { type: 'artifacts' | 'restart' | 'close' }

/** What came of it. */
export interface Answer {
  readonly chunks?: OutputChunk[]
  readonly outcome?: Outcome
  readonly artifacts?: Artifact[]
  readonly error?: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> }
}

const { port, state, spec } = workerData as {
  port: MessagePort
  state: Int32Array<SharedArrayBuffer>
  spec: BackendSpec
}
const backend = createBackend(spec)

const wakeUp = (): void => {
  Atomics.store(state, 0, 1)
  Atomics.notify(state, 0)
}

port.on('message', (question: Question) => {
  void answered(question).then((answer) => {
    port.postMessage(answer)
    wakeUp()
    if (question.type === 'close') setImmediate(() => process.exit())
  })
})
// Whoever waits must not wait for a thread that is gone.
process.on('exit', wakeUp)
wakeUp()

async function answered(question: Question): Promise<Answer> {
  try {
    if (question.type === 'run') {
      const chunks: OutputChunk[] = []
      const outcome = await backend.run(question.job, { onOutput: (chunk) => void chunks.push(chunk) })
      return { chunks, outcome }
    }
    if (question.type === 'artifacts') return { artifacts: await backend.artifacts() }
    await backend[question.type]?.()
    return {}
  } catch (error) {
    const { message } = error as Error
    if (!isXError(error)) return { error: { code: 'invalid-state', message } }
    return { error: { code: error.code, message, ...(error.details && { details: error.details }) } }
  }
}
