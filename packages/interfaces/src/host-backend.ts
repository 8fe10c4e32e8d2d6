import type { ChatQueue } from './chat-queue.ts'
import type { ChatStore } from './chat-store.ts'
import type { EventLog } from './event-log.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { RecordStore } from './record-store.ts'

/** Where the chats of a host are, how they come to workers, and where their events are. */
export interface HostBackend {
  /** Names it in errors, without anything secret. */
  readonly name: string
  readonly store: ChatStore
  readonly queue: ChatQueue
  readonly events: EventLog
  /** What all workers share beside chats: limits and budgets. */
  readonly records: RecordStore
  /**
   * Calls a listener when a chat may have changed or, where it is followed, have new events, with its identifier, or null for
   * any chat. It may be called too often or too late, and a part of a chat is not told when it is handed in; who waits also
   * looks from time to time. Gives what ends it.
   */
  watch(listener: (id: string | null) => void): () => void
  /** Closes files and connections. */
  close(): MaybePromise<void>
}
