import type { ConfigEntry, ModelAnswer, ModelCallOptions, ModelParams, ProviderModule } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import type { Worker, MessagePort } from 'node:worker_threads'
import type { TaskReply, BlockingTask } from './blocking-worker.ts'
import { restoreError } from './blocking-error.ts'
import { findThreadFile, importable } from './installed.ts'

/** The thread that makes blocking calls: one for this process, started by the first of them. */
let thread: Thread | undefined

interface Thread {
  readonly worker: Worker
  readonly port: MessagePort
  /** Becomes 1 when the thread is ready, when there is a reply, and when it has ended. */
  readonly state: Int32Array<SharedArrayBuffer>
  readonly bundled: boolean
}

/** Makes a client that asks in another thread and waits for it, so that a call can block. */
export function blockingClient(module: ProviderModule, config: ConfigEntry): BlockingClient {
  return {
    create: (params: ModelParams, counted: CountedOptions): ModelAnswer =>
      askFor({ module, config, params }, counted).answer!,
  }
}

/** Counts the tokens of a request in the other thread and waits for the number. */
export const countInThread = (call: ThreadCall, counted: CountedOptions): number =>
  askFor({ ...call, counts: true }, counted).count!

/** A call that the other thread makes. */
type ThreadCall = Pick<BlockingTask, 'module' | 'config' | 'params' | 'counts'>

function askFor(call: ThreadCall, counted: CountedOptions): TaskReply {
  const { warn, signal: _signal, onSend: _onSend, sent: _sent, ...options } = counted
  refuseLive(call.config, 'the config entry')
  refuseLive(call.params, 'the request')
  const most = mostSends(call.config, counted)
  // A thread that ends without a word has sent a request, as far as anybody knows.
  counted.sent = 1
  const reply = ask({ ...call, options, mostSends: most })
  counted.sent = reply.sent
  for (const [topic, text] of reply.notes) warn?.(topic, text)
  if (reply.error) throw restoreError(reply.error)
  return reply
}

/** Options of a call that count the requests it sends. */
interface CountedOptions extends ModelCallOptions {
  sent?: number
}

/** A client for blocking calls. */
interface BlockingClient {
  create(params: ModelParams, options: CountedOptions): ModelAnswer
}

/** Further attempts of a client when its config says nothing. */
const USUAL_RETRIES = 2

/** Requests that a refusal may lead to beside the attempts, when it says how to ask instead. */
const INSTEAD = 2

/** Asks beforehand how many requests may be sent: the thread that sends them cannot ask. */
function mostSends({ maxRetries = USUAL_RETRIES }: ConfigEntry, options: CountedOptions): number {
  const most = 1 + (options.last === false ? 0 : maxRetries) + INSTEAD
  let sends = 0
  while (sends < most && (options.onSend?.() ?? true)) sends++
  return sends
}

function ask(task: BlockingTask): TaskReply {
  thread ??= startThread()
  const { port, state, bundled } = thread
  Atomics.store(state, 0, 0)
  port.postMessage({ ...task, module: importable(task.module, import.meta.url, bundled) })
  Atomics.wait(state, 0, 0)
  const received = process.getBuiltinModule('node:worker_threads').receiveMessageOnPort(port)
  const reply = received?.message as TaskReply | undefined
  if (!reply || reply.ended) thread = undefined
  if (!reply) throw cannotBlock('the thread that asks has ended without an answer')
  return reply
}

/** Milliseconds that the thread may take to start. */
const START = 60_000

function startThread(): Thread {
  const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads')
  if (!threads) throw cannotBlock('this runtime has no threads that a call can wait for')
  const found = findThreadFile(import.meta.url)
  if (!found) {
    throw cannotBlock(
      'the program is a bundle, and the thread that asks needs `@x/model` as it is installed: leave `@x/model` and the providers out of the bundle (`external`), or install them where it runs',
    )
  }
  const { port1, port2 } = new threads.MessageChannel()
  const state = new Int32Array(new SharedArrayBuffer(4))
  let worker: Worker
  try {
    worker = new threads.Worker(found.file, {
      workerData: { port: port2, state },
      transferList: [port2],
      execArgv: process.execArgv.filter((flag, i, all) => !INPUT.test(flag) && !INPUT_BEFORE.test(all[i - 1] ?? '')),
    })
  } catch (error) {
    throw cannotBlock('this runtime cannot start a thread', error)
  }
  // Without a listener it would end the process; the call that waits is told below.
  worker.on('error', () => {})
  worker.unref()
  port1.unref()
  // A thread that cannot start wakes nobody, and its error could only be heard by not waiting.
  if (Atomics.wait(state, 0, 0, START) === 'timed-out') {
    void worker.terminate()
    throw cannotBlock(`the thread that asks did not start within ${START / 1000} s`)
  }
  return { worker, port: port1, state, bundled: found.bundled }
}

const cannotBlock = (why: string, cause?: unknown): XError =>
  new XError('invalid-state', `cannot make a blocking call: ${why}; or call without \`Sync\``, { cause })

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
