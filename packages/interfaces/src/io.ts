import type { MaybePromise } from './maybe-promise.ts'
import type { XEvent } from './event.ts'
import type { Run } from './run.ts'

/** Options of one question to a human. */
export interface InputOptions {
  /** Withdraws the question. */
  readonly signal?: AbortSignal | undefined
  /** Name of the agent that asks. */
  readonly agent?: string | undefined
  /** True if the answer must come synchronously, because a blocking operation waits for it. */
  readonly blocking?: boolean | undefined
  /** The run of the question, by which a journal keeps and recalls the answer. */
  readonly run?: Run | undefined
  /** True to hide the input. */
  readonly password?: boolean | undefined
}

/** Where events go and where human input comes from. */
export interface Io {
  /** The types of events that it receives; others are not made. Default: all. */
  readonly takes?: ReadonlySet<XEvent['type']> | undefined
  /** Receives an event. */
  send(event: XEvent): MaybePromise<void>
  /** Asks a human. */
  input(prompt: string, options?: InputOptions): MaybePromise<string>
}
