import { mkdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type {
  CodeBlock,
  CodeExecutor,
  CodeReader,
  CodeResult,
  EventBody,
  Isolation,
  RunOptions,
  XEvent,
} from '@x/interfaces'
import { runAsync, runSync, XError } from '@x/kernel'
import { checkRunOptions } from '@x/kernel/run'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { blockingBackend, type BlockingBackend } from './backend/blocking.ts'
import { type BackendSpec, createBackend } from './backend/create-backend.ts'
import { holdWorkspace, plainWorkspace, type HeldWorkspace, type Workspace } from './backend/workspace.ts'
import { now } from './run/deadline.ts'
import { Semaphore } from './run/semaphore.ts'
import { executeInRun } from './run/execute.steps.ts'
import type { ExecutionContext } from './run/execution-context.ts'
import type { LimitedBackend } from './run/job.ts'
import { makeOwnDirectory, removeOwnDirectory } from './run/own-directory.ts'
import { type ExecutePolicy, FILE_ENDINGS } from './run/languages.ts'
import type { ExecutionLimits } from './run/limits.ts'

/** Blocks that run at once by default; further ones wait, and their time begins when they start. */
const DEFAULT_CONCURRENCY = 8

const BLOCKING_RUN_KINDS: OptionKinds<Pick<RunOptions, 'run' | 'emit'>> = {
  run: runOptionKinds.run,
  emit: runOptionKinds.emit,
}

/** Directories of an executor. */
export interface Places {
  /** Directory that the user sees; made for the executor, or given. */
  readonly workDir: string
  /** The same when it was given; null for one that was made. */
  readonly given: string | null
  /** Directory that confined code works in. */
  readonly workspace: Workspace
  /** Directory that code never gets to change. */
  readonly guard: string
}

/** Parts of an executor. */
export interface ExecutorParts {
  readonly reader: CodeReader
  readonly limits: ExecutionLimits
  readonly execute: ExecutePolicy
  /** Directory to work in; default: one of its own, made with the first block and removed by `close`. */
  readonly workDir?: string | undefined
  /** Blocks that run at once; default 8. */
  readonly concurrency?: number | undefined
  /** True if code works in a file system of fixed size where there can be one, or else in a copy of a given directory. */
  readonly confined?: boolean | undefined
  /** Describes the backend. */
  spec(places: Places): BackendSpec
  /** Isolation to report before anything ran. */
  readonly isolation: Isolation
}

/** Runs code blocks on one backend of any kind, by asynchronous and blocking calls, and owns the work directory. */
export class BlockExecutor implements CodeExecutor {
  readonly codeReader: CodeReader
  readonly #parts: ExecutorParts
  readonly #context: ExecutionContext
  readonly #gate: Semaphore
  readonly #running: Set<Promise<unknown>> = new Set()
  #workDir: string | undefined
  readonly #own: string[] = []
  #held: HeldWorkspace | undefined
  #spec: BackendSpec | undefined
  #backend: LimitedBackend | undefined
  #blocking: BlockingBackend | undefined
  #closed = false
  /** Said with the first blocks. */
  #warning: string | undefined

  constructor(parts: ExecutorParts) {
    this.#parts = parts
    this.codeReader = parts.reader
    this.#warning = kind.timeout.warning('the `timeout` of code', parts.limits.timeout)
    this.#gate = new Semaphore(parts.concurrency ?? DEFAULT_CONCURRENCY)
    this.#context = {
      plan: { limits: parts.limits, execute: parts.execute, inferLang: (code) => parts.reader.inferLang(code) },
      open: () => (this.#backend ??= createBackend(this.#open())),
      openSync: () => (this.#blocking ??= blockingBackend(this.#open())),
      schedule: async (work, signal) => await this.#keep(this.#gate.pass(work, signal)),
      now,
      takeWarning: () => {
        const text = this.#warning
        this.#warning = undefined
        return text
      },
    }
  }

  /** How far code is kept from the machine; where it differs by language, the weakest that was used. */
  get isolation(): Isolation {
    return this.#backend?.isolation ?? this.#parts.isolation
  }

  /** Directory that the code works in, absolute; null before the first block of an executor with one of its own. */
  get workDir(): string | null {
    return this.#workDir ?? null
  }

  /** Runs blocks in order, each under the limits, and stops at the first that fails. */
  async executeCodeBlocks(blocks: readonly CodeBlock[], options: RunOptions = {}): Promise<CodeResult> {
    checkOptions(options, runOptionKinds, 'run `executeCodeBlocks`')
    checkRunOptions(options)
    return await runAsync<CodeResult, EventBody, XEvent>(executeInRun(this.#context, blocks, options.run), options)
  }

  /** {@link executeCodeBlocks}, blocking; output comes as events when a block has ended. */
  executeCodeBlocksSync(blocks: readonly CodeBlock[], options: Pick<RunOptions, 'run' | 'emit'> = {}): CodeResult {
    // Before a signal is refused as none of a blocking call: the signal of a run without its `run` ends that run.
    checkRunOptions(options ?? {})
    checkOptions(options, BLOCKING_RUN_KINDS, 'run `executeCodeBlocksSync`')
    return runSync<CodeResult, EventBody, XEvent>(executeInRun(this.#context, blocks, options.run), options)
  }

  /** Restarts the backend where that means something, as for a container. Files of a work directory stay. */
  async restart(): Promise<void> {
    await this.#backend?.restart?.()
  }

  /** Waits for running blocks, then removes the container, its own work directory and the thread. Unusable afterwards. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.allSettled(this.#running)
    try {
      this.#blocking?.close()
      await this.#backend?.close()
    } finally {
      this.#held?.release()
      for (const directory of this.#own) await removeOwnDirectory(directory)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #keep<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work)
    try {
      return await work
    } finally {
      this.#running.delete(work)
    }
  }

  #open(): BackendSpec {
    if (this.#closed) throw new XError('invalid-state', 'cannot run code: the executor is closed, make another one')
    if (this.#spec) return this.#spec
    const { workDir, confined = false, limits } = this.#parts
    const given = workDir === undefined ? null : realDirectory(workDir)
    const own = given === null || confined ? this.#makeDirectory() : given
    const workspace = confined ? (this.#held = holdWorkspace(own, limits)) : plainWorkspace(own)
    this.#workDir = given ?? workspace.path
    const guard = given !== null && confined ? this.#makeDirectory() : own
    const { path, inside, holder, byRoot } = workspace
    return (this.#spec = this.#parts.spec({
      workDir: this.#workDir,
      given,
      workspace: { path, inside, holder, byRoot },
      guard,
    }))
  }

  #makeDirectory(): string {
    const directory = makeOwnDirectory()
    this.#own.push(directory)
    return directory
  }
}

/** Makes sure that a directory is there; gives its path without links. */
function realDirectory(path: string): string {
  mkdirSync(resolve(path), { recursive: true })
  return realpathSync(resolve(path))
}

const EXECUTE_POLICY_KINDS = Object.fromEntries(Object.keys(FILE_ENDINGS).map((name) => [name, kind.flag]))

/** Refuses an unknown or wrong option of an executor before anything is started. */
export function checkExecutorOptions<O extends { readonly execute?: ExecutePolicy | undefined }>(
  operation: string,
  options: O | undefined,
  kinds: OptionKinds<O>,
): void {
  checkOptions(options, kinds, `run \`${operation}\``)
  checkOptions(options?.execute, EXECUTE_POLICY_KINDS, `run \`${operation}\` with this \`execute\``)
}
