import { spawn, type ChildProcess } from 'node:child_process'
import type { StopReason } from '@x/interfaces'
import { constants } from 'node:os'
import type { Duplex, Readable, Writable } from 'node:stream'
import type { ExecutionLimits } from '../run/limits.ts'
import { failed, type Outcome, type Watch } from '../run/job.ts'
import { OutputCap } from '../run/output-cap.ts'
import { watchTree } from './watchdog.ts'

/** A process to run to its end. */
export interface Command {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly limits: ExecutionLimits
  /** User and group to run as. */
  readonly owner?: number | null | undefined
  /** Directory that may not grow beyond its limits. */
  readonly workDir?: string | undefined
  /** Bytes for its standard input; default: none. */
  readonly input?: readonly Uint8Array[] | undefined
  /** Bytes for descriptor 3, or a function that takes what the process writes there; default: no such descriptor. */
  readonly third?: Uint8Array | ((data: Uint8Array) => void) | undefined
  /** When the time of the code begins; default: at once. Until then it may take {@link START} seconds. */
  readonly begins?: Promise<void> | undefined
  /** Ends what got away from the process group; called once, after the process is gone. */
  reap?(): void
}

/** Seconds that something may take to get ready for the code. */
const START = 120

/** Milliseconds that output may still come after the process is gone, while another process holds its pipe. */
const LAST_WORDS = 100

const WINDOWS = process.platform === 'win32'

const EXIT_CODES: Partial<Record<StopReason, number>> = { timeout: 124 }

/** Runs a process under limits; its whole group is gone when the promise resolves, which it always does. */
export async function spawned(command: Command, { signal, onOutput }: Watch): Promise<Outcome> {
  const { argv, limits, workDir } = command
  if (signal?.aborted) return failed('exit', '', 137)
  const output = new OutputCap(limits.outputBytes, onOutput)
  let child: ChildProcess
  try {
    child = start(command)
  } catch (error) {
    return failed('unsupported-language', `cannot start \`${argv[0]}\`: ${(error as Error).message}`, 127)
  }
  let reason: StopReason = 'exit'
  let over = false
  const stop = (why: StopReason): void => {
    if (reason === 'exit') reason = why
    killGroup(child)
  }
  const timeIsUp = (): void => stop('timeout')
  let timer = setTimeout(timeIsUp, (command.begins ? START : limits.timeout) * 1000)
  void command.begins?.then(() => {
    clearTimeout(timer)
    if (!over) timer = setTimeout(timeIsUp, limits.timeout * 1000)
  })
  const unwatch = watchTree(child.pid, limits, workDir, stop)
  const onAbort = (): void => killGroup(child)
  signal?.addEventListener('abort', onAbort)
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]!.on('data', (data: Uint8Array) => {
      if (!output.add(stream, data)) stop('output-limit')
    })
  }
  connect(child, command)
  try {
    const [code, killedBy] = await ended(child)
    const exitCode = EXIT_CODES[reason] ?? code ?? 128 + (killedBy ? constants.signals[killedBy] : 0)
    return { exitCode: reason === 'exit' ? exitCode : exitCode || 137, reason, ...output.end() }
  } catch (error) {
    return failed('unsupported-language', `cannot start \`${argv[0]}\`: ${(error as Error).message}`, 127)
  } finally {
    over = true
    clearTimeout(timer)
    unwatch()
    signal?.removeEventListener('abort', onAbort)
    killGroup(child)
    command.reap?.()
  }
}

/** It may end before it has read everything; how it ended says enough. */
function connect(child: ChildProcess, { input, third }: Command): void {
  const [stdin, , , wire] = child.stdio as unknown as [Writable | null, Readable, Readable, Duplex | undefined]
  stdin?.on('error', () => {})
  for (const piece of input ?? []) stdin?.write(piece)
  stdin?.end()
  wire?.on('error', () => {})
  if (typeof third === 'function') wire?.on('data', third)
  else wire?.end(third)
}

function start({ argv: [file, ...args], env, cwd, owner, input, third }: Command): ChildProcess {
  return spawn(file, args, {
    cwd,
    env: { ...env },
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(third ? ['pipe' as const] : [])],
    // A group of its own, so that all of it can be ended; Windows has none.
    detached: !WINDOWS,
    windowsHide: true,
    ...(owner === null || owner === undefined ? {} : { uid: owner, gid: owner }),
  })
}

/** Waits until the pipes of a process are closed, or a little longer than the process lives; gives how it ended. */
async function ended(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  const end = Promise.withResolvers<[number | null, NodeJS.Signals | null]>()
  let late: NodeJS.Timeout | undefined
  child.on('error', end.reject)
  child.on('exit', (...how) => {
    const leave = (): void => {
      for (const stream of child.stdio) stream?.destroy()
      end.resolve(how)
    }
    // A program that was busy meanwhile first reads what lies in the pipes.
    late = setTimeout(() => setImmediate(leave), LAST_WORDS)
  })
  child.on('close', (...how) => end.resolve(how))
  try {
    return await end.promise
  } finally {
    clearTimeout(late)
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (WINDOWS) child.kill()
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
