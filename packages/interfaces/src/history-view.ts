import type { Agent } from './agent.ts'
import type { HistoryCutReport } from './event.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ChatMessage } from './message.ts'
import type { LlmConfig, Model } from './model.ts'
import type { Run } from './run.ts'
import type { ToolSchema } from './tool.ts'
import type { UsageSummary } from './usage.ts'

/** One question to a model, from which a view chooses the messages that the model sees. */
export interface HistoryQuestion {
  /** The agent that asks. */
  readonly agent: Agent
  /** Identity of the conversation: the same object for all questions of one agent in one conversation. */
  readonly conversation: object
  /** Messages that are always sent first, such as the system message. */
  readonly before: readonly ChatMessage[]
  /** The whole conversation, oldest first, tool results as messages of their own. */
  readonly messages: readonly ChatMessage[]
  /** The model that is asked. */
  readonly model: Model
  /** The config of the model, if known: its name, tools and output limits. */
  readonly llmConfig: LlmConfig | null
  /** Tools for the model beside those of its config. */
  readonly tools?: readonly ToolSchema[] | undefined
  /** The run of the question; undefined outside of runs. */
  readonly run: Run | undefined
  /** True if the provider has just refused the chosen messages because they are too long. */
  readonly refused: boolean
  /** The record of a cut from the journal: the cut is repeated without asking a model. */
  readonly record?: unknown
  /** True if the journal has the answer already: then only `record` cuts. */
  readonly answered: boolean
}

/** A change of the sent messages that breaks the common prefix with earlier requests. */
export interface HistoryCut {
  readonly report: HistoryCutReport
  /** The cut as plain JSON, for a journal; as `record` of a question it repeats the cut. */
  readonly record: unknown
  /** Usage of the view's own model for the cut; null if no model was asked. */
  readonly usage: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null } | null
  /** Problems on the way, such as a failed summary. */
  readonly warnings: readonly string[]
}

/** The messages that a view chose, and the cut that it made, if any. */
export interface ChosenHistory {
  /** The messages to send after those that are always sent first. */
  readonly messages: readonly ChatMessage[]
  readonly cut: HistoryCut | null
}

/**
 * Decides which messages of a conversation a model sees, as the `history` of an agent; `fit` of `@x/history` makes one. Stored
 * messages are never changed. Without a cut, a request begins with the messages of the request before.
 */
export interface HistoryView {
  /** Returns the view's own models; their usage is part of the cost of chats. */
  models(): readonly Model[]
  /** Chooses the messages of a question; returns a promise only if a model or a tokenizer is asynchronous. */
  choose(question: HistoryQuestion): MaybePromise<ChosenHistory>
  /** The limits by which messages are chosen, as plain data; a replay of a recorded run compares them. */
  readonly limits?: Readonly<Record<string, unknown>> | undefined
  /** Notes how many input tokens the provider counted for the messages that were chosen last. */
  noteUsage(conversation: object, promptTokens: number): void
  /** Returns the state of a conversation as plain JSON, to save it with an agent; undefined for none. */
  save(conversation: object): unknown
  /** Restores the state that `save` returned. */
  load(conversation: object, saved: unknown): void
}
