import type { EventEmitter } from 'node:events'
import { printable } from '@x/agent'
import { isXError } from '@x/kernel'

/** Exit status of a program that Ctrl-C ended. */
export const INTERRUPTED_EXIT_STATUS = 130

const FAILED_EXIT_STATUS = 1
/** Exit status that Node gives a program that waits, and has nothing left that could go on. */
const WAITING_EXIT_STATUS = 13

/** The parts of a process that tell a command to end, and take how it ended. */
export interface CommandProcess {
  /** Tells of Ctrl-C by `SIGINT`, and by `exit` that the process ends. */
  readonly signals: EventEmitter
  /** Tells by an error that nobody reads it any more (`EPIPE`), or that it cannot be written. */
  readonly output: EventEmitter
  /** Sets the exit status. */
  readonly exitWith: (status: number) => void
  /** Tells the person a line beside the output. */
  readonly tell: (line: string) => void
}

/**
 * Runs a command until it ends, Ctrl-C is pressed, or whoever reads its output reads no more, as `head` does: the signal fires then,
 * so that no further answer is paid, and what was paid is recorded. `fail` gives the command the exit status of a failure, unless
 * it has that of Ctrl-C.
 */
export async function whileWanted(
  act: (signal: AbortSignal, fail: () => void) => Promise<void>,
  { signals, output, exitWith, tell }: CommandProcess = thisProcess(),
): Promise<void> {
  const stop = new AbortController()
  let isRead = true
  let isInterrupted = false
  const onInterrupt = (): void => {
    isInterrupted = true
    exitWith(INTERRUPTED_EXIT_STATUS)
    stop.abort()
  }
  // A module of the person may end the process: what the command has not done is no success.
  const onExit = (status: number): void => {
    if (status === WAITING_EXIT_STATUS) tell('The command waits for what never comes, perhaps a promise in a module.')
    if (status !== 0 || !isRead) return
    tell('The program was ended before the command was, perhaps by `process.exit` in a module.')
    exitWith(FAILED_EXIT_STATUS)
  }
  const onUnread = (): void => {
    isRead = false
    stop.abort()
  }
  signals.once('SIGINT', onInterrupt)
  signals.on('exit', onExit)
  output.on('error', onUnread)
  try {
    await act(stop.signal, () => void (isInterrupted || exitWith(FAILED_EXIT_STATUS)))
  } catch (error) {
    if (isRead) throw error
  } finally {
    signals.removeListener('SIGINT', onInterrupt)
    signals.removeListener('exit', onExit)
    output.removeListener('error', onUnread)
  }
}

/**
 * Lets the program fail, and says why, where its output cannot be written, such as on a full disk. That nobody reads it any more, as
 * behind `head`, is no failure. The error of the last text comes when the command has ended.
 */
export function failUnwritten({ output, exitWith, tell }: CommandProcess = thisProcess()): void {
  let isTold = false
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (isTold || error.code === 'EPIPE') return
    isTold = true
    tell(errorText(error) ?? String(error))
    exitWith(FAILED_EXIT_STATUS)
  })
}

/** The parts of this process. */
export const thisProcess = (): CommandProcess => ({
  signals: process,
  output: process.stdout,
  exitWith: (status) => void (process.exitCode = status),
  tell: (line) => void process.stderr.write(`${line}\n`),
})

/**
 * Returns what a person is told of an error that ends a command: one of the framework, or of the system, such as a file that cannot
 * be written. Null for any other, which is a fault of the program.
 */
export function errorText(error: unknown): string | null {
  // Names in a message may come from files: further lines are set in, so that none looks like another message.
  const shown = (message: string): string => printable(message).replaceAll('\n', '\n  ')
  if (isXError(error)) return `${error.code}: ${shown(error.message)}`
  return error instanceof Error && 'syscall' in error && 'code' in error ? shown(error.message) : null
}
