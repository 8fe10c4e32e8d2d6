import type { XEvent } from './event.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** How an operation is run: blocking (`xSync`), as a promise (`x`) or as a stream of events (`xStream`). */
export type Face = 'sync' | 'async' | 'stream'

/** Receives the events of a run; a promise it gives is waited for, except in the blocking face, which refuses it. */
export type Listener<E extends { readonly type: string } = XEvent> = (event: E) => MaybePromise<void>

/** The run that steps belong to. */
export interface Run {
  /** How the run was started. */
  readonly face: Face
  /** Fires when the run ends before its work is done: abort, early exit, a failed sibling. None in the blocking face. */
  readonly signal: AbortSignal | undefined
  /** Sends an event into the run; in the streaming face the promise resolves when the consumer asks for the next one. */
  readonly emit: Listener
}

/** What every async operation, tool and reply function accepts or is given. */
export interface RunOptions {
  /** Stops the operation; it then fails with `aborted`. */
  readonly signal?: AbortSignal | undefined
  /** Receives the events of the operation; default: the `io` of who starts it. */
  readonly emit?: Listener | undefined
}
