/** Processes: the server on one core, the contestants on another, one of them awake at a time. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Stats } from './mock-server.ts'
import type { Sample } from './statistics.ts'
import type { Hello, Reply, Request } from './worker.ts'

/** Seconds that a contestant has for one sample. */
const SAMPLE_TIMEOUT_S = 240

/** Milliseconds that a process has to end by itself. */
const END_TIMEOUT_MS = 3000

/** The folder of this app. */
export const appFolder: string = dirname(import.meta.dirname)

/** True if `taskset` can keep a process on a core. */
export const canPin: boolean = spawnSync('taskset', ['-V']).status === 0

/** A command that runs Node on a core; −1 is any core. */
export function onCore(core: number, args: readonly string[]): [string, string[]] {
  return canPin && core >= 0
    ? ['taskset', ['-c', String(core), process.execPath, ...args]]
    : [process.execPath, [...args]]
}

/** The environment of contestants: nothing of this machine, no telemetry, and a key that opens nothing. */
export const environment: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_ENV: 'production',
  NO_COLOR: '1',
  OPENAI_API_KEY: 'sk-mock',
  MASTRA_TELEMETRY_DISABLED: '1',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  LANGSMITH_TRACING: 'false',
  VOLTAGENT_LOG_LEVEL: 'error',
  BENCH_STACK: process.env['BENCH_STACK'],
  // Set by the option `--postgres` after this file was loaded.
  get BENCH_POSTGRES() {
    return process.env['BENCH_POSTGRES']
  },
}

/** Names of the contestants: the folders that hold one. */
export function contestantNames(): string[] {
  const folder = join(appFolder, 'contestants')
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, 'index.mjs')))
}

/** The mock server in a process of its own. */
export interface MockServer {
  readonly baseURL: string
  /** Counts since the last call. */
  stats(): Promise<Stats>
  /** Checks every request from now on, or no longer. */
  strict(on: boolean): Promise<void>
  stop(): void
}

/** Starts the mock server on a core. */
export async function startServer(core: number): Promise<MockServer> {
  const [command, args] = onCore(core, [join(appFolder, 'src/mock-server.ts'), '0'])
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'] },
  })
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (data) => resolve(String(data)))
    child.once('exit', () => reject(new Error('the mock server did not start')))
  })
  const origin = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`
  return {
    baseURL: `${origin}/v1`,
    stats: async () => (await (await fetch(`${origin}/__stats?reset`)).json()) as Stats,
    async strict(on) {
      await fetch(`${origin}/__mode`, { method: 'POST', body: JSON.stringify({ strict: on }) })
    },
    stop: () => void child.kill(),
  }
}

/** The place and the settings of a contestant's process. */
export interface WorkerOptions {
  /** Folder of the installed contestants. */
  readonly scratch: string
  readonly core: number
  readonly baseURL: string
  readonly execArgv?: readonly string[]
  /** Shows the output of the process. */
  readonly verbose?: boolean
}

/** The process of one contestant. */
export class ContestantProcess {
  readonly name: string
  /** The facts that the contestant gives of itself. */
  hello!: Hello
  readonly #child: ChildProcess
  readonly #waiting: ((reply: Reply) => void)[] = []
  #asleep = false

  private constructor(name: string, { scratch, core, baseURL, execArgv = [], verbose = false }: WorkerOptions) {
    this.name = name
    const folder = join(scratch, 'contestants', name)
    const worker = join(scratch, 'src/worker.ts')
    const args = ['--expose-gc', ...execArgv, worker, join(folder, 'index.mjs'), baseURL]
    const [command, all] = onCore(core, args)
    const output = verbose ? 'inherit' : 'ignore'
    this.#child = spawn(command, all, {
      stdio: ['ignore', output, verbose ? 'inherit' : 'pipe', 'ipc'],
      env: environment,
      cwd: folder,
    })
    let noise = ''
    this.#child.stderr?.on('data', (data) => {
      if (noise.length < 4000) noise += String(data)
    })
    this.#child.on('message', (reply: Reply) => this.#waiting.shift()?.(reply))
    this.#child.on('exit', (code, signal) => {
      const error = `process ended (${code ?? signal}) ${process.env['BENCH_STACK'] ? noise : ''}`
      for (const done of this.#waiting.splice(0)) done({ error })
    })
  }

  /** Starts the process; throws if the contestant cannot be loaded. */
  static async start(name: string, options: WorkerOptions): Promise<ContestantProcess> {
    const started = new ContestantProcess(name, options)
    const { hello, error } = await new Promise<Reply>((resolve) => started.#waiting.push(resolve))
    if (!hello) throw new Error(error)
    started.hello = hello
    return started
  }

  /** Takes one sample; throws if the contestant fails or takes too long. */
  async ask(request: Request, limitSeconds: number = SAMPLE_TIMEOUT_S): Promise<Sample> {
    if (this.#asleep) this.#child.kill('SIGCONT')
    this.#asleep = false
    let timer: NodeJS.Timeout | undefined
    const { result, error } = await new Promise<Reply>((resolve) => {
      timer = setTimeout(() => {
        this.#child.kill('SIGKILL')
        resolve({ error: `no answer in ${limitSeconds} s` })
      }, limitSeconds * 1000)
      this.#waiting.push(resolve)
      this.#child.send(request)
    })
    clearTimeout(timer)
    if (!result) throw new Error(`${this.name}: ${error}`)
    return result
  }

  /** Puts the process to sleep, so that its timers do not disturb the others. */
  pause(): void {
    this.#child.kill('SIGSTOP')
    this.#asleep = true
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve())
    })
    if (this.#asleep) this.#child.kill('SIGCONT')
    if (this.#child.connected) this.#child.disconnect()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_TIMEOUT_MS)
    await gone
    clearTimeout(timer)
  }
}
