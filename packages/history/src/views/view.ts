import type { ChatMessage, HistoryView, LlmConfig } from '@x/interfaces'
import type { HistoryDraft } from '../draft/history-draft.ts'

/** A limit of tokens. A number up to 1 is a share of the window less room for an answer; a larger one is a count. */
export interface TokenLimit {
  /** Most tokens of a request; default: the window less room for an answer. */
  readonly total?: number | undefined
  /** Most tokens of one message; a longer one loses its middle when it arrives. Default: no limit. */
  readonly perMessage?: number | undefined
  /** Share of the limit that a cut reduces the request to; default 0.5. Providers cache the prefix until the next cut. */
  readonly to?: number | undefined
}

/** Settings of the summary that replaces the older part of a history. */
export interface SummarySettings {
  readonly llmConfig: LlmConfig | null
  readonly keep: number
  readonly maxTokens: number
  readonly prompt: string
}

/** One rule for the messages that a model sees. A view changes nothing but the draft of a cut. */
export interface View {
  /** Name of the view in `explain`. */
  readonly name: string
  /** Place of the view in a cut: views below 0 clear messages, then comes the summary, then the others leave messages out. Default 1. */
  readonly order?: number | undefined
  /** Its options as plain data, with which a replay of a recorded run is compared; default: none. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** Share of the limit at which a cut is due; default: only the limit itself makes one due. */
  readonly at?: number | undefined
  readonly limit?: TokenLimit | undefined
  /** Number of messages above which a cut is due. */
  readonly maxMessages?: number | undefined
  readonly summary?: SummarySettings | undefined
  /** Returns true for messages that no view leaves out; `index` is the position in the stored history. */
  readonly pins?: ((message: ChatMessage, index: number) => boolean) | undefined
  /** Clears messages or leaves them out, as long as `draft.tokens` is above `draft.target`, at once: a promise is refused. */
  readonly cut?: ((draft: HistoryDraft) => void) | undefined
}

/** Combined views, as the `history` of an agent; several agents may share one. */
export interface FittedHistory extends HistoryView {
  /** The views, in the order in which they were given. */
  readonly views: readonly View[]
}
