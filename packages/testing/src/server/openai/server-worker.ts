import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { listenAsOpenAI, type OpenAIServerOptions } from './fake-openai.ts'

/** Data with which the thread starts. */
export interface ServerTask {
  readonly options: OpenAIServerOptions
  /** Port of the blocking questions. */
  readonly port: MessagePort
  /** Becomes 1 when a question is answered. */
  readonly state: Int32Array<SharedArrayBuffer>
}

/** A question for which the other side blocks. */
export type BlockingQuestion = 'requests' | 'assertComplete'

/** The answer to a blocking question: a value, or the text of a failure. */
export interface BlockingAnswer {
  readonly value?: unknown
  readonly failure?: string | undefined
}

/** A question with a later answer. */
export interface Question {
  readonly id: number
  readonly ask: 'requested' | 'idle' | 'close'
  readonly count?: number
}

/** Message of the thread: it listens, it failed to, or a question is answered. */
export type Notice = { readonly origin: string } | { readonly failure: string } | { readonly id: number }

async function serve({ options, port, state }: ServerTask): Promise<void> {
  const tell = (notice: Notice): void => parentPort?.postMessage(notice)
  const server = await listenAsOpenAI(options)
  port.on('message', (question: BlockingQuestion) => {
    port.postMessage(answerTo(question))
    Atomics.store(state, 0, 1)
    Atomics.notify(state, 0)
  })
  const answerTo = (question: BlockingQuestion): BlockingAnswer => {
    if (question === 'requests') return { value: server.requests }
    try {
      server.assertComplete()
      return {}
    } catch (error) {
      return { failure: textOf(error) }
    }
  }
  parentPort?.on('message', ({ id, ask, count = 0 }: Question) => {
    const done =
      ask === 'idle' ? server.idle() : ask === 'requested' ? server.requested(count) : server[Symbol.asyncDispose]()
    void done.then(() => tell({ id }))
  })
  tell({ origin: server.origin })
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

try {
  await serve(workerData as ServerTask)
} catch (error) {
  parentPort?.postMessage({ failure: textOf(error) } satisfies Notice)
}
