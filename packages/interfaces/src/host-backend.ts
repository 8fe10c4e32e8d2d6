import type { XEvent } from './event.ts'
import type { JournalEntry } from './journal.ts'
import type { MaybePromise } from './maybe-promise.ts'

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

/** The program of a hosted chat: its name, and the version that has to go on with a chat that it began. */
export interface ChatKind {
  readonly name: string
  readonly version: string
}

/** How a hosted chat stands. */
export type HostedChatState =
  /** It is to run as soon as a worker is free and its time has come. */
  | 'waiting'
  /** A worker has it. */
  | 'running'
  /** It goes on when somebody decides on what it asked, or sends a message. */
  | 'suspended'
  /** It has ended with a value. */
  | 'done'
  /** It has ended by an error. */
  | 'failed'
  /** It was ended from outside. */
  | 'cancelled'

/** How a hosted chat ended. */
export type ChatOutcome =
  | { readonly state: 'done'; readonly value: unknown }
  | { readonly state: 'failed'; readonly error: { readonly code: string | null; readonly message: string } }
  | { readonly state: 'cancelled'; readonly reason: string }

/** A chat that is to be hosted. */
export interface ChatSubmission extends ChatKind {
  /** Names the chat in its store, and its run in the whole world. */
  readonly id: string
  /** Plain JSON that its program is given. */
  readonly input: unknown
  /** When it may run at the earliest, in milliseconds since 1970; default: at once. */
  readonly at?: number | undefined
  /**
   * Whether a store that goes down keeps every change that it has confirmed; default true. Parts of a chat are handed in
   * again when they are forgotten, so a store need not wait for its disk with them.
   */
  readonly durable?: boolean | undefined
}

/** A hosted chat as its store has it, without its journal. */
export interface HostedChat extends Required<Omit<ChatSubmission, 'durable'>> {
  /** When it may run at the earliest, in milliseconds since 1970; 0: at once. */
  readonly at: number
  readonly state: HostedChatState
  /** Number of the last claim; greater than every earlier one of the store. 0 before the first. */
  readonly epoch: number
  /** How often the chat has begun to wait for a worker again: names its place in a queue. */
  readonly turn: number
  readonly submittedAt: number
  /** When it ended, in milliseconds since 1970; null while it has not. */
  readonly endedAt: number | null
  /** How it ended; null while it has not. */
  readonly outcome: ChatOutcome | null
  /**
   * How often in a row a worker had it and let its time pass or put it off, with nothing kept in between. From 3 on it is
   * taken up later and later, up to a quarter of an hour: a program that ends its process does not end all of them all the
   * time.
   */
  readonly setbacks: number
  /** Why a worker put it off last; null when none has since it was suspended. */
  readonly reason: string | null
  /** What of it is not as it was written, such as by a hand in the database; null: nothing. Such a chat runs no more. */
  readonly damage: string | null
}

/** The right of one worker to go on with a chat; a later claim of the chat ends it. */
export interface ChatClaim {
  readonly id: string
  readonly epoch: number
}

/** A chat that a worker has claimed, with everything that it goes on with. */
export interface ClaimedChat extends HostedChat {
  /** The entries of its journal, decisions included. */
  readonly entries: readonly JournalEntry[]
  /** The messages that were sent to it, oldest first. */
  readonly messages: readonly unknown[]
  /** How many decisions and messages it has had: what `suspend` compares. */
  readonly heard: number
  /** Whether the worker before let its time pass, instead of giving the chat back. */
  readonly takenOver: boolean
  /** Whether it was claimed as a part and its whole has ended, or is there no more. */
  readonly isLeft: boolean
}

/** A part of the chats of a store, in the order of their identifiers. */
export interface ChatQuery {
  readonly state?: HostedChatState | undefined
  readonly kind?: ChatKind | undefined
  /** Chats whose identifiers come after this one; default: from the first. */
  readonly after?: string | undefined
  /** Most chats to give. */
  readonly limit: number
}

/** A question of a chat that nobody has decided on. */
export interface PendingQuestion {
  readonly chat: string
  /** The entry of kind `question`; null where it cannot be read. */
  readonly entry: JournalEntry | null
  /** Continues the list behind this question. */
  readonly cursor: string
}

/** A decision as it was made. */
export interface StoredDecision {
  /** The entry of kind `decision`. */
  readonly entry: JournalEntry
  /** Who decided; null when nobody said. */
  readonly by: string | null
  /** When, in milliseconds since 1970. */
  readonly at: number
}

/** How many chats of a program stand in a state. */
export interface ChatCount extends ChatKind {
  readonly state: HostedChatState
  readonly count: number
}

/**
 * Where hosted chats are: it decides what is true of them, whoever runs them. Every method is one change as a whole, which
 * has survived the process, as far as the store promises, when it answers. What a worker may do depends on its claim: with
 * one that another claim has ended, its methods change nothing and say so.
 *
 * Values, entries and messages come back as their JSON was, in the same order of keys. Times are those of the store. What
 * may run at once does so whatever its clock says; when the clock is set back, claims do not last longer for it. A chat that
 * cannot be read has a `damage`, and stops none of the others.
 */
export interface ChatStore {
  /** Keeps a new chat, waiting. One whose identifier is known is not changed: gives the chat as it stands. */
  submit(chat: ChatSubmission): MaybePromise<{ readonly chat: HostedChat; readonly isNew: boolean }>
  /**
   * Gives a chat to a worker for so many seconds: one that waits and whose time has come, or one that runs and whose worker
   * let its time pass, which is a setback; after 3 of them some time passes first. Null for every other. Every claim has
   * another epoch. `whole` names the chat of which it is a part.
   */
  claim(id: string, lease: number, whole?: string): MaybePromise<ClaimedChat | null>
  /** Prolongs claims to so many seconds from now; gives the identifiers of those that still hold. */
  renew(claims: readonly ChatClaim[], lease: number): MaybePromise<readonly string[]>
  /**
   * Adds entries to the journal, all or none; false when the claim has ended, when there is one of equal place, kind and
   * name, which is not replaced, or when the number of the first does not follow: a store that has lost its last changes
   * does not go on behind them. Events that were sent before them are added to the log of the same backend in the same
   * change.
   */
  append(claim: ChatClaim, entries: readonly JournalEntry[], events?: readonly XEvent[]): MaybePromise<boolean>
  /** Ends the chat, and adds its last events to the log in the same change; false when the claim has ended. */
  finish(claim: ChatClaim, outcome: ChatOutcome, events?: readonly XEvent[]): MaybePromise<boolean>
  /**
   * Lets the chat wait for a decision or message; where it had one since `heard` was counted, it waits for a worker. Gives
   * the chat, or null when the claim has ended.
   */
  suspend(claim: ChatClaim, heard: number): MaybePromise<HostedChat | null>
  /** Gives the chat back: it waits for a worker. Gives the chat, or null when the claim has ended. */
  release(claim: ChatClaim): MaybePromise<HostedChat | null>
  /**
   * Gives back a chat that this worker cannot go on with, which is a setback: others, or this one later, may. Gives the chat,
   * or null when the claim has ended.
   */
  putOff(claim: ChatClaim, reason: string): MaybePromise<HostedChat | null>
  /**
   * Adds a decision to the journal, once: `known` when there is one at its place, `ended` when the chat has ended or is not
   * there. A suspended chat waits for a worker then; one that runs hears of it when it is suspended.
   */
  decide(id: string, decision: JournalEntry, by: string | null): MaybePromise<HostedChat | 'known' | 'ended'>
  /** Adds a message for the chat, as `decide` adds a decision. */
  send(id: string, message: unknown): MaybePromise<HostedChat | 'ended'>
  /** Ends a chat from outside, and every claim on it; `ended` when it has ended or is not there. */
  cancel(id: string, reason: string): MaybePromise<HostedChat | 'ended'>
  /** Forgets a chat that has ended, with its journal, messages and events; false when it has not ended or is not there. */
  delete(id: string): MaybePromise<boolean>
  /** Chats that ended so many seconds ago or earlier. */
  expired(seconds: number, limit: number): MaybePromise<readonly HostedChat[]>
  get(id: string): MaybePromise<HostedChat | null>
  /** The entries of a journal. Fails with `invalid-state` where one cannot be read; so do `decisions`. */
  entries(id: string): MaybePromise<readonly JournalEntry[]>
  decisions(id: string): MaybePromise<readonly StoredDecision[]>
  list(query: ChatQuery): MaybePromise<readonly HostedChat[]>
  /** Questions of chats that have not ended, behind a cursor, in an order that stays. */
  pending(after: string | null, limit: number): MaybePromise<readonly PendingQuestion[]>
  /** Chats of some programs that may be claimed now, those that wait longest first. */
  due(kinds: readonly ChatKind[], limit: number): MaybePromise<readonly HostedChat[]>
  /** Counts chats by program and state: all of them, or those that have not ended (`open`), which costs less. */
  counts(options?: { readonly open?: boolean | undefined }): MaybePromise<readonly ChatCount[]>
}

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

/**
 * Computes a change of a record from its value, plain JSON or undefined where there is none, and from the time of the
 * store in milliseconds since 1970. It may be called several times, and only what it gives last holds: it has no effects
 * and changes nothing in place. To give the same `value` changes nothing; `undefined` forgets the record.
 */
export type RecordChange<T> = (value: unknown, now: number) => { readonly value: unknown; readonly answer: T }

/**
 * Small records that many processes share, such as the state of a limiter. A change is made as a whole, between no other
 * two halves of a change. Where it fails nobody knows whether it was made.
 */
export interface RecordStore {
  /**
   * Changes a record; gives the answer of the change that was made. `durable` says whether a store that goes down keeps it
   * then; default true. Without, it need not wait for its disk.
   */
  change<T>(key: string, change: RecordChange<T>, options?: { readonly durable?: boolean | undefined }): MaybePromise<T>
}
