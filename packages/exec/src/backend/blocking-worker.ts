import { workerData, type MessagePort } from 'node:worker_threads'
import { isXError } from '@x/kernel'
import { importBackend } from '../custom/custom-backend.ts'
import type { LimitedBackend, OutputChunk } from '../run/job.ts'
import { type ThreadSpec, createBackend } from './kinds.ts'
import { keepImage, latestImage, type PythonImage } from '../wasm/python-images.ts'
import { STATE_ENDED, STATE_READY, STATE_WAITING, type Answer, type Question } from './blocking.ts'

const { port, state, spec, ...data } = workerData as {
  port: MessagePort
  state: Int32Array<SharedArrayBuffer>
  spec: ThreadSpec
  image: PythonImage | null
}
if (data.image) keepImage(data.image)
/** Image that the other thread has. */
let sharedImage = data.image

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
// Code of a custom backend may fail outside any call. A thread that waits for an answer gets the error.
process.on('uncaughtException', (error) => {
  if (Atomics.load(state, 0) === STATE_WAITING) port.postMessage(failure(error))
  process.exit(1)
})
// Wakes a thread that would otherwise wait for ever.
process.on('exit', () => wakeUp(STATE_ENDED))

let backend: LimitedBackend | undefined
const openBackend = async (): Promise<LimitedBackend> =>
  (backend ??= spec.kind === 'imported' ? await importBackend(spec) : createBackend(spec))

wakeUp(STATE_READY)

async function answerTo(question: Question): Promise<Answer> {
  try {
    // A backend that was never used needs no close.
    if (question.type === 'close') {
      await backend?.close()
      return {}
    }
    const current = await openBackend()
    if (question.type === 'run') {
      const chunks: OutputChunk[] = []
      const outcome = await current.run(question.job, { onOutput: (chunk) => void chunks.push(chunk) })
      const image = latestImage()
      if (!image || image === sharedImage) return { chunks, outcome }
      sharedImage = image
      return { chunks, outcome, image }
    }
    if (question.type === 'settle') {
      const { job, id, choice } = question
      return { changes: (await current.settle?.(job, id, choice)) ?? [] }
    }
    if (question.type === 'artifacts') return { artifacts: await current.artifacts() }
    await current.restart?.()
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
