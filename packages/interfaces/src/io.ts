import type { MaybePromise } from './maybe-promise.ts'
import type { XEvent } from './event.ts'
import type { Run } from './run.ts'

/** Options of one question to a human. */
export interface InputOptions {
  /** Withdraws the question. */
  readonly signal?: AbortSignal | undefined
  /** Name of the agent that asks. */
  readonly agent?: string | undefined
  /** Whether the answer must come at once, because a blocking operation waits for it. */
  readonly blocking?: boolean | undefined
  /** The run in which it is asked: who keeps answers by their place in the run finds them again by it. */
  readonly run?: Run | undefined
  /** Whether what is typed stays hidden. */
  readonly password?: boolean | undefined
}

/** Where events go and where human input comes from. */
export interface Io {
  /** The types of events it takes; others are not made for it. Default: all. */
  readonly takes?: ReadonlySet<XEvent['type']> | undefined
  /** Shows or keeps an event. */
  send(event: XEvent): MaybePromise<void>
  /** Asks a human. */
  input(prompt: string, options?: InputOptions): MaybePromise<string>
}
