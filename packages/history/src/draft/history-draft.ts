import type { ChatMessage } from '@x/interfaces'

/** A message of a history that is being cut. */
export interface DraftMessage {
  /** The message as it would be sent. */
  readonly message: ChatMessage
  /** Position of the stored message; -1 for a note or a summary. */
  readonly source: number
  /** Its tokens. */
  readonly tokens: number
  /** Whether it stays: it is pinned, a system message, or part of the newest exchange. */
  readonly stays: boolean
  /** Whether it was left out. */
  readonly gone: boolean
}

/** A history that is being cut; views clear messages and leave them out until it fits. */
export interface HistoryDraft {
  /** All messages, oldest first; those that were left out keep their position. */
  readonly messages: readonly DraftMessage[]
  /** Tokens of the request as it would be sent now. */
  readonly tokens: number
  /** Tokens that a cut comes down to. */
  readonly target: number
  /** Puts another message in the place of one; a call has to stay a call, and a result a result of the same call. */
  replace(index: number, message: ChatMessage): void
  /** Leaves a message out, with the calls or results that belong to it; gives false for one that stays. */
  leaveOut(index: number): boolean
}
