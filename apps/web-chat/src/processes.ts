import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { settingsArgs, type Settings } from './settings.ts'

/** Time after which a process that was asked to end is killed. */
const SHUTDOWN_TIMEOUT_MS = 5000

/** Delay before a process that has ended by itself is started again. */
const RESTART_DELAY_MS = 500

/** A program of the example in a separate process, which is started again when it ends by itself. */
export interface RunningProcess {
  /** The present process. */
  readonly child: ChildProcess
  /** URL of a web server; empty for a worker. */
  readonly url: string
  /** Port of a web server; 0 for a worker. */
  readonly port: number
  /** URL of health and metrics; empty without them. */
  readonly monitor: string
}

/** Options of {@link Processes}. */
export interface ProcessesOptions {
  readonly settings: Settings
  /** URL of the database server. */
  readonly address: string
  /** Whether a process that ends by itself is started again; default true. */
  readonly restarts?: boolean | undefined
  /** Receives a line for each restart. */
  readonly log: (line: string) => void
}

/** Web servers and workers on one database server. Disposing of them releases all chats, and ends the processes. */
export class Processes implements AsyncDisposable {
  readonly #options: ProcessesOptions
  /** Token of all web servers, new for each start. */
  readonly #token = randomBytes(24).toString('base64url')
  readonly #children = new Set<ChildProcess>()
  #started = 0
  #ending = false

  constructor(options: ProcessesOptions) {
    this.#options = options
  }

  /** Starts a web server; after a restart it has the same port. */
  async startServer(port: number): Promise<RunningProcess> {
    return await this.#start('web server', 'serve.ts', port)
  }

  /** Starts a worker. */
  async startWorker(): Promise<RunningProcess> {
    return await this.#start('worker', 'work.ts', 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending = true
    await Promise.all([...this.#children].map((child) => end(child)))
  }

  async #start(role: string, file: string, port: number): Promise<RunningProcess> {
    const { monitor } = this.#options.settings
    const running = await this.#fork(file, { port, monitor: monitor && monitor + this.#started++ })
    const ports = {
      port: running.port,
      monitor: running.monitor ? Number(new URL(running.monitor).port) : undefined,
    }
    const watch = (child: ChildProcess): void => {
      child.once('exit', () => void restart(child))
    }
    const restart = async ({ pid }: ChildProcess): Promise<void> => {
      await setTimeout(RESTART_DELAY_MS)
      if (this.#ending) return
      this.#options.log(`The ${role} ${pid} has ended; another one is started.`)
      try {
        running.child = (await this.#fork(file, ports)).child
        watch(running.child)
      } catch (error) {
        this.#options.log(String(error))
        await restart(running.child)
      }
    }
    if (this.#options.restarts !== false) watch(running.child)
    return running
  }

  async #fork(
    file: string,
    ports: Pick<Settings, 'port' | 'monitor'>,
  ): Promise<{ child: ChildProcess; url: string; port: number; monitor: string }> {
    const { settings, address } = this.#options
    const child = fork(new URL(file, import.meta.url), settingsArgs({ ...settings, ...ports }), {
      env: { ...process.env, WEB_CHAT_AT: address, WEB_CHAT_TOKEN: this.#token },
      execArgv: ['--conditions=@x/source'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Ctrl-C reaches only the parent process.
      detached: true,
    })
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    const message = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)])
    if (!message) throw new Error(`\`${file}\` has ended before it was ready`)
    return { child, url: '', port: 0, monitor: '', ...(message[0] as Partial<RunningProcess>) }
  }
}

/** Asks a process to end, and kills one that does not. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const timeout = setTimeout(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })
  if (await Promise.race([exit.then(() => false), timeout.then(() => true)])) child.kill('SIGKILL')
  await exit
}
