import type { ChatMessage, PendingApproval, TerminationReason, UsageSummary } from '@x/interfaces'
import type { ChatJournal } from '../durability/chat-journal.ts'
import type { RunToolError } from '../options/operations.ts'

/** The outcome of a `run`. */
export interface RunResult<T = null> {
  /** The answer as text; empty for a run that ended without one, as while it waits for a decision. */
  readonly text: string
  /**
   * All messages, oldest first, as the model has them: those that the run was given, the question, calls with their results,
   * the answer. Plain JSON: store them, and hand them in again with the next question, as in
   * `run([...messages, { role: 'user', content }])`.
   */
  readonly messages: readonly ChatMessage[]
  /** The checked value of a run with a `result`, otherwise null. While such a run waits for a decision, reading it is an error. */
  readonly result: T
  /** The calls of this run, in the order in which the model made them. */
  readonly toolCalls: readonly RunToolCall[]
  /** Tokens of the requests that the run and everything in it sent; an answer from a cache has none. */
  readonly usage: RunUsage
  /** Price of these requests in US dollars; a model without a known price counts as 0, and a warning says so. */
  readonly cost: number
  /** Why the run ended: `answered`, `result`, `suspended`, `budget`, `max-turns`, … */
  readonly terminationReason: TerminationReason
  /** The decisions that a `suspended` run waits for; otherwise empty. */
  readonly pending: readonly PendingApproval[]
  /**
   * The journal of a `suspended` run: decide in it on what is pending, as in `journal.decide(id, { allow: true })`, and call
   * `run` again with the same question and this `journal`; its `saveState()` is JSON for another process. Null for a run that
   * has ended, and for one in a journal of another make.
   */
  readonly journal: ChatJournal | null
}

/** A call of a tool in a run. */
export interface RunToolCall {
  /** Identifier that the model gave the call; null if it gave none. */
  readonly id: string | null
  readonly name: string
  /** The arguments; null if their JSON could not be read. */
  readonly arguments: Readonly<Record<string, unknown>> | null
  /** The result as the model reads it, an error included; null for a call that was not answered. */
  readonly result: string | null
  /** The error of a call that failed; null for one that succeeded or was not answered. */
  readonly error: RunToolError | null
}

/** Tokens that a run used. */
export interface RunUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  /** The same with the cost of each model, by its name. */
  readonly models: UsageSummary['models']
}
