import { randomUUID } from 'node:crypto'
import type { Isolation } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { Backend, JobControl, JobResult, BackendContext, BackendFactory } from '../custom/backend.ts'
import type { Job } from '../run/job.ts'
import { runtimeOf } from '../run/languages.ts'
import { openChannel, type KernelChannel } from './kernel-channel.ts'
import { endSession, jupyterServerAt } from './jupyter-server.ts'
import { recordOf, textOf } from './messages.ts'
import { runCell } from './run-cell.ts'

/** Settings of {@link jupyterKernel}: a Jupyter server, and which of its kernels runs code. */
export interface JupyterSettings {
  /** Address of the server, such as `http://127.0.0.1:8888/`. */
  readonly url: string
  /** Token of the server, sent as a header; default: none. */
  readonly token?: string | undefined
  /** Name of the kernel, as `jupyter kernelspec list` has it; default: the server's own. */
  readonly kernel?: string | undefined
  /** How far the server keeps code from this machine; default `host`, as a server on this machine does not at all. */
  readonly isolation?: Isolation | undefined
}

/** Kinds of the settings. */
const JUPYTER_SETTING_KINDS: OptionKinds<JupyterSettings> = {
  url: kind.text,
  token: kind.text,
  kernel: kind.text,
  isolation: kind.oneOf('host', 'sandbox', 'wasm', 'container'),
}

/** A kernel of this executor, and the connection to it. */
interface OpenKernel {
  readonly kernel: string
  readonly channel: KernelChannel
}

/** Milliseconds in which an interrupted block ends; then the kernel is ended. */
const INTERRUPT_TIMEOUT_MS = 1_000

/** Milliseconds that a block waits for the end of its kernel, of the five seconds that it has. */
const END_TIMEOUT_MS = 2_500

const LOST_STATE_NOTE = 'what earlier blocks left in it is lost'
const KERNEL_ENDED_NOTE = `The kernel ended while the block ran: ${LOST_STATE_NOTE}. The next block gets a new one\n`
const KERNEL_DIED_NOTE = `The kernel died since the last block: ${LOST_STATE_NOTE}. This block runs in a new one\n`

function createBackend({ id, workDir, settings }: BackendContext<JupyterSettings>): Backend {
  checkOptions(settings, JUPYTER_SETTING_KINDS, 'run code by a Jupyter kernel')
  const server = jupyterServerAt(settings.url, settings.token)
  /** Name of this side of the connection. */
  const self = randomUUID()
  let opened: Promise<OpenKernel> | undefined
  /** The session that was given last, until it is ended. */
  let session: string | undefined
  /** The end of the last session, which the next one waits for. */
  let ending: Promise<void> = Promise.resolve()
  const closing = new AbortController()
  /** True if a kernel has died, and no block was told so. */
  let hasDied = false

  /** Returns the name of the kernel to start and the language that it runs; fails when the server has none of that name. */
  const choose = async (): Promise<{ name: string; language: string }> => {
    const { default: usual, kernelspecs } = recordOf(await server.call('GET', 'api/kernelspecs'))
    const all = recordOf(kernelspecs)
    const name = settings.kernel ?? textOf(usual)
    if (!Object.hasOwn(all, name)) {
      throw new Error(`the server has no kernel \`${name}\`, it has: ${Object.keys(all).join(', ') || 'none at all'}`)
    }
    return { name, language: textOf(recordOf(recordOf(all[name])['spec'])['language']) }
  }
  const open = async (): Promise<OpenKernel> => {
    await ending
    const { name } = await choose()
    // The server gives the session of this path that is there already: so both kinds of calls have one kernel.
    const made = recordOf(
      await server.call('POST', 'api/sessions', { path: id, name: id, type: 'console', kernel: { name } }),
    )
    session = textOf(made['id'])
    const kernel = textOf(recordOf(made['kernel'])['id'])
    return { kernel, channel: await openChannel(server, { kernel, session: self, signal: closing.signal }) }
  }
  const ready = async (): Promise<OpenKernel> => {
    const last = await opened?.catch(() => undefined)
    if (last && !last.channel.end) return last
    // A connection that was cut is opened again, to the same kernel.
    if (last && last.channel.end !== 'cut') void drop(last)
    hasDied ||= last?.channel.end === 'died'
    opened = open()
    opened.catch(() => (opened = undefined))
    return await opened
  }
  /** Ends the kernel, with what it holds. */
  const drop = (its: OpenKernel | undefined): Promise<void> => {
    opened = undefined
    its?.channel.close()
    if (session !== undefined) ending = endSession(server, session)
    session = undefined
    return ending
  }

  const run = async (job: Job, control: JobControl): Promise<JobResult> => {
    const stopped = Promise.withResolvers<'stopped'>()
    const onAbort = (): void => stopped.resolve('stopped')
    control.signal.addEventListener('abort', onAbort)
    if (control.signal.aborted) onAbort()
    try {
      const its = await Promise.race([ready(), stopped.promise])
      if (its === 'stopped') return { exitCode: 137 }
      if (hasDied) control.onOutput({ stream: 'stderr', text: KERNEL_DIED_NOTE })
      hasDied = false
      const done = runCell(its.channel, job, { session: self, workDir, control })
      const result = await Promise.race([done, stopped.promise])
      if (result === 'stopped') {
        await interrupt(its, done)
        return { exitCode: 137 }
      }
      if (result) return result
      control.onOutput({ stream: 'stderr', text: KERNEL_ENDED_NOTE })
      await within(END_TIMEOUT_MS, drop(its))
      return { exitCode: 1, reason: 'engine' }
    } finally {
      control.signal.removeEventListener('abort', onAbort)
    }
  }
  /** Interrupts a block as a person would; a kernel that goes on is ended. */
  const interrupt = async (its: OpenKernel, done: Promise<JobResult | null>): Promise<void> => {
    const asked = server.call('POST', `api/kernels/${encodeURIComponent(its.kernel)}/interrupt`).catch(() => {})
    const ended = await within(INTERRUPT_TIMEOUT_MS, Promise.all([done, asked]))
    if (!ended || ended[0] === null) await within(END_TIMEOUT_MS, drop(its))
  }

  return {
    isolation: settings.isolation,
    run,
    async fault(runtime) {
      const { name, language } = await choose()
      if (runtimeOf(language) !== runtime) return `the kernel \`${name}\` runs ${language}`
      await ready()
      return null
    },
    async restart() {
      await drop(await opened?.catch(() => undefined))
      hasDied = false
    },
    async close() {
      closing.abort()
      await drop(await opened?.catch(() => undefined))
    },
  }
}

/** Waits for something, for so many milliseconds; undefined when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs code by a kernel of a Jupyter server, for `createCustomExecutor`. One kernel runs all blocks of an executor, in
 * both kinds of calls, and keeps its state between them; pictures and pages that a block shows are saved in the work
 * directory. A stopped block is interrupted. Code can do what the server can do.
 */
export const jupyterKernel: BackendFactory<JupyterSettings> = {
  isolation: 'host',
  specVersion: 1,
  // A kernel runs one block after the other.
  concurrency: 1,
  module: { specifier: '@x/exec', export: 'jupyterKernel', url: import.meta.url },
  createBackend,
}
