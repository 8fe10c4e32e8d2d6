import type { ChatMessage, LlmConfig } from '@x/interfaces'
import type { HistoryDraft } from '../draft/history-draft.ts'

/** A limit of tokens. A number up to 1 is a share of what the model's window has room for; a larger one is a count. */
export interface TokenLimit {
  /** Most tokens of a request; default: all that the window has room for beside an answer. */
  readonly total?: number | undefined
  /** Most tokens of one message; the middle of a longer one is left out when it comes. Default: no limit. */
  readonly perMessage?: number | undefined
  /** Share of the limit that a cut comes down to; default 0.5. The prefix that providers cache stays until the next cut. */
  readonly to?: number | undefined
}

/** A summary that stands for the older part of a history. */
export interface SummarySettings {
  readonly llmConfig: LlmConfig | null
  readonly keep: number
  readonly maxTokens: number
  readonly prompt: string
}

/** One rule of what a model sees. Views are pure: they read a draft and change nothing else. */
export interface View {
  /** Names it in `explain`. */
  readonly name: string
  /** When a cut asks it: views below 0 clear, then comes the summary, then those above 0 leave out. Default 1. */
  readonly order?: number | undefined
  /** Share of the limit from which on a cut is due; default: only the limit itself makes one due. */
  readonly at?: number | undefined
  readonly limit?: TokenLimit | undefined
  /** Number of messages from which on a cut is due. */
  readonly maxMessages?: number | undefined
  readonly summary?: SummarySettings | undefined
  /** Tells which messages no view leaves out; `index` is the position in the stored history. */
  readonly pins?: ((message: ChatMessage, index: number) => boolean) | undefined
  /** Clears messages or leaves them out, as long as `draft.tokens` is above `draft.target`. */
  readonly cut?: ((draft: HistoryDraft) => void) | undefined
}
