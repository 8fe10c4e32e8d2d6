import { randomUUID } from 'node:crypto'
import type { Isolation } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { Backend, JobControl, JobResult, BackendContext, BackendFactory } from '../custom/backend.ts'
import type { Job } from '../run/job.ts'
import { runtimeOf } from '../run/languages.ts'
import { openChannel, type KernelChannel } from './kernel-channel.ts'
import { endSession, jupyterServerAt, type JupyterServer } from './jupyter-server.ts'
import { recordOf, textOf } from './messages.ts'
import { runCell } from './run-cell.ts'

/** Settings of {@link jupyterKernel}: a Jupyter server, and its kernel that runs code. */
export interface JupyterSettings {
  /** Address of the server, such as `http://127.0.0.1:8888/`. */
  readonly url: string
  /** Token of the server, sent as a header; default: none. */
  readonly token?: string | undefined
  /** Name of the kernel, as `jupyter kernelspec list` shows it; default: the default of the server. */
  readonly kernel?: string | undefined
  /** How the server isolates code from this machine; default `host`, as a server on this machine does not isolate it. */
  readonly isolation?: Isolation | undefined
}

/** Kinds of {@link JupyterSettings}. */
const JUPYTER_SETTING_KINDS: OptionKinds<JupyterSettings> = {
  url: kind.text,
  token: kind.text,
  kernel: kind.text,
  isolation: kind.oneOf('host', 'sandbox', 'wasm', 'container'),
}

/** Milliseconds in which an interrupted block has to end; then its kernel is shut down. */
const INTERRUPT_TIMEOUT_MS = 1_000

/** Milliseconds that a block waits for its kernel to end, out of the five seconds that it has to stop. */
const END_TIMEOUT_MS = 2_500

const LOST_STATE_NOTE = 'what earlier blocks left in it is lost'
const KERNEL_ENDED_NOTE = `The kernel ended while the block ran: ${LOST_STATE_NOTE}. The next block gets a new one\n`
const KERNEL_DIED_NOTE = `The kernel died since the last block: ${LOST_STATE_NOTE}. This block runs in a new one\n`

/**
 * Runs code in a kernel of a Jupyter server, for `createCustomExecutor`. One kernel runs all blocks of an executor, in
 * asynchronous and blocking calls, and keeps its state between them. Pictures and pages that a block shows are saved in the
 * work directory. A stopped block is interrupted. Code can do whatever the server can do.
 */
export const jupyterKernel: BackendFactory<JupyterSettings> = {
  isolation: 'host',
  specVersion: 1,
  // A kernel runs one block at a time.
  concurrency: 1,
  module: { specifier: '@x/exec', export: 'jupyterKernel', url: import.meta.url },
  createBackend: (context) => new JupyterBackend(context),
}

/** Kernel of an executor, and the connection to it. */
interface OpenKernel {
  readonly kernel: string
  readonly channel: KernelChannel
}

class JupyterBackend implements Backend {
  readonly isolation: Isolation | undefined
  readonly #context: BackendContext<JupyterSettings>
  readonly #server: JupyterServer
  /** Name of this side of the connection. */
  readonly #clientId: string = randomUUID()
  #opened: Promise<OpenKernel> | undefined
  /** Session of the server that holds the kernel; undefined once its end has begun. */
  #session: string | undefined
  /** End of the last session, for which the next session waits. */
  #ending: Promise<void> = Promise.resolve()
  readonly #closing: AbortController = new AbortController()
  /** True if a kernel has died and no block has said so yet. */
  #hasDied = false

  constructor(context: BackendContext<JupyterSettings>) {
    checkOptions(context.settings, JUPYTER_SETTING_KINDS, 'run code by a Jupyter kernel')
    this.isolation = context.settings.isolation
    this.#context = context
    this.#server = jupyterServerAt(context.settings.url, context.settings.token)
  }

  async fault(runtime: Job['runtime']): Promise<string | null> {
    const { name, language } = await this.#chooseKernel()
    if (runtimeOf(language) !== runtime) return `the kernel \`${name}\` runs ${language}`
    await this.#ready()
    return null
  }

  async run(job: Job, control: JobControl): Promise<JobResult> {
    const stopped = Promise.withResolvers<'stopped'>()
    const onAbort = (): void => stopped.resolve('stopped')
    control.signal.addEventListener('abort', onAbort)
    if (control.signal.aborted) onAbort()
    try {
      const opened = await Promise.race([this.#ready(), stopped.promise])
      if (opened === 'stopped') return { exitCode: 137 }
      if (this.#hasDied) control.onOutput({ stream: 'stderr', text: KERNEL_DIED_NOTE })
      this.#hasDied = false
      const cell = runCell(opened.channel, job, {
        session: this.#clientId,
        workDir: this.#context.workDir,
        control,
      })
      const result = await Promise.race([cell, stopped.promise])
      if (result === 'stopped') {
        await this.#interrupt(opened, cell)
        return { exitCode: 137 }
      }
      if (result) return result
      control.onOutput({ stream: 'stderr', text: KERNEL_ENDED_NOTE })
      await withTimeout(END_TIMEOUT_MS, this.#shutDown(opened))
      return { exitCode: 1, reason: 'engine' }
    } finally {
      control.signal.removeEventListener('abort', onAbort)
    }
  }

  async restart(): Promise<void> {
    await this.#shutDown(await this.#opened?.catch(() => undefined))
    this.#hasDied = false
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#shutDown(await this.#opened?.catch(() => undefined))
  }

  /** Returns the name of the kernel to start and its language; fails if the server has no kernel of that name. */
  async #chooseKernel(): Promise<{ name: string; language: string }> {
    const { default: defaultName, kernelspecs } = recordOf(await this.#server.call('GET', 'api/kernelspecs'))
    const kernels = recordOf(kernelspecs)
    const name = this.#context.settings.kernel ?? textOf(defaultName)
    if (!Object.hasOwn(kernels, name)) {
      const names = Object.keys(kernels).join(', ') || 'none at all'
      throw new Error(`the server has no kernel \`${name}\`, it has: ${names}`)
    }
    return { name, language: textOf(recordOf(recordOf(kernels[name])['spec'])['language']) }
  }

  async #ready(): Promise<OpenKernel> {
    const last = await this.#opened?.catch(() => undefined)
    if (last && !last.channel.end) return last
    // A lost connection is opened again, to the same kernel.
    if (last && last.channel.end !== 'cut') void this.#shutDown(last)
    this.#hasDied ||= last?.channel.end === 'died'
    this.#opened = this.#open()
    this.#opened.catch(() => (this.#opened = undefined))
    return await this.#opened
  }

  async #open(): Promise<OpenKernel> {
    await this.#ending
    const { name } = await this.#chooseKernel()
    const { id } = this.#context
    // The server returns an existing session of this path, so that asynchronous and blocking calls share one kernel.
    const answer = recordOf(
      await this.#server.call('POST', 'api/sessions', { path: id, name: id, type: 'console', kernel: { name } }),
    )
    this.#session = textOf(answer['id'])
    const kernel = textOf(recordOf(answer['kernel'])['id'])
    const channel = await openChannel(this.#server, {
      kernel,
      session: this.#clientId,
      signal: this.#closing.signal,
    })
    return { kernel, channel }
  }

  /** Interrupts a block as a person would; shuts down a kernel that does not stop. */
  async #interrupt(opened: OpenKernel, cell: Promise<JobResult | null>): Promise<void> {
    const path = `api/kernels/${encodeURIComponent(opened.kernel)}/interrupt`
    const request = this.#server.call('POST', path).catch(() => {})
    const results = await withTimeout(INTERRUPT_TIMEOUT_MS, Promise.all([cell, request]))
    if (!results || results[0] === null) await withTimeout(END_TIMEOUT_MS, this.#shutDown(opened))
  }

  /** Closes the connection and ends the session, with its kernel. */
  #shutDown(opened: OpenKernel | undefined): Promise<void> {
    this.#opened = undefined
    opened?.channel.close()
    if (this.#session !== undefined) this.#ending = endSession(this.#server, this.#session)
    this.#session = undefined
    return this.#ending
  }
}

/** Resolves to the result of work; to undefined if it takes longer than a number of milliseconds. */
async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
