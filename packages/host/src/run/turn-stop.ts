import type { ChatOutcome } from '@x/interfaces'
import { currentRun, isXError, runSync } from '@x/kernel'
import type { Retry } from './retry.ts'

/** The reason to stop a turn before its chat has ended. */
export type TurnStop =
  /** The worker releases the chat. */
  | { readonly why: 'release' }
  /** The chat waits for a message or a time. */
  | { readonly why: 'wait' }
  /** A deadline has decided, and the program goes on with that. */
  | { readonly why: 'decided' }
  /** Another worker has claimed the chat, or it was cancelled. */
  | { readonly why: 'lost' }
  /** The store or the log failed: the state of the chat is unknown. */
  | { readonly why: 'failure'; readonly error: unknown }

/** The end of the program of a turn; `suspended`: the program waits for a decision. */
export type ProgramEnd =
  | ChatOutcome
  | 'suspended'
  /** The program does not fit the journal or input of the chat, which another program began. */
  | { readonly state: 'refused'; readonly reason: string }
  /** The program has failed in a way that passes. */
  | { readonly state: 'set-back'; readonly retry: Retry }

/** The last step of a turn. */
export type LastStep =
  | { readonly do: 'finish'; readonly outcome: ChatOutcome }
  /** Lets the chat wait for a decision, a message or a time. */
  | { readonly do: 'suspend' }
  /** Gives the chat to the next worker. */
  | { readonly do: 'release' }
  /** Gives the chat, after a backoff, to a worker with a program that fits. With a `retry`, any worker runs it again. */
  | { readonly do: 'putOff'; readonly reason: string; readonly retry?: Retry | undefined }
  /** Nothing: the chat belongs to another worker, or has ended. */
  | { readonly do: 'leave' }
  | { readonly do: 'fail'; readonly error: unknown }

/** Decides on the last step of a turn, from the end of the program and the reason to stop, if the turn was stopped. */
export function lastStep(end: ProgramEnd, stop: TurnStop | null): LastStep {
  switch (stop?.why) {
    case 'lost':
      return { do: 'leave' }
    case 'failure':
      return { do: 'fail', error: stop.error }
    case 'wait':
      return { do: 'suspend' }
    case 'decided':
      return { do: 'release' }
    case 'release':
      if (end === 'suspended') return { do: 'suspend' }
      // A value is valid even after the stop. A failure may be a consequence of the stop, so the next worker runs the program again.
      return end.state === 'done' ? { do: 'finish', outcome: end } : { do: 'release' }
    default:
      if (end === 'suspended') return { do: 'suspend' }
      if (end.state === 'refused') return { do: 'putOff', reason: end.reason }
      if (end.state === 'set-back') return { do: 'putOff', reason: end.retry.reason, retry: end.retry }
      return { do: 'finish', outcome: end }
  }
}

/** Reasons of the signals of turns that were stopped. */
const stopReasons = new WeakSet<object>()

/** Makes the reason of the signal of a turn that is stopped. */
export function newStopReason(): DOMException {
  const reason = new DOMException('This operation was aborted', 'AbortError')
  stopReasons.add(reason)
  return reason
}

/** Most errors that stand behind each other as causes. */
const MAX_CAUSES = 10

/** True for the error of a call that its turn has stopped, or that waits for a decision; also behind an error of the program. */
export const isOfStop = (error: unknown): boolean =>
  hasCause(error, (cause) => isXError(cause, 'suspended') || stopReasons.has(cause))

/** Returns the message of the kernel's error of what goes on behind the end of its run, as the kernel itself says it. */
function messageOfEndedRun(): string | undefined {
  const run = runSync(currentRun())
  try {
    runSync(currentRun(), { run })
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

/** True for the error of what a program has left running when it ended, or has begun after that; also behind one of its own. */
export const isOfEndedProgram = (error: unknown): boolean =>
  hasCause(error, (cause) => isXError(cause, 'invalid-state') && cause.message === messageOfEndedRun())

/** True if an error, or one of those behind it, passes a test. */
function hasCause(error: unknown, test: (cause: object) => boolean): boolean {
  let cause = error
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === 'object' && cause !== null; depth++) {
    if (test(cause)) return true
    cause = (cause as { readonly cause?: unknown }).cause
  }
  return false
}
