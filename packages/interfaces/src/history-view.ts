import type { Agent } from './agent.ts'
import type { HistoryCutReport } from './event.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ChatMessage } from './message.ts'
import type { LlmConfig, Model } from './model.ts'
import type { Run } from './run.ts'
import type { ToolSchema } from './tool.ts'
import type { UsageSummary } from './usage.ts'

/** Facts of one question to a model, from which a view chooses what the model sees. */
export interface HistoryQuestion {
  /** The agent that asks. */
  readonly agent: Agent
  /** Names the conversation: the same object for all questions of one conversation of one agent. */
  readonly conversation: object
  /** Messages that are always sent first, such as the system message. */
  readonly before: readonly ChatMessage[]
  /** The whole conversation, oldest first, tool results as messages of their own. */
  readonly messages: readonly ChatMessage[]
  /** The model that is asked. */
  readonly model: Model
  /** The config that the model was made of, as far as it is known: its name, tools and limits of answers. */
  readonly llmConfig: LlmConfig | null
  /** Tools that the model is told of beside those of its config. */
  readonly tools?: readonly ToolSchema[] | undefined
  /** The run that the question is asked in; undefined outside of runs. */
  readonly run: Run | undefined
  /** Whether the provider has just refused what the view chose, because it is too long. */
  readonly refused: boolean
  /** The record of a cut that a journal kept at this place: it is repeated, and nobody is asked. */
  readonly record?: unknown
  /** Whether a journal has the answer already: then nothing is cut but by `record`. */
  readonly answered: boolean
}

/** A change of what is sent that breaks with what was sent before. */
export interface HistoryCut {
  readonly report: HistoryCutReport
  /** The cut as plain JSON, for a journal: given as `record`, it makes the same cut again. */
  readonly record: unknown
  /** What a model of the view used for the cut; null when none was asked. */
  readonly usage: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null } | null
  /** What did not work on the way, as a summary whose model failed. */
  readonly warnings: readonly string[]
}

/** The messages that a view chose, and the cut that was made for them, if there was one. */
export interface ChosenHistory {
  /** The messages to send behind those that are always sent first. */
  readonly messages: readonly ChatMessage[]
  readonly cut: HistoryCut | null
}

/**
 * Decides what a model sees of a conversation, as an agent's `history`; `fit` of `@x/history` makes one. What is stored is
 * never touched. Without a cut, what is sent begins with what was sent before.
 */
export interface HistoryView {
  /** Models of its own that it asks; what they use is part of the cost of chats. */
  models(): readonly Model[]
  /** Chooses the messages of a question; gives a promise only when a model or a tokenizer has to be waited for. */
  choose(question: HistoryQuestion): MaybePromise<ChosenHistory>
  /** Takes note of how many input tokens the provider counted for what was chosen last. */
  noteUsage(conversation: object, promptTokens: number): void
  /** Returns what it knows of a conversation, as plain JSON, to save it with an agent; undefined when that is nothing. */
  save(conversation: object): unknown
  /** Puts back what `save` gave. */
  load(conversation: object, saved: unknown): void
}
