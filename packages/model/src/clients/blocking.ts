import type {
  ConfigEntry,
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelParams,
  ProviderModule,
} from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import type { Worker, MessagePort } from 'node:worker_threads'
import type { TaskReply, BlockingTask } from './blocking-worker.ts'
import { restoreError } from './blocking-error.ts'

/** The thread that makes blocking calls: one for this process, started by the first of them. */
let thread: Thread | undefined

interface Thread {
  readonly worker: Worker
  readonly port: MessagePort
  /** Becomes 1 when the thread is ready, when there is a reply, and when it has ended. */
  readonly state: Int32Array<SharedArrayBuffer>
}

/** Makes a client that asks in another thread and waits for it, so that a call can block. */
export function blockingClient(module: ProviderModule, config: ConfigEntry): Pick<ModelClient, 'create'> {
  return {
    create(params: ModelParams, { warn, signal: _signal, ...options }: ModelCallOptions): ModelAnswer {
      refuseLive(config, 'the config entry')
      refuseLive(params, 'the request')
      const reply = ask({ module, config, params, options })
      for (const [topic, text] of reply.notes) warn?.(topic, text)
      if (reply.error) throw restoreError(reply.error)
      return reply.answer!
    },
  }
}

function ask(task: BlockingTask): TaskReply {
  const { receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads')
  thread ??= startThread()
  const { port, state } = thread
  Atomics.store(state, 0, 0)
  port.postMessage(task)
  Atomics.wait(state, 0, 0)
  const received = receiveMessageOnPort(port)
  if (received) return received.message as TaskReply
  thread = undefined
  throw new XError('invalid-state', 'the thread of blocking calls has ended without an answer: call without `Sync`')
}

/** Milliseconds that the thread may take to start. */
const START = 10_000

function startThread(): Thread {
  const { MessageChannel, Worker } = process.getBuiltinModule('node:worker_threads')
  const { port1, port2 } = new MessageChannel()
  const state = new Int32Array(new SharedArrayBuffer(4))
  // Sources run as they are under the `@x/source` condition: the worker is the neighbour with this file's ending.
  const file = `./blocking-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: { port: port2, state },
    transferList: [port2],
    execArgv: process.execArgv.filter((flag, i, flags) => !INPUT.test(flag) && !INPUT_BEFORE.test(flags[i - 1] ?? '')),
  })
  worker.unref()
  port1.unref()
  // A thread that cannot start wakes nobody, and its error could only be heard by not waiting.
  if (Atomics.wait(state, 0, 0, START) === 'timed-out') {
    void worker.terminate()
    throw new XError(
      'invalid-state',
      'the thread of blocking calls did not start (in a bundle, `@x/model` must stay outside it): call without `Sync`',
    )
  }
  return { worker, port: port1, state }
}

/** Flags that say what the main thread runs, which a thread does not take; some stand before their value. */
const INPUT = /^(?:--input-type(?:=.*)?|-e|-p|-pe|--eval|--print)$/u
const INPUT_BEFORE = /^(?:--input-type|-e|-p|-pe|--eval|--print)$/u

/** Functions and promises live in one thread: a key or a `fetch` that is one cannot travel. */
function refuseLive(value: unknown, what: string, path: string = ''): void {
  if (typeof value === 'function' || typeof value === 'symbol' || isThenable(value)) {
    const kind = isThenable(value) ? 'promise' : typeof value
    throw new XError(
      'async-in-sync',
      `\`${path}\` of ${what} is a ${kind}, which a blocking call cannot take to the thread that asks: give a plain value, or call without \`Sync\``,
      { details: { key: path } },
    )
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) refuseLive(item, what, path ? `${path}.${key}` : key)
}
