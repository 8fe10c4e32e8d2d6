import type { ConfigEntry, ModelCallOptions } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import type { MessagePort, Worker } from 'node:worker_threads'
import { restoreError } from './blocking-error.ts'
import type { BlockingTask, TaskReply } from './blocking-worker.ts'

/** The thread that makes blocking calls: one per process, started by the first call. */
let thread: Thread | undefined

interface Thread {
  readonly worker: Worker
  readonly port: MessagePort
  /** Becomes 1 when the thread is ready, has replied, or has ended. */
  readonly state: Int32Array<SharedArrayBuffer>
  readonly bundled: boolean
}

/** Calls a method of a client in another thread and blocks until the result arrives. */
export function callInThread(call: Omit<BlockingTask, 'options'>, given: ModelCallOptions): unknown {
  const { timeout, timeouts, sample, trace, warn, onSend } = given
  try {
    refuseLive(call.config, 'the config entry')
    refuseLive(call.params, 'the request')
    thread ??= startThread()
  } catch (error) {
    onSend?.(false)
    throw error
  }
  const reply = sendTask({ ...call, options: { timeout, timeouts, sample, trace } }, thread)
  for (const hasLeft of reply.reports) onSend?.(hasLeft)
  for (const [topic, text] of reply.warnings) warn?.(topic, text)
  if (reply.error) throw restoreError(reply.error)
  return reply.result
}

function sendTask(task: BlockingTask, { port, state, bundled }: Thread): TaskReply {
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
const START_TIMEOUT_MS = 60_000

function startThread(): Thread {
  const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads')
  if (!threads) throw cannotBlock('this runtime has no threads that a call can wait for')
  const threadFile = findThreadFile(import.meta.url)
  if (!threadFile) {
    throw cannotBlock(
      'the program is a bundle, and the thread that asks needs `@x/model` as it is installed: leave `@x/model` and the providers out of the bundle (`external`), or install them where it runs',
    )
  }
  const { port1, port2 } = new threads.MessageChannel()
  const state = new Int32Array(new SharedArrayBuffer(4))
  let worker: Worker
  try {
    worker = new threads.Worker(threadFile.file, {
      workerData: { port: port2, state },
      transferList: [port2],
      ...threadFlags(),
    })
  } catch (error) {
    throw cannotBlock('this runtime cannot start a thread', error)
  }
  // Without a listener an error would end the process; the waiting call reports it below.
  worker.on('error', () => {})
  worker.unref()
  port1.unref()
  // A thread that cannot start does not notify, and its error event would need the event loop: hence the timeout.
  if (Atomics.wait(state, 0, 0, START_TIMEOUT_MS) === 'timed-out') {
    void worker.terminate()
    throw cannotBlock(`the thread that asks did not start within ${START_TIMEOUT_MS / 1000} s`)
  }
  return { worker, port: port1, state, bundled: threadFile.bundled }
}

const cannotBlock = (why: string, cause?: unknown): XError =>
  new XError('invalid-state', `cannot make a blocking call: ${why}; or call without \`Sync\``, { cause })

/**
 * The flags of the thread. It inherits those of the process, unless they hold the program, which a thread refuses. A list of
 * its own may have no flag of V8, such as `--max-old-space-size`.
 */
function threadFlags(): { readonly execArgv?: string[] } {
  const { execArgv } = process
  const isOfThread = (flag: string, i: number): boolean =>
    !INPUT_FLAG.test(flag) && !INPUT_FLAG_WITH_VALUE.test(execArgv[i - 1] ?? '')
  return execArgv.every(isOfThread) ? {} : { execArgv: execArgv.filter(isOfThread) }
}

/** Node flags that give the main thread its program; a thread refuses them. */
const INPUT_FLAG = /^(?:--input-type(?:=.*)?|-e|-p|-pe|--eval|--print)$/u

/** Node flags whose value is the next argument. */
const INPUT_FLAG_WITH_VALUE = /^(?:--input-type|-e|-p|-pe|--eval|--print)$/u

/** Blocks the thread for some milliseconds. */
export function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/**
 * Adds to the failure of a blocking call why no answer could come: its server is in this process, whose thread waits for the
 * answer. Returns any other failure as it is.
 */
export function explainSelfCall<E extends XError>(failure: E, { baseUrl = '' }: ConfigEntry): E | XError {
  const isServing = globalThis.process?.getActiveResourcesInfo?.().includes('TCPServerWrap') ?? false
  if (failure.kind !== 'timeout' || !isServing || !LOOPBACK_PATTERN.test(baseUrl)) return failure
  const { message, kind, status, details, cause } = failure
  const reason =
    'if the server is in this process it can never answer a blocking call, since its thread waits: call without `Sync`, or start the server in another process'
  return new XError(failure.code, `${message}; ${reason}`, { kind, status, details, cause })
}

/** URLs of this machine. */
const LOOPBACK_PATTERN = /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|\/|$)/iu

/** Refuses functions, symbols and promises, which cannot be sent to another thread. */
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

/** The source file of the thread; `bundled` is true if this module is part of a bundle. */
interface ThreadFile {
  readonly file: URL
  readonly bundled: boolean
}

/**
 * Finds the source file of the thread from the URL of this module. Built, it is below the entry of the package, in which this
 * module is. A bundle does not contain the file: it is then searched in the package that is installed beside the bundle or in
 * the working directory.
 */
export function findThreadFile(neighbour: string | undefined): ThreadFile | undefined {
  const { existsSync } = process.getBuiltinModule('node:fs')
  if (neighbour?.endsWith('/clients/blocking.ts'))
    return { file: new URL('./blocking-worker.ts', neighbour), bundled: false }
  const entry = resolveInstalled('@x/model', neighbour)
  const file = entry && new URL('./clients/blocking-worker.js', entry)
  if (!file || !existsSync(file)) return undefined
  const folder = neighbour?.slice(0, neighbour.lastIndexOf('/') + 1)
  return { file, bundled: folder !== new URL('.', entry).href }
}

/**
 * Returns a provider's module as the thread can import it. In a bundle, and in a program of one file, the URL of a provider
 * is that of the program, which would run a second time: there the package is imported by its name.
 */
export function importable(
  module: BlockingTask['module'],
  neighbour: string | undefined,
  bundled: boolean,
): BlockingTask['module'] {
  if (!bundled && module.url !== programUrl()) return module
  const { url: _, ...named } = module
  const url = resolveInstalled(module.specifier, neighbour)
  return url ? { ...named, url } : named
}

/** Resolves a package from a module, or else from the working directory. */
function resolveInstalled(specifier: string, from: string | undefined): string | undefined {
  const { createRequire } = process.getBuiltinModule('node:module')
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  const here = pathToFileURL(`${process.cwd()}/module.js`)
  for (const base of from?.startsWith('file:') ? [from, here] : [here]) {
    try {
      return pathToFileURL(createRequire(base).resolve(specifier)).href
    } catch {
      // Not installed there.
    }
  }
  return undefined
}

/** Returns the URL of the file that the process was started with. */
function programUrl(): string | undefined {
  const [, program] = process.argv
  if (!program) return undefined
  const { existsSync, realpathSync } = process.getBuiltinModule('node:fs')
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  return existsSync(program) ? pathToFileURL(realpathSync(program)).href : undefined
}
