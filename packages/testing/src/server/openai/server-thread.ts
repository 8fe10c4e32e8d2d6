import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { XError } from '@x/kernel'
import { frozenCopy } from '../../scripted/frozen-copy.ts'
import type { LoggedRequest } from '../http-log.ts'
import type { FakeOpenAI, OpenAIServerOptions } from './fake-openai.ts'
import type { BlockingAnswer, BlockingQuestion, Notice, Question, ServerTask } from './server-worker.ts'

/** Time after which a thread without an answer counts as dead. */
const MAX_WAIT_MS = 10_000

const THREAD_ENDED_TEXT =
  'the thread of the fake server no longer answers: it was closed, or it failed; start another server'

/** Starts the server in its own thread, so that a test that blocks this thread can reach it. */
export async function listenInThread(options: OpenAIServerOptions): Promise<FakeOpenAI> {
  refuseLive(options)
  const { port1, port2 } = new MessageChannel()
  const state = new Int32Array(new SharedArrayBuffer(4))
  // Built, this module is part of a file of `dist`; under the `@x/source` condition sources run unbuilt.
  const file = import.meta.url.endsWith('.ts') ? './server-worker.ts' : './server/openai/server-worker.js'
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: { options, port: port2, state } satisfies ServerTask,
    transferList: [port2],
  })
  port1.unref()
  const { origin, questions } = await listening(worker)
  let questionCount = 0
  let closing: Promise<void> | undefined

  const ask = (question: Omit<Question, 'id'>): Promise<void> => {
    const id = ++questionCount
    const waiting = Promise.withResolvers<void>()
    questions.set(id, waiting)
    worker.postMessage({ ...question, id } satisfies Question)
    return waiting.promise
  }
  const askNow = (question: BlockingQuestion): unknown => {
    Atomics.store(state, 0, 0)
    port1.postMessage(question)
    Atomics.wait(state, 0, 0, MAX_WAIT_MS)
    const answer = receiveMessageOnPort(port1)?.message as BlockingAnswer | undefined
    if (!answer) throw new XError('invalid-state', THREAD_ENDED_TEXT)
    if (answer.failure !== undefined) throw new XError('invalid-state', answer.failure)
    return answer.value
  }
  const end = async (): Promise<void> => {
    await ask({ ask: 'close' })
    await worker.terminate()
    port1.close()
  }
  const close = (): Promise<void> => (closing ??= end())
  return {
    origin,
    url: `${origin}/v1`,
    get requests() {
      return frozenCopy(askNow('requests') as LoggedRequest[])
    },
    requested: (count) => ask({ ask: 'requested', count }),
    idle: () => ask({ ask: 'idle' }),
    assertComplete: () => void askNow('assertComplete'),
    close,
    [Symbol.asyncDispose]: close,
  }
}

type Questions = Map<number, PromiseWithResolvers<void>>

async function listening(worker: Worker): Promise<{ origin: string; questions: Questions }> {
  const questions: Questions = new Map()
  const started = Promise.withResolvers<string>()
  const failed = (text: string, cause?: unknown): void =>
    started.reject(new XError('invalid-state', `the fake server did not start in its thread: ${text}`, { cause }))
  worker.on('error', (error: unknown) => failed(error instanceof Error ? error.message : String(error), error))
  worker.on('exit', () => {
    failed('the thread has ended')
    for (const { reject } of questions.values()) reject(new XError('invalid-state', THREAD_ENDED_TEXT))
  })
  worker.on('message', (notice: Notice) => {
    if ('origin' in notice) started.resolve(notice.origin)
    else if ('failure' in notice) failed(notice.failure)
    else {
      questions.get(notice.id)?.resolve()
      questions.delete(notice.id)
    }
  })
  try {
    return { origin: await started.promise, questions }
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

/** Refuses functions and promises, which cannot be sent to another thread. */
function refuseLive(value: unknown, path: string = ''): void {
  const isPromise = typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
  if (typeof value === 'function' || isPromise) {
    throw new XError(
      'invalid-argument',
      `\`${path}\` is a ${isPromise ? 'promise' : 'function'}, which cannot travel to the thread of the fake server: give plain data, or start it without \`thread\``,
      { details: { path } },
    )
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return
  for (const [key, item] of Object.entries(value)) refuseLive(item, path ? `${path}.${key}` : key)
}
