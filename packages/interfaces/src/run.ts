import type { Budget } from './budget.ts'
import type { XEvent } from './event.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** How an operation is run: blocking (`xSync`), as a promise (`x`) or as a stream of events (`xStream`). */
export type Face = 'sync' | 'async' | 'stream'

/** Receives the events of a run; a promise it gives is waited for, except in the blocking face, which refuses it. */
export type Listener<E extends { readonly type: string } = XEvent> = (event: E) => MaybePromise<void>

/** What a run hands down to everything that happens in it: chats inside a tool, models, searches. */
export interface RunScope {
  /** Identifier of the chat: `1`, and `1.4` for one inside it. */
  readonly chatId: string
  /** Names of the agents in whose reply this happens, outermost first. */
  readonly agentPath: readonly string[]
  /** What all of it may spend together; null: no limit. */
  readonly budget: Budget | null
}

/** Sends an event into a run. It carries the run's scope: a run that is given it as `emit` is part of the other. */
export interface Emit extends Listener {
  readonly scope?: RunScope | undefined
}

/** The run that steps belong to. */
export interface Run {
  /** How the run was started. */
  readonly face: Face
  /** Fires when the run ends before its work is done: abort, early exit, a failed sibling. None in the blocking face. */
  readonly signal: AbortSignal | undefined
  /** Sends an event into the run; in the streaming face the promise resolves when the consumer asks for the next one. */
  readonly emit: Emit
}

/** What every async operation, tool and reply function accepts or is given. */
export interface RunOptions {
  /** Stops the operation; it then fails with `aborted`. */
  readonly signal?: AbortSignal | undefined
  /** Receives the events of the operation; default: the `io` of who starts it. */
  readonly emit?: Emit | undefined
}
