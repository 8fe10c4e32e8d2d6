import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Duplex, Writable } from 'node:stream'
import type { StopReason } from '@x/interfaces'
import { withoutInherited } from '../backend/child-process.ts'
import { residentBytes } from '../backend/process-tree.ts'
import type { Watcher, WatchTask } from '../backend/watchdog.ts'
import { failed, type Outcome, type Watch } from '../run/job.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { OutputCap } from '../run/output-cap.ts'
import { bounded } from './confined-node.ts'
import { FrameReader, type TransferFrame } from './transfer-frames.ts'

/** A process to start. */
export interface EngineCommand {
  readonly argv: [string, ...string[]]
  readonly cwd: string
  /** Longest time limit of a block that it is to run, in seconds. */
  readonly timeout: number
  /** First things that it is told. */
  readonly greeting?: readonly Uint8Array[] | undefined
  /** Bytes of the longest thing that it may say. */
  readonly most: number
  /** Takes what it says before its first interpreter is ready. */
  readonly onPrelude?: ((parcel: TransferFrame) => void) | undefined
}

/** The result of a block, and whether the process may run another one. */
export interface EngineOutcome extends Outcome {
  /** What else the process said of the block; null when that is not complete. */
  readonly said: readonly TransferFrame[] | null
  /** True if the code began. */
  readonly begun: boolean
  readonly sound: boolean
}

/** Keeps the program running, or lets it end. */
interface Holder {
  ref?: () => void
  unref?: () => void
}

const BYTES_PER_MIB = 2 ** 20

/** Seconds that an interpreter may take to get ready, of a process that starts. */
const START_TIMEOUT_S = 120

/**
 * Seconds that the next interpreter of a process may take to get ready. A busy machine takes its time, and has more to
 * do with the start of another process.
 */
const NEXT_READY_TIMEOUT_S = 60

/** Seconds after which another thread ends a block whose time is over, where this one is busy. */
const WATCHER_DELAY_S = 1

/** Milliseconds that what a process said may take to come after its end. */
const OUTPUT_GRACE_MS = 500

/** Bytes that a process may take for a block beside the memory of the interpreter. */
const OVERHEAD_BYTES = 256 * BYTES_PER_MIB

/** Seconds of computing after which a process is replaced. It may compute for longer, for its last block. */
const MAX_COMPUTED_S = 30

const IS_WINDOWS = process.platform === 'win32'

/**
 * A process that runs one block after another, each in a new interpreter that it makes ready beforehand. It says what
 * code prints and how it ended on a pipe of its own; what the process itself prints goes nowhere. A process whose block
 * was stopped, crashed or left too much behind says so by `sound`: it must be ended.
 */
export class EngineProcess {
  readonly #child: ChildProcess
  readonly #stdin: Writable
  readonly #wire: Duplex
  readonly #gone: PromiseWithResolvers<string> = Promise.withResolvers()
  #ready: PromiseWithResolvers<void> = Promise.withResolvers()
  #hear: (parcel: TransferFrame) => void
  #patience: NodeJS.Timeout | undefined
  #killed = false
  /** True if an interpreter waits for a block. */
  ready = false
  /** How the process ended; undefined while it runs. */
  ended: string | undefined
  /** Why it ended by itself, in its own words. */
  fault: string | undefined
  /** Bytes that it held after its last block. */
  bytes = 0
  /** Longest time limit of a block that it can run, in seconds. */
  readonly timeout: number

  constructor({ argv, cwd, timeout, greeting = [], most, onPrelude }: EngineCommand) {
    this.timeout = timeout
    const [file, ...args] = bounded(MAX_COMPUTED_S + Math.ceil(timeout) * 4 + 60, argv)
    this.#hear = (parcel) => onPrelude?.(parcel)
    this.#child = withoutInherited(['pipe', 'ignore', 'ignore', 'pipe'], (stdio) =>
      // A group of its own, so that a signal to the group of the program does not reach it.
      spawn(file, args, { cwd, env: {}, stdio, detached: !IS_WINDOWS, windowsHide: true }),
    )
    const [stdin, , , wire] = this.#child.stdio as unknown as [Writable, null, null, Duplex]
    this.#stdin = stdin
    this.#wire = wire
    const reader = new FrameReader(most)
    // How it ended says enough.
    for (const stream of [stdin, wire]) stream.on('error', () => {})
    wire.on('data', (data: Uint8Array) => {
      try {
        for (const parcel of reader.take(data)) this.#take(parcel)
      } catch {
        this.kill()
      }
    })
    this.#child.on('error', (error) => this.#leave(error.message))
    this.#child.on('exit', (code, signal) => {
      const leave = (): void => this.#leave(signal ?? `exit code ${code}`)
      // First what it said last; nobody else can hold its pipe for long.
      wire.once('close', leave)
      setTimeout(leave, OUTPUT_GRACE_MS)
    })
    this.#wait(START_TIMEOUT_S)
    for (const piece of greeting) stdin.write(piece)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** True if it is gone or about to. */
  get dead(): boolean {
    return this.#killed || this.ended !== undefined
  }

  /** Resolves when an interpreter is ready, or never will be. */
  async settled(): Promise<void> {
    await Promise.race([this.#ready.promise, this.#gone.promise])
  }

  /** Resolves when it is gone. */
  async whenGone(): Promise<void> {
    await this.#gone.promise
  }

  /** Ends it, whatever it does. */
  kill(): void {
    this.#killed = true
    this.ready = false
    clearTimeout(this.#patience)
    try {
      if (IS_WINDOWS) this.#child.kill('SIGKILL')
      else if (this.pid > 0) process.kill(-this.pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }

  /** Ends it and waits until it is gone. */
  async end(): Promise<void> {
    this.kill()
    await this.#gone.promise
  }

  /** Lets the program end though this process waits for blocks, or not. */
  hold(on: boolean): void {
    if (this.ended !== undefined) return
    for (const held of [this.#child, this.#stdin, this.#wire] as unknown as Holder[]) {
      // A stream of Bun has neither.
      if (on) held.ref?.()
      else held.unref?.()
    }
  }

  /** Runs one block under its limits; the process is told `input`. Always resolves. */
  async run(
    input: readonly Uint8Array[],
    limits: ExecutionLimits,
    { signal, onOutput, watcher }: Watch & { readonly watcher: Watcher },
  ): Promise<EngineOutcome> {
    if (signal?.aborted) return { ...failed('exit', '', 137), said: null, begun: false, sound: !this.dead }
    const output = new OutputCap(limits.outputBytes, onOutput)
    const said: TransferFrame[] = []
    const end = Promise.withResolvers<TransferFrame['header'] | null>()
    let bytes = 0
    let begun = false
    let reason: StopReason = 'exit'
    const stop = (why: StopReason): void => {
      if (reason === 'exit') reason = why
      this.kill()
    }
    const timeIsUp = (): void => stop('timeout')
    let timer = setTimeout(timeIsUp, START_TIMEOUT_S * 1000)
    const unwatch = watcher.watch(this.#watchTask(limits), stop)
    this.ready = false
    this.#ready = Promise.withResolvers()
    this.#hear = (parcel) => {
      const { out, begin, end: over } = parcel.header
      if (begin === true) {
        begun = true
        clearTimeout(timer)
        timer = setTimeout(timeIsUp, limits.timeout * 1000)
      } else if (over === true) end.resolve(parcel.header)
      else if (typeof out === 'string') {
        if (!output.add(out === 'stderr' ? 'stderr' : 'stdout', parcel.body)) stop('output-limit')
      } else {
        // What it says is believed no more than what it prints: it is kept up to what the work directory may hold.
        bytes += parcel.body.length
        if (bytes > limits.workspaceBytes || said.length > 2 * limits.workspaceEntries) stop('disk')
        else said.push(parcel)
      }
    }
    void this.#gone.promise.then(() => end.resolve(null))
    const onAbort = (): void => this.kill()
    signal?.addEventListener('abort', onAbort)
    for (const piece of input) this.#stdin.write(piece)
    const last = await end.promise
    clearTimeout(timer)
    // Whoever watched may have ended it while this thread was busy.
    unwatch()
    signal?.removeEventListener('abort', onAbort)
    this.#hear = () => {}
    const whole = last !== null && reason === 'exit' && signal?.aborted !== true
    if (!whole) await this.end()
    // It may be ready already, when this thread was busy.
    else if (!this.ready) this.#wait(NEXT_READY_TIMEOUT_S)
    const crashed = last === null && reason === 'exit' && signal?.aborted !== true
    if (crashed) output.add('stderr', Buffer.from(`The interpreter ended: ${this.ended}\n`))
    const { exitCode, spoiled, computed, resident } = last ?? {}
    this.bytes = Math.max(residentBytes(this.pid), Number(resident) || 0)
    return {
      exitCode: whole ? Number(exitCode) & 255 : this.#exitCode(reason),
      reason,
      ...output.end(),
      said: whole ? said : null,
      begun,
      sound: whole && spoiled !== true && Number(computed) < MAX_COMPUTED_S,
    }
  }

  #exitCode(reason: StopReason): number {
    if (reason === 'timeout') return 124
    const { exitCode, signalCode } = this.#child
    return (exitCode ?? 128 + (signalCode ? constants.signals[signalCode] : 9)) || 137
  }

  /** What another thread looks after: memory, and time where this one is busy. */
  #watchTask(limits: ExecutionLimits): WatchTask {
    const memoryBytes = residentBytes(this.pid) + limits.memoryBytes + OVERHEAD_BYTES
    // It can start no process, and has the threads of Node.
    const its = { ...limits, memoryBytes, pids: Number.MAX_SAFE_INTEGER, timeout: limits.timeout + WATCHER_DELAY_S }
    return { root: this.pid, limits: its, timed: true }
  }

  #wait(seconds: number): void {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.kill(), seconds * 1000)
    this.#patience.unref()
  }

  #take(parcel: TransferFrame): void {
    const { ready, fault } = parcel.header
    if (typeof fault === 'string') this.fault = fault
    if (ready !== true) return this.#hear(parcel)
    clearTimeout(this.#patience)
    this.ready = true
    this.#ready.resolve()
  }

  #leave(how: string): void {
    clearTimeout(this.#patience)
    this.ready = false
    this.ended ??= how
    for (const stream of [this.#stdin, this.#wire]) stream.destroy()
    this.#gone.resolve(how)
  }
}
