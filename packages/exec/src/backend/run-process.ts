import { spawn, type ChildProcess } from 'node:child_process'
import type { StopReason } from '@x/interfaces'
import { constants } from 'node:os'
import type { Duplex, Readable } from 'node:stream'
import type { ExecutionLimits } from '../run/limits.ts'
import { failedOutcome, type Outcome, type Watch } from '../run/job.ts'
import { OutputCap } from '../run/output-cap.ts'
import { withoutInherited } from './child-process.ts'
import { type Watcher, type WatchTask, watchTree } from './watch.ts'

/** Process to run to its end. */
export interface Command {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly limits: ExecutionLimits
  /** User and group to run as. */
  readonly owner?: number | null | undefined
  /** Directory on the disk to keep within its limits. */
  readonly workDir?: string | undefined
  /** Control group in which the kernel counts the memory of the process tree. */
  readonly counted?: WatchTask['counted']
  /** Watches the process tree; default: this thread. */
  readonly watcher?: Watcher | undefined
  /** Bytes for the descriptors from 3 on, in order; default: none. */
  readonly inputs?: readonly Uint8Array[] | undefined
  /** Kills processes that escaped from the process group; called once, after the process has ended. */
  reap?(): void
}

/** Milliseconds for the last output after the process has ended, while another process holds its pipe. */
const OUTPUT_GRACE_MS = 100

const IS_WINDOWS = process.platform === 'win32'

const EXIT_CODES: Partial<Record<StopReason, number>> = { timeout: 124 }

/** Runs a process under limits. Always resolves, and only after the whole process group has ended. */
export async function runProcess(command: Command, { signal, onOutput }: Watch): Promise<Outcome> {
  const { argv, limits, workDir } = command
  if (signal?.aborted) return failedOutcome('exit', '', 137)
  const output = new OutputCap(limits.outputBytes, onOutput)
  let child: ChildProcess
  try {
    child = start(command)
  } catch (error) {
    return failedOutcome('unsupported-language', `cannot start \`${argv[0]}\`: ${(error as Error).message}`, 127)
  }
  let reason: StopReason = 'exit'
  const stop = (why: StopReason): void => {
    if (reason === 'exit') reason = why
    killGroup(child)
  }
  const task = child.pid && { root: child.pid, limits, workDir, counted: command.counted, timed: true }
  const unwatch = task ? (command.watcher ?? { watch: watchTree }).watch(task, stop) : () => {}
  const onAbort = (): void => killGroup(child)
  signal?.addEventListener('abort', onAbort)
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]!.on('data', (data: Uint8Array) => {
      if (!output.add(stream, data)) stop('output-limit')
    })
  }
  writeInputs(child, command)
  try {
    const [code, killedBy] = await waitForEnd(child)
    // The watcher may have killed the process while this thread was busy.
    unwatch()
    const exitCode = EXIT_CODES[reason] ?? code ?? 128 + (killedBy ? constants.signals[killedBy] : 0)
    return { exitCode: reason === 'exit' ? exitCode : exitCode || 137, reason, ...output.end() }
  } catch (error) {
    return failedOutcome('unsupported-language', `cannot start \`${argv[0]}\`: ${(error as Error).message}`, 127)
  } finally {
    unwatch()
    signal?.removeEventListener('abort', onAbort)
    killGroup(child)
    command.reap?.()
  }
}

/** Writes the bytes for further descriptors. Ignores errors: the process may end before it has read everything. */
function writeInputs(child: ChildProcess, { inputs = [] }: Command): void {
  const [, , , ...wires] = child.stdio as unknown as [null, Readable, Readable, ...Duplex[]]
  for (const [index, input] of inputs.entries()) {
    wires[index]!.on('error', () => {})
    wires[index]!.end(input)
  }
}

function start({ argv: [file, ...args], env, cwd, owner, inputs = [] }: Command): ChildProcess {
  return withoutInherited(['ignore', 'pipe', 'pipe', ...inputs.map(() => 'pipe' as const)], (stdio) =>
    spawn(file, args, {
      cwd,
      env: { ...env },
      stdio,
      // A process group of its own, so that all of it can be killed; Windows has none.
      detached: !IS_WINDOWS,
      windowsHide: true,
      ...(owner === null || owner === undefined ? {} : { uid: owner, gid: owner }),
    }),
  )
}

/** Waits until the pipes of a process are closed, or a little after its end; returns how it ended. */
async function waitForEnd(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  const end = Promise.withResolvers<[number | null, NodeJS.Signals | null]>()
  let late: NodeJS.Timeout | undefined
  child.on('error', end.reject)
  child.on('exit', (...how) => {
    const leave = (): void => {
      for (const stream of child.stdio) stream?.destroy()
      end.resolve(how)
    }
    // A program that was busy meanwhile first reads the rest of the pipes.
    late = setTimeout(() => setImmediate(leave), OUTPUT_GRACE_MS)
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
    if (IS_WINDOWS) child.kill()
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
