import type { ChatKind, HostedChat } from './chat-store.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** A program whose chats a worker takes. */
export interface QueueKind extends ChatKind {
  /** Most chats of this program at once, which then do not count among the others. Default: they do. */
  readonly concurrency?: number | undefined
}

/** How a worker takes chats out of a queue. */
export interface QueueWork {
  /** Programs whose chats it takes. */
  readonly kinds: readonly QueueKind[]
  /** Most chats at once, without those of programs that have a number of their own. */
  readonly concurrency: number
  /** Seconds after which a chat whose worker has gone is given to another. */
  readonly lease: number
  /** Ends the work: nothing is taken any more. */
  readonly signal: AbortSignal
  /** Goes on with a chat; one whose promise rejects is given again, to this worker or another. */
  readonly run: (id: string) => Promise<void>
  /** Hears of errors of the queue itself, such as a lost connection; it goes on. */
  readonly onError: (error: unknown) => void
}

/**
 * Brings chats to workers, each at least once: the store decides whether a chat is to run, so that a queue may give one
 * twice, and late. It may lose what the store still has: workers add again what waits too long.
 */
export interface ChatQueue {
  /**
   * Puts the present turn of a chat in line, for the time that it has; adding the same turn twice is adding it once. `whole`
   * names the chat of which it is a part: its parts that are added at once may come to one worker, as far as that has places.
   */
  add(chat: HostedChat, whole?: string): MaybePromise<void>
  /** Takes chats until the signal; resolves when those under way have ended. Fails where no work can be done here. */
  work(work: QueueWork): Promise<void>
}
