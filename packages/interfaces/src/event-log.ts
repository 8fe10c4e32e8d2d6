import type { ChatClaim } from './chat-store.ts'
import type { XEvent } from './event.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** An event as a log has it. */
export interface LoggedEvent {
  /** Names its place in the log: what comes behind it is read with this as `after`. */
  readonly cursor: string
  readonly event: XEvent
}

/** Keeps the events of hosted chats, in the order in which they were sent. */
export interface EventLog {
  /**
   * Adds events of a chat, and says whether somebody follows the chat; null, and nothing is added, when the claim has
   * ended.
   */
  append(claim: ChatClaim, events: readonly XEvent[]): MaybePromise<{ readonly followed: boolean } | null>
  /**
   * Reads events of a chat behind a cursor; null: from the first. Refuses what is not a cursor with `invalid-argument`; fails
   * with `invalid-state` where events cannot be read. A chat that its store forgets has none.
   */
  read(id: string, after: string | null, limit: number): MaybePromise<readonly LoggedEvent[]>
  /** Notes that somebody follows a chat: reads its events as they come, for so many seconds from now. */
  follow(id: string, seconds: number): MaybePromise<void>
  /** Gives the chats among these that somebody follows. */
  followed(ids: readonly string[]): MaybePromise<readonly string[]>
}
