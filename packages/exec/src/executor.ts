import { mkdirSync, realpathSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { CodeBlock, CodeExecutor, CodeReader, CodeResult, EventBody, Isolation, XEvent } from '@x/interfaces'
import { runAsync, runSync, XError } from '@x/kernel'
import { checkRunOptions, EventScope } from '@x/kernel/run'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { blockingBackend, type BlockingBackend } from './backend/blocking.ts'
import { type BackendSpec, createBackend, type ExecutorFacts, wallsOf, withWalls } from './backend/kinds.ts'
import { type MachineFacts, machineFacts, type WallRequirement, type Walls } from './backend/walls.ts'
import { holdWorkspace, plainWorkspace, type HeldWorkspace } from './backend/workspace.ts'
import type { ChooseChanges, CodeExecutionOptions } from './changes/changeset.ts'
import { checkBlocks, FOREIGN_EXECUTION_WORDS, FOREIGN_EXECUTOR_WORDS } from './foreign-words.ts'
import { eventTime, now } from './run/clock.ts'
import { isLarge } from './run/list-artifacts.ts'
import { Semaphore } from './run/semaphore.ts'
import { executeInRun } from './run/execute.steps.ts'
import type { ExecutionContext } from './run/execution-context.ts'
import type { LimitedBackend } from './run/job.ts'
import { makeTemporaryDirectory, removeTemporaryDirectory } from './run/temporary-directory.ts'
import { type ExecutePolicy, FILE_ENDINGS } from './run/languages.ts'
import type { ExecutionLimits } from './run/limits.ts'

/** Blocks that run at once by default. Further blocks wait; the time of a block begins when it starts. */
const DEFAULT_CONCURRENCY = 8

/** Source of the times of events, and of the ids of runs. */
const EVENT_RUNTIME = { now: eventTime, newId: randomUUID }

type BlockingOptions = Pick<CodeExecutionOptions, 'run' | 'emit' | 'events' | 'chooseChanges'>

const EXECUTION_KINDS: OptionKinds<CodeExecutionOptions> = { ...runOptionKinds, chooseChanges: kind.call }

const BLOCKING_RUN_KINDS: OptionKinds<BlockingOptions> = {
  run: runOptionKinds.run,
  emit: runOptionKinds.emit,
  events: runOptionKinds.events,
  chooseChanges: kind.call,
}

/** Directories of an executor. */
export type Directories = Pick<ExecutorFacts, 'workDir' | 'given' | 'workspace'>

/** Parts of an executor. */
export interface ExecutorParts {
  readonly reader: CodeReader
  readonly limits: ExecutionLimits
  readonly execute: ExecutePolicy
  /** Directory to work in; default: a new one, made for the first block and removed by `close`. */
  readonly workDir?: string | undefined
  /** Blocks that run at once; default 8. */
  readonly concurrency?: number | undefined
  /** True if code works in a file system of fixed size where the system allows one, or in a copy of the user's directory. */
  readonly confined?: boolean | undefined
  /** Chooses the changes that come back to the user's directory; default: see `asks`. */
  readonly choose?: ChooseChanges | undefined
  /** True if the caller of an execution may choose these changes. */
  readonly asks?: boolean | undefined
  /** Returns the description of the backend. */
  spec(directories: Directories): BackendSpec
  /** Isolation to report before the first block. */
  readonly isolation: Isolation
  /** Walls that have to stand; default: none. */
  readonly required?: readonly WallRequirement[] | undefined
}

/** Runs code blocks on one backend, by asynchronous and blocking calls, and owns the work directory. */
export class BlockExecutor implements CodeExecutor {
  readonly codeReader: CodeReader
  readonly #parts: ExecutorParts
  readonly #context: ExecutionContext
  readonly #semaphore: Semaphore
  readonly #running: Set<Promise<unknown>> = new Set()
  #workDir: string | undefined
  readonly #ownDirectories: string[] = []
  #heldWorkspace: HeldWorkspace | undefined
  #spec: BackendSpec | undefined
  #facts: MachineFacts | undefined
  #backend: LimitedBackend | undefined
  #blocking: BlockingBackend | undefined
  #closed = false
  /** Warning to send with the first blocks. */
  #warning: string | undefined

  constructor(parts: ExecutorParts) {
    this.#parts = parts
    this.codeReader = parts.reader
    this.#warning = kind.timeout.warning('the `timeout` of code', parts.limits.timeout)
    this.#semaphore = new Semaphore(parts.concurrency ?? DEFAULT_CONCURRENCY)
    this.#context = {
      plan: { limits: parts.limits, execute: parts.execute, inferLang: (code) => parts.reader.inferLang(code) },
      open: () => (this.#backend ??= createBackend(this.#resolveSpec())),
      openSync: () => (this.#blocking ??= blockingBackend(this.#resolveSpec())),
      refuseClosed: () => this.#refuseClosed(),
      schedule: async (work, signal) => {
        this.#refuseClosed()
        return await this.#track(this.#semaphore.run(work, signal))
      },
      settle: async (job, id, choice) =>
        await this.#track((async () => (await this.#context.open().settle?.(job, id, choice)) ?? [])()),
      now,
      takeWarning: () => {
        const text = this.#warning
        this.#warning = undefined
        return text
      },
    }
  }

  /** How code is isolated from the machine. If the isolation differs by language, the weakest that was used. */
  get isolation(): Isolation {
    return this.#backend?.isolation ?? this.#parts.isolation
  }

  /**
   * Walls between code and this machine; of several backends that may run a language, the weakest of each wall. Asking
   * prepares the work directory, which tells whether it has a fixed size.
   */
  get walls(): Walls {
    return wallsOf(this.#resolveSpec(), this.#machine())
  }

  /** Absolute path of the directory that code works in; null if the executor makes its own and no block has run. */
  get workDir(): string | null {
    return this.#workDir ?? null
  }

  /** Runs blocks in order, each under the limits, and stops at the first failure. */
  async executeCodeBlocks(blocks: readonly CodeBlock[], options: CodeExecutionOptions = {}): Promise<CodeResult> {
    checkBlocks(blocks, 'executeCodeBlocks')
    checkOptions(options, EXECUTION_KINDS, 'run `executeCodeBlocks`', FOREIGN_EXECUTION_WORDS)
    checkRunOptions(options)
    const { chooseChanges, ...runOptions } = options ?? {}
    const listening = EventScope.listening(runOptions, EVENT_RUNTIME)
    const steps = executeInRun(this.#context, blocks, this.#choose(chooseChanges))
    return await runAsync<CodeResult, EventBody, XEvent>(steps, { ...runOptions, ...listening })
  }

  /** {@link executeCodeBlocks}, blocking: the output of a block arrives as events once the block has ended. */
  executeCodeBlocksSync(blocks: readonly CodeBlock[], options: BlockingOptions = {}): CodeResult {
    checkBlocks(blocks, 'executeCodeBlocksSync')
    // Checked first: a signal of a run without its `run` ends that run, and needs another error than a stray signal.
    checkRunOptions(options ?? {})
    checkOptions(options, BLOCKING_RUN_KINDS, 'run `executeCodeBlocksSync`', FOREIGN_EXECUTION_WORDS)
    const { chooseChanges, ...runOptions } = options ?? {}
    const listening = EventScope.listening(runOptions, EVENT_RUNTIME)
    const steps = executeInRun(this.#context, blocks, this.#choose(chooseChanges))
    return runSync<CodeResult, EventBody, XEvent>(steps, { ...runOptions, ...listening })
  }

  /** Returns who chooses the changes that come back: a function of the executor or of the caller. */
  #choose(ofCaller: ChooseChanges | undefined): ChooseChanges | undefined {
    const { choose, asks = false, workDir } = this.#parts
    return workDir === undefined ? undefined : (choose ?? (asks ? ofCaller : undefined))
  }

  /** Restarts the backend if it keeps state, as a container does. Files of the work directory stay. */
  async restart(): Promise<void> {
    await this.#backend?.restart?.()
  }

  /** Waits for running blocks, then removes the container, the work directory it made and the thread. Cannot be reused. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.allSettled(this.#running)
    try {
      this.#blocking?.close()
      await this.#backend?.close()
    } finally {
      this.#heldWorkspace?.release()
      for (const directory of this.#ownDirectories) await removeTemporaryDirectory(directory)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work)
    try {
      return await work
    } finally {
      this.#running.delete(work)
    }
  }

  #refuseClosed(): void {
    if (this.#closed) throw new XError('invalid-state', 'cannot run code: the executor is closed. Create another one')
  }

  #resolveSpec(): BackendSpec {
    this.#refuseClosed()
    if (this.#spec) return this.#spec
    const { workDir, confined = false, limits } = this.#parts
    const given = workDir === undefined ? null : ensureDirectory(workDir)
    const own = given === null || confined ? this.#makeDirectory() : given
    const lower = given !== null && isLarge(given, limits) ? given : null
    const workspace = confined ? (this.#heldWorkspace = holdWorkspace(own, limits, lower)) : plainWorkspace(own)
    this.#workDir = given ?? workspace.path
    const { path, inside, holder, byRoot, isLayered } = workspace
    const spec = this.#parts.spec({
      workDir: this.#workDir,
      given,
      workspace: { path, inside, holder, byRoot, isLayered },
    })
    const { required = [] } = this.#parts
    return (this.#spec = required.length === 0 ? spec : withWalls(spec, required, this.#machine()))
  }

  /** Returns the facts of the machine, which are looked up once: that makes a control group and removes it. */
  #machine(): MachineFacts {
    return (this.#facts ??= machineFacts())
  }

  #makeDirectory(): string {
    const directory = makeTemporaryDirectory()
    this.#ownDirectories.push(directory)
    return directory
  }
}

/** Creates a directory if it does not exist; returns its path without links. */
function ensureDirectory(path: string): string {
  try {
    mkdirSync(resolve(path), { recursive: true })
    return realpathSync(resolve(path))
  } catch (cause) {
    throw new XError(
      'invalid-argument',
      `cannot run code in the \`workDir\` ${JSON.stringify(path)}: ${(cause as Error).message}; give a directory that this program may make and read`,
      { cause },
    )
  }
}

/** Returns an executor whose required walls stand; otherwise closes it and fails with `no-sandbox`. */
export function withRequiredWalls(executor: BlockExecutor, required: readonly WallRequirement[]): BlockExecutor {
  if (required.length === 0) return executor
  try {
    void executor.walls
    return executor
  } catch (error) {
    void executor.close()
    throw error
  }
}

const EXECUTE_POLICY_KINDS = Object.fromEntries(Object.keys(FILE_ENDINGS).map((name) => [name, kind.flag]))

/** Refuses unknown and wrong options of an executor before anything starts. */
export function checkExecutorOptions<O extends { readonly execute?: ExecutePolicy | undefined }>(
  operation: string,
  options: O | undefined,
  kinds: OptionKinds<O>,
): void {
  checkOptions(options, kinds, `run \`${operation}\``, FOREIGN_EXECUTOR_WORDS)
  checkOptions(options?.execute, EXECUTE_POLICY_KINDS, `run \`${operation}\` with this \`execute\``)
}
