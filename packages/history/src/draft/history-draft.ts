import type { ChatMessage } from '@x/interfaces'

/** A message of a history that is being cut. */
export interface DraftMessage {
  /** The message as it would be sent. */
  readonly message: ChatMessage
  /** Position of the stored message; -1 for a note or a summary. */
  readonly source: number
  /** Tokens of the message as it would be sent. */
  readonly tokens: number
  /** True if no view leaves the message out: it is pinned, a system message, or part of the newest exchange. */
  readonly stays: boolean
  /** True if the message was left out. */
  readonly gone: boolean
}

/** A history that is being cut: views clear messages and leave them out until the request fits. */
export interface HistoryDraft {
  /** All messages, oldest first; a message that was left out keeps its position. */
  readonly messages: readonly DraftMessage[]
  /** Tokens of the request as it would be sent now. */
  readonly tokens: number
  /** Tokens that the cut aims at. */
  readonly target: number
  /** Replaces a message; a call has to stay a call, and a result a result of the same call. */
  replace(index: number, message: ChatMessage): void
  /** Leaves a message out, with the calls or results that belong to it; returns false if the message stays. */
  leaveOut(index: number): boolean
}
