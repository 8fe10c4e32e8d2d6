import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Duplex, Writable } from 'node:stream'
import type { StopReason } from '@x/interfaces'
import { withoutInherited } from '../backend/child-process.ts'
import { ownMemory } from '../backend/processes.ts'
import type { Watcher, WatchTask } from '../backend/watch.ts'
import { failedOutcome, type Outcome, type Watch } from '../run/job.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { OutputCap } from '../run/output-cap.ts'
import { boundedCommand } from './confined-node.ts'
import { FrameReader, type TransferFrame } from './transfer-frames.ts'

/** Process to start. */
export interface EngineCommand {
  readonly argv: [string, ...string[]]
  readonly cwd: string
  /** Longest time limit of a block that the process will run, in seconds. */
  readonly timeout: number
  /** First message to the process. */
  readonly greeting?: readonly Uint8Array[] | undefined
  /** Bytes of the longest frame that the process may send. */
  readonly maxFrameBytes: number
  /** Called with each frame before the first interpreter is ready. */
  readonly onStartFrame?: ((frame: TransferFrame) => void) | undefined
}

/** Outcome of a block, and the state of its process. */
export interface EngineOutcome extends Outcome {
  /** Frames with the files of the block; null if they are not complete. */
  readonly frames: readonly TransferFrame[] | null
  /** True if the code has begun. */
  readonly hasBegun: boolean
  /** True if the process can run another block; otherwise it must be ended. */
  readonly isReusable: boolean
}

/** Handle that can keep the program running. */
interface RefHandle {
  ref?: () => void
  unref?: () => void
}

const BYTES_PER_MIB = 2 ** 20

/** Seconds in which the first interpreter of a process has to be ready. */
const START_TIMEOUT_S = 120

/**
 * Seconds in which the next interpreter of a process has to be ready. This is generous, since on a busy machine starting
 * another process would take even longer.
 */
const NEXT_READY_TIMEOUT_S = 60

/** Seconds after the time limit when the watcher ends a block, in case this thread is busy. */
const WATCHER_DELAY_S = 1

/** Milliseconds for the last output of a process after its end. */
const OUTPUT_GRACE_MS = 500

/** Bytes that a process may take for a block in addition to the memory limit of the code. */
const OVERHEAD_BYTES = 256 * BYTES_PER_MIB

/** Seconds of computing after which a process runs no further block. */
const MAX_COMPUTED_S = 30

const IS_WINDOWS = process.platform === 'win32'

/**
 * Process that runs one block after another, each in a new interpreter that it prepares beforehand. It sends the output
 * and the result of code over a pipe; its own standard output is discarded. After a block that was stopped, crashed or
 * left too much behind, `isReusable` is false and the process must be ended.
 */
export class EngineProcess {
  readonly #child: ChildProcess
  readonly #stdin: Writable
  readonly #wire: Duplex
  readonly #gone: PromiseWithResolvers<string> = Promise.withResolvers()
  #ready: PromiseWithResolvers<void> = Promise.withResolvers()
  #onFrame: (frame: TransferFrame) => void
  #readyTimer: NodeJS.Timeout | undefined
  #killed = false
  /** True if an interpreter waits for a block. */
  isReady = false
  /** How the process ended; undefined while it runs. */
  endedBy: string | undefined
  /** Error of a process that failed to start an interpreter. */
  fault: string | undefined
  /** Bytes that the process held after its last block. */
  heldBytes = 0
  /** Longest time limit of a block that the process can run, in seconds. */
  readonly timeout: number

  constructor({ argv, cwd, timeout, greeting = [], maxFrameBytes, onStartFrame }: EngineCommand) {
    this.timeout = timeout
    const [file, ...args] = boundedCommand(MAX_COMPUTED_S + Math.ceil(timeout) * 4 + 60, argv)
    this.#onFrame = (frame) => onStartFrame?.(frame)
    this.#child = withoutInherited(['pipe', 'ignore', 'ignore', 'pipe'], (stdio) =>
      // A process group of its own, so that a signal to the group of the program does not reach it.
      spawn(file, args, { cwd, env: {}, stdio, detached: !IS_WINDOWS, windowsHide: true }),
    )
    const [stdin, , , wire] = this.#child.stdio as unknown as [Writable, null, null, Duplex]
    this.#stdin = stdin
    this.#wire = wire
    const reader = new FrameReader(maxFrameBytes)
    // The exit of the process is reported below.
    for (const stream of [stdin, wire]) stream.on('error', () => {})
    wire.on('data', (data: Uint8Array) => {
      try {
        for (const frame of reader.read(data)) this.#receive(frame)
      } catch {
        this.kill()
      }
    })
    this.#child.on('error', (error) => this.#close(error.message))
    this.#child.on('exit', (code, signal) => {
      const leave = (): void => this.#close(signal ?? `exit code ${code}`)
      // The last frames come first. Nothing else can hold the pipe for long.
      wire.once('close', leave)
      setTimeout(leave, OUTPUT_GRACE_MS)
    })
    this.#expectReady(START_TIMEOUT_S)
    for (const piece of greeting) stdin.write(piece)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** True if the process has ended or is about to. */
  get isDead(): boolean {
    return this.#killed || this.endedBy !== undefined
  }

  /** Resolves when an interpreter is ready, or the process has ended. */
  async whenReadyOrGone(): Promise<void> {
    await Promise.race([this.#ready.promise, this.#gone.promise])
  }

  /** Resolves when the process has ended. */
  async whenGone(): Promise<void> {
    await this.#gone.promise
  }

  /** Kills the process. */
  kill(): void {
    this.#killed = true
    this.isReady = false
    clearTimeout(this.#readyTimer)
    try {
      if (IS_WINDOWS) this.#child.kill('SIGKILL')
      else if (this.pid > 0) process.kill(-this.pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }

  /** Kills the process and waits for its end. */
  async end(): Promise<void> {
    this.kill()
    await this.#gone.promise
  }

  /** Sets whether this process keeps the program running. */
  setRef(on: boolean): void {
    if (this.endedBy !== undefined) return
    for (const handle of [this.#child, this.#stdin, this.#wire] as unknown as RefHandle[]) {
      // Streams of Bun have neither method.
      if (on) handle.ref?.()
      else handle.unref?.()
    }
  }

  /** Runs one block under its limits, with `input` as the messages to the process. Always resolves. */
  async run(
    input: readonly Uint8Array[],
    limits: ExecutionLimits,
    { signal, onOutput, watcher }: Watch & { readonly watcher: Watcher },
  ): Promise<EngineOutcome> {
    if (signal?.aborted) {
      return { ...failedOutcome('exit', '', 137), frames: null, hasBegun: false, isReusable: !this.isDead }
    }
    const block = new RunningBlock(limits, onOutput, () => this.kill())
    const unwatch = watcher.watch(this.#watchTask(limits), (reason) => block.stop(reason))
    this.isReady = false
    this.#ready = Promise.withResolvers()
    this.#onFrame = (frame) => block.receive(frame)
    void this.#gone.promise.then(() => block.end(null))
    const onAbort = (): void => this.kill()
    signal?.addEventListener('abort', onAbort)
    for (const piece of input) this.#stdin.write(piece)
    const last = await block.ended()
    // The watcher may have killed the process while this thread was busy.
    unwatch()
    signal?.removeEventListener('abort', onAbort)
    this.#onFrame = () => {}
    const { reason, output, frames, hasBegun } = block
    const isComplete = last !== null && reason === 'exit' && signal?.aborted !== true
    if (!isComplete) await this.end()
    // If this thread was busy, the next interpreter may be ready already.
    else if (!this.isReady) this.#expectReady(NEXT_READY_TIMEOUT_S)
    const hasCrashed = last === null && reason === 'exit' && signal?.aborted !== true
    if (hasCrashed) output.add('stderr', Buffer.from(`The interpreter ended: ${this.endedBy}\n`))
    const { exitCode, spoiled, computed, resident } = last ?? {}
    this.heldBytes = Math.max(ownMemory(this.pid).resident, Number(resident) || 0)
    return {
      exitCode: isComplete ? Number(exitCode) & 255 : this.#exitCode(reason),
      reason,
      ...output.end(),
      frames: isComplete ? frames : null,
      hasBegun,
      isReusable: isComplete && spoiled !== true && Number(computed) < MAX_COMPUTED_S,
    }
  }

  #exitCode(reason: StopReason): number {
    if (reason === 'timeout') return 124
    const { exitCode, signalCode } = this.#child
    return (exitCode ?? 128 + (signalCode ? constants.signals[signalCode] : 9)) || 137
  }

  /** Returns the task of the watcher: the memory, and the time in case this thread is busy. */
  #watchTask(limits: ExecutionLimits): WatchTask {
    const memoryBytes = ownMemory(this.pid).resident + limits.memoryBytes + OVERHEAD_BYTES
    // The process cannot start others, and its threads are those of Node.
    const taskLimits = {
      ...limits,
      memoryBytes,
      pids: Number.MAX_SAFE_INTEGER,
      timeout: limits.timeout + WATCHER_DELAY_S,
    }
    return { root: this.pid, limits: taskLimits, timed: true }
  }

  /** Kills the process if no interpreter is ready in time. */
  #expectReady(seconds: number): void {
    clearTimeout(this.#readyTimer)
    this.#readyTimer = setTimeout(() => this.kill(), seconds * 1000)
    this.#readyTimer.unref()
  }

  #receive(frame: TransferFrame): void {
    const { ready, fault } = frame.header
    if (typeof fault === 'string') this.fault = fault
    if (ready !== true) return this.#onFrame(frame)
    clearTimeout(this.#readyTimer)
    this.isReady = true
    this.#ready.resolve()
  }

  #close(how: string): void {
    clearTimeout(this.#readyTimer)
    this.isReady = false
    this.endedBy ??= how
    for (const stream of [this.#stdin, this.#wire]) stream.destroy()
    this.#gone.resolve(how)
  }
}

/** State of the block that a process runs. */
class RunningBlock {
  readonly output: OutputCap
  /** Frames of the process that are neither output nor control. */
  readonly frames: TransferFrame[] = []
  hasBegun = false
  reason: StopReason = 'exit'
  readonly #limits: ExecutionLimits
  readonly #kill: () => void
  readonly #end: PromiseWithResolvers<TransferFrame['header'] | null> = Promise.withResolvers()
  #bytes = 0
  #timer: NodeJS.Timeout

  constructor(limits: ExecutionLimits, onOutput: Watch['onOutput'], kill: () => void) {
    this.#limits = limits
    this.#kill = kill
    this.output = new OutputCap(limits.outputBytes, onOutput)
    this.#timer = setTimeout(() => this.stop('timeout'), START_TIMEOUT_S * 1000)
  }

  stop(reason: StopReason): void {
    if (this.reason === 'exit') this.reason = reason
    this.#kill()
  }

  end(header: TransferFrame['header'] | null): void {
    this.#end.resolve(header)
  }

  /** Resolves to the header of the last frame; to null if the process has ended. */
  async ended(): Promise<TransferFrame['header'] | null> {
    const header = await this.#end.promise
    clearTimeout(this.#timer)
    return header
  }

  receive(frame: TransferFrame): void {
    const { out, begin, end } = frame.header
    if (begin === true) {
      this.hasBegun = true
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.stop('timeout'), this.#limits.timeout * 1000)
    } else if (end === true) this.end(frame.header)
    else if (typeof out === 'string') {
      if (!this.output.add(out === 'stderr' ? 'stderr' : 'stdout', frame.body)) this.stop('output-limit')
    } else {
      // The process is not trusted: its files are kept up to the limits of the work directory.
      this.#bytes += frame.body.length
      const { workspaceBytes, workspaceEntries } = this.#limits
      if (this.#bytes > workspaceBytes || this.frames.length > 2 * workspaceEntries) this.stop('disk')
      else this.frames.push(frame)
    }
  }
}
