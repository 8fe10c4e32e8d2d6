import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { settingsArgs, type Settings } from './settings.ts'

/** Milliseconds after which a process that was asked to end is killed. */
const PATIENCE = 5000

/** Milliseconds after which a process that has ended by itself is started again. */
const AGAIN = 500

/** A program of the example in a process of its own, which is started again when it ends by itself. */
export interface RunningProcess {
  /** The process that runs now. */
  readonly child: ChildProcess
  /** The address that a web server has said; empty for a worker. */
  readonly url: string
  /** Where its health and metrics are; empty when they are nowhere. */
  readonly monitor: string
}

/** Options of the processes. */
export interface ProcessesOptions {
  readonly settings: Settings
  /** The database server where the chats are. */
  readonly address: string
  /** Whether a process that ends by itself is started again; default true. */
  readonly restarts?: boolean | undefined
  /** Hears what happens to processes. */
  readonly log: (line: string) => void
}

/** Web servers and workers on one database server. Disposing of them hands all chats over, and ends them. */
export class Processes implements AsyncDisposable {
  readonly #options: ProcessesOptions
  /** What all web servers let in by: made for each start. */
  readonly #token = randomBytes(24).toString('base64url')
  readonly #children = new Set<ChildProcess>()
  #started = 0
  #ending = false

  constructor(options: ProcessesOptions) {
    this.#options = options
  }

  /** Starts a web server; one that ends by itself comes again at the same port. */
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

  async #start(what: string, file: string, port: number): Promise<RunningProcess> {
    const { monitor } = this.#options.settings
    const running = await this.#fork(file, { port, monitor: monitor && monitor + this.#started++ })
    const ports = {
      port: Number(running.url && new URL(running.url).port),
      monitor: running.monitor ? Number(new URL(running.monitor).port) : undefined,
    }
    const watch = (child: ChildProcess): void => {
      child.once('exit', () => void again(child))
    }
    const again = async ({ pid }: ChildProcess): Promise<void> => {
      await setTimeout(AGAIN)
      if (this.#ending) return
      this.#options.log(`The ${what} ${pid} has ended; another one is started.`)
      try {
        running.child = (await this.#fork(file, ports)).child
        watch(running.child)
      } catch (error) {
        this.#options.log(String(error))
        await again(running.child)
      }
    }
    if (this.#options.restarts !== false) watch(running.child)
    return running
  }

  async #fork(
    file: string,
    ports: Pick<Settings, 'port' | 'monitor'>,
  ): Promise<{ child: ChildProcess; url: string; monitor: string }> {
    const { settings, address } = this.#options
    const child = fork(new URL(file, import.meta.url), settingsArgs({ ...settings, ...ports }), {
      env: { ...process.env, WEB_CHAT_AT: address, WEB_CHAT_TOKEN: this.#token },
      execArgv: ['--conditions=@x/source'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Ctrl-C is for who has started them.
      detached: true,
    })
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    const said = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)])
    if (!said) throw new Error(`\`${file}\` has ended before it was ready`)
    return { child, url: '', monitor: '', ...(said[0] as { readonly url?: string; readonly monitor?: string }) }
  }
}

/** Asks a process to end, and kills one that does not. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const patience = setTimeout(PATIENCE, undefined, { ref: false })
  if (await Promise.race([gone.then(() => false), patience.then(() => true)])) child.kill('SIGKILL')
  await gone
}
