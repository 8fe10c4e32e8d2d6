import type { XEvent } from './event.ts'
import type { JournalEntry } from './journal.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** The storage of a host: its chats, their queue, their events and shared records. */
export interface HostBackend {
  /** Name of the backend in errors; it contains no secret. */
  readonly name: string
  readonly store: ChatStore
  readonly queue: ChatQueue
  readonly events: EventLog
  /** Records that all workers share beside chats: limits and budgets. */
  readonly records: RecordStore
  /**
   * Calls a listener with the id of a chat that may have changed or, if it is followed, may have new events; null stands for
   * any chat, for example after a connection was lost. The listener may be called too often, too late or not at all, so a
   * caller who waits also compares `revisions`. Returns a function that ends the watch.
   */
  watch(listener: (id: string | null) => void): () => void
  /**
   * Makes all connections again, and resolves when a new one can write. A worker calls it when the store does not answer;
   * calls without an answer may be sent again or fail. Left out by a backend without connections.
   */
  reconnect?(): Promise<void>
  /** Closes files and connections. */
  close(): MaybePromise<void>
}

/** The program of a hosted chat: its name, and its version. A chat continues in the version in which it began. */
export interface ChatKind {
  readonly name: string
  readonly version: string
}

/** The state of a hosted chat. */
export type HostedChatState =
  /** The chat waits for a worker, or for its time. */
  | 'waiting'
  /** The program has failed in a way that passes: the chat runs again, from its journal, at the time of its `retry`. */
  | 'waiting-to-retry'
  /** A worker runs the chat. */
  | 'running'
  /** The chat waits for a decision, a message or a time. */
  | 'suspended'
  /** The chat has ended with a value. */
  | 'done'
  /** The chat has ended with an error. */
  | 'failed'
  /** The chat was cancelled from outside. */
  | 'cancelled'

/** The outcome of a hosted chat. */
export type ChatOutcome =
  | { readonly state: 'done'; readonly value: unknown }
  | {
      readonly state: 'failed'
      readonly error: {
        readonly code: string | null
        readonly message: string
        /** Kind of the error, if it is one of a model call, of the network or of a database. */
        readonly kind?: string | undefined
      }
    }
  | { readonly state: 'cancelled'; readonly reason: string }

/** A new chat to host. */
export interface ChatSubmission extends ChatKind {
  /** Id of the chat in its store, and globally unique id of its run. */
  readonly id: string
  /** Input of the program, as plain JSON. */
  readonly input: unknown
  /** Earliest time to run, in milliseconds since 1970; default: at once. */
  readonly at?: number | undefined
  /**
   * True if the store must keep every confirmed change after a crash; default true. Parts of a chat are submitted again if
   * they are lost, so for them a store need not wait for its disk.
   */
  readonly durable?: boolean | undefined
  /** Entries of the journal with which the chat begins, such as those of a fork; default none. */
  readonly entries?: readonly JournalEntry[] | undefined
  /** Messages with which the chat begins; default none. */
  readonly messages?: readonly unknown[] | undefined
  /** Words by which chats are found, each once; default none. */
  readonly tags?: readonly string[] | undefined
  /** Customer, team or account to which the chat belongs; default null. */
  readonly tenant?: string | null | undefined
  /** Whether the chat is run before others that wait, or behind them; default `normal`. */
  readonly priority?: ChatPriority | undefined
}

/** Whether a chat that waits is run before others, or behind them. */
export type ChatPriority = 'high' | 'normal' | 'low'

/** A hosted chat as the store keeps it, without its journal. */
export interface HostedChat extends ChatKind, Pick<ChatSubmission, 'id' | 'input'> {
  /** Earliest time to run, in milliseconds since 1970; 0: at once. */
  readonly at: number
  /** Time at which a suspended chat runs again, in milliseconds since 1970, if nothing wakes it before; null for none. */
  readonly wakesAt: number | null
  readonly tags: readonly string[]
  readonly tenant: string | null
  readonly priority: ChatPriority
  readonly state: HostedChatState
  /** Number of the last claim, greater than that of every earlier claim of the store; 0 before the first. */
  readonly epoch: number
  /** How often the chat has been enqueued again; identifies its job in a queue. */
  readonly turn: number
  readonly submittedAt: number
  /** Time of the end, in milliseconds since 1970; null before. */
  readonly endedAt: number | null
  /** The outcome; null before the end. */
  readonly outcome: ChatOutcome | null
  /**
   * Consecutive claims that expired or were put off without a new journal entry. From 3 on, the next claim is delayed with
   * exponential backoff up to 15 minutes, so that a program that kills its process does not keep killing workers.
   */
  readonly setbacks: number
  /** Why a worker last put the chat off; null if none has since it was suspended. */
  readonly reason: string | null
  /** The failures of its program in a row, with no new journal entry in between; null for none. Times are in milliseconds since 1970. */
  readonly retry: {
    /** Kind of the last failure, such as `overloaded`. */
    readonly kind: string
    /** Time of the first failure. */
    readonly since: number
    /** Time of the next try; while the chat runs, of this one. */
    readonly at: number
    readonly failures: number
  } | null
  /** The damaged part of the stored record, such as after a manual edit of the database; null for none. A damaged chat no longer runs. */
  readonly damage: string | null
}

/** The right of one worker to run a chat; a later claim of the chat ends it. */
export interface ChatClaim {
  readonly id: string
  readonly epoch: number
}

/** A claimed chat, with everything that the worker needs to continue it. */
export interface ClaimedChat extends HostedChat {
  /** The entries of its journal from the last one of kind `checkpoint` on, decisions included; without one, all entries. */
  readonly entries: readonly JournalEntry[]
  /** The messages that were sent to the chat, oldest first, without those that were used before the checkpoint. */
  readonly messages: readonly unknown[]
  /** Number of decisions and messages so far, which `suspend` compares. */
  readonly heard: number
  /** The time of the claim, in milliseconds since 1970. */
  readonly now: number
  /** True if the lease of the previous worker expired. */
  readonly takenOver: boolean
  /** True if this is a part whose parent has ended or was deleted. */
  readonly isLeft: boolean
}

/** A page of the chats of a store. */
export interface ChatQuery {
  readonly state?: HostedChatState | undefined
  readonly kind?: ChatKind | undefined
  /** Only chats after the one with this id; default: from the first. */
  readonly after?: string | undefined
  /** Most chats to return. */
  readonly limit: number
  /** Orders the chats by their submission, and filters them; default: all chats in the order of their ids. */
  readonly submitted?: SubmittedQuery | undefined
}

/** A query of chats by their submission; those submitted as not `durable` are left out. */
export interface SubmittedQuery {
  readonly order: 'newest' | 'oldest'
  readonly tag?: string | undefined
  readonly tenant?: string | undefined
  /** Time of the first submission to return, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** Time behind the last submission to return, in milliseconds since 1970. */
  readonly until?: number | undefined
  /** Time at which the chat `after` was submitted, in milliseconds since 1970. */
  readonly after?: number | undefined
}

/** A question of a chat without a decision. */
export interface PendingQuestion {
  readonly chat: string
  /** The entry of kind `question`; null if it cannot be read. */
  readonly entry: JournalEntry | null
  /** Cursor to continue the list after this question. */
  readonly cursor: string
}

/** A decision in a store. */
export interface StoredDecision {
  /** The entry of kind `decision`. */
  readonly entry: JournalEntry
  /** Name of the person or program that decided; null if unknown. */
  readonly by: string | null
  /** Time in milliseconds since 1970. */
  readonly at: number
}

/** The number of chats of a program in a state. */
export interface ChatCount extends ChatKind {
  readonly state: HostedChatState
  readonly count: number
}

/**
 * The store of hosted chats: it alone decides their state. Each method is one atomic change, which is durable, as far as the
 * store promises, when the method resolves. A worker needs a claim: with a claim that another has ended, its methods change
 * nothing and report that.
 *
 * Values, entries and messages are returned as their JSON was written, with the same order of keys. Times are those of the
 * store. A chat without a start time runs at once whatever the clock says; when the clock is set back, claims do not last
 * longer. A chat that cannot be read has a `damage` and does not affect other chats.
 */
export interface ChatStore {
  /** Stores a new chat in state `waiting`. A chat with a known id is not changed and returned as it is. */
  submit(chat: ChatSubmission): MaybePromise<{ readonly chat: HostedChat; readonly isNew: boolean }>
  /**
   * Leases a chat to a worker for `lease` seconds, under a new epoch: a chat whose time to run, to retry or to wake has come,
   * or a running one whose lease has expired, which counts as a setback. After 3 setbacks a backoff comes first. Returns null
   * for every other chat. `whole` is the id of the parent chat.
   */
  claim(id: string, lease: number, whole?: string): MaybePromise<ClaimedChat | null>
  /** Extends claims to `lease` seconds from now; returns the ids of the claims that still hold. */
  renew(claims: readonly ChatClaim[], lease: number): MaybePromise<readonly string[]>
  /**
   * Appends entries to the journal, all or none. Returns the number of decisions and messages so far, by which a worker
   * sees that a message has come. Returns null, and appends nothing, if the claim has ended, if the journal has an
   * entry of equal place, kind and name, or if the number of the first entry does not follow, as after a store has lost
   * its last changes. Earlier events are added to the log of the same backend in the same change. After an entry of
   * kind `checkpoint`, claims return the journal from that entry on and the messages from the number `messages` of its
   * value on, so that a long chat is not read whole. The entries and messages before stay in the store.
   */
  append(
    claim: ChatClaim,
    entries: readonly JournalEntry[],
    events?: readonly XEvent[],
  ): MaybePromise<{ readonly heard: number } | null>
  /** Ends the chat and adds its last events to the log in the same change; returns false if the claim has ended. */
  finish(claim: ChatClaim, outcome: ChatOutcome, events?: readonly XEvent[]): MaybePromise<boolean>
  /**
   * Suspends the chat until a decision or message, or until a time in milliseconds since 1970; if a decision or message has
   * arrived since `heard` was counted, the chat waits for a worker. Returns the chat, or null if the claim has ended. A chat
   * with a time is enqueued for it, as a further turn.
   */
  suspend(claim: ChatClaim, heard: number, wakesAt?: number): MaybePromise<HostedChat | null>
  /** Releases the claim: the chat waits for a worker. Returns the chat, or null if the claim has ended. */
  release(claim: ChatClaim): MaybePromise<HostedChat | null>
  /**
   * Releases a chat that this worker cannot run, which counts as a setback: another worker may, or this one later. Returns the
   * chat, or null if the claim has ended. With `retry`, the program has failed: the chat waits to retry for `delay` seconds,
   * and the failure counts in its `retry` instead.
   */
  putOff(
    claim: ChatClaim,
    reason: string,
    retry?: { readonly kind: string; readonly delay: number },
  ): MaybePromise<HostedChat | null>
  /**
   * Adds a decision to the journal, once: returns `known` if its place has one, `ended` if the chat has ended or does not exist.
   * A suspended chat is enqueued; a running chat is enqueued again when it suspends.
   */
  decide(id: string, decision: JournalEntry, by: string | null): MaybePromise<HostedChat | 'known' | 'ended'>
  /**
   * Adds a message for the chat, as `decide` adds a decision. With a `key`, it is added once: if the chat has a message with
   * this key, nothing changes, also in a chat that has ended, and the JSON text of that message is returned as `known`.
   */
  send(id: string, message: unknown, key?: string): MaybePromise<HostedChat | 'ended' | { readonly known: string }>
  /** Cancels a chat and every claim on it; returns `ended` if it has ended or does not exist. */
  cancel(id: string, reason: string): MaybePromise<HostedChat | 'ended'>
  /**
   * Lets a chat go on from its journal that has failed, or waits to retry: it waits for a worker, without outcome and without
   * failures, and `reason` is kept. Returns the chat, or null for every other chat.
   */
  resume(id: string, reason: string): MaybePromise<HostedChat | null>
  /** Deletes an ended chat with its journal, messages and events; returns false if it has not ended or does not exist. */
  delete(id: string): MaybePromise<boolean>
  /** Returns chats that ended at least `seconds` ago. */
  expired(seconds: number, limit: number): MaybePromise<readonly HostedChat[]>
  get(id: string): MaybePromise<HostedChat | null>
  /** Returns all entries of a journal. Throws `invalid-state` if an entry cannot be read, as `decisions` does. */
  entries(id: string): MaybePromise<readonly JournalEntry[]>
  /** Returns the messages that were sent to a chat, oldest first, each as its JSON text; without the first ones of a number. */
  messages(id: string, without?: number): MaybePromise<readonly string[]>
  decisions(id: string): MaybePromise<readonly StoredDecision[]>
  list(query: ChatQuery): MaybePromise<readonly HostedChat[]>
  /** Returns pending questions of open chats after a cursor, in a stable order. */
  pending(after: string | null, limit: number): MaybePromise<readonly PendingQuestion[]>
  /** Returns claimable chats of some programs, by priority, longest wait first. */
  due(kinds: readonly ChatKind[], limit: number): MaybePromise<readonly HostedChat[]>
  /** Counts chats by program and state: all chats, or open chats only, which is cheaper. */
  counts(options?: { readonly open?: boolean | undefined }): MaybePromise<readonly ChatCount[]>
}

/** A program whose chats a worker runs. */
export interface QueueKind extends ChatKind {
  /** Most chats of this program at once, apart from the worker's `concurrency`. Default: they count into it. */
  readonly concurrency?: number | undefined
}

/** How a worker takes chats from a queue. */
export interface QueueWork {
  /** Programs whose chats the worker runs. */
  readonly kinds: readonly QueueKind[]
  /** Most chats at once, except those of programs with their own `concurrency`. */
  readonly concurrency: number
  /** Seconds after which the chat of a dead worker goes to another worker. */
  readonly lease: number
  /** Ends the work: no further chat is taken. */
  readonly signal: AbortSignal
  /** Runs a chat; if the promise rejects, the chat is delivered again, to this worker or another. */
  readonly run: (id: string) => Promise<void>
  /** Receives errors of the queue itself, such as a lost connection; the work continues. */
  readonly onError: (error: unknown) => void
}

/**
 * Delivers chats to workers, each at least once. The store decides whether a chat runs, so a queue may deliver a chat twice or
 * late, and may lose jobs: workers enqueue again what waits too long.
 */
export interface ChatQueue {
  /**
   * Enqueues the current turn of a chat for its time; adding a turn twice has no effect. `whole` is the id of the parent chat:
   * parts that are added at once may go to one worker, as far as it has capacity.
   */
  add(chat: HostedChat, whole?: string): MaybePromise<void>
  /** Takes chats until the signal fires; resolves when the running chats have ended. Throws if this queue cannot work here. */
  work(work: QueueWork): Promise<void>
}

/** An event in a log. */
export interface LoggedEvent {
  /** Position in the log: pass it as `after` to read the following events. */
  readonly cursor: string
  readonly event: XEvent
}

/** A log of the events of hosted chats, in the order in which they were sent. */
export interface EventLog {
  /**
   * Appends events of a chat and returns whether somebody follows the chat; returns null and appends nothing if the claim has
   * ended.
   */
  append(claim: ChatClaim, events: readonly XEvent[]): MaybePromise<{ readonly followed: boolean } | null>
  /**
   * Reads events of a chat after a cursor; null reads from the first. Throws `invalid-argument` for an invalid cursor and
   * `invalid-state` if events cannot be read. A deleted chat has no events.
   */
  read(id: string, after: string | null, limit: number): MaybePromise<readonly LoggedEvent[]>
  /** Reads the last events of a chat, oldest first: at least `limit`, or all if there are fewer. Throws as `read` does. */
  readLast(id: string, limit: number): MaybePromise<readonly XEvent[]>
  /** Notes that somebody follows these chats, up to 1,000, for `seconds` from now. Chats that do not exist are left out. */
  follow(ids: readonly string[], seconds: number): MaybePromise<void>
  /** Returns the chats among these that somebody follows. */
  followed(ids: readonly string[]): MaybePromise<readonly string[]>
  /**
   * Returns the revision of each of these chats, up to 1,000, in their order; null for a chat that does not exist. A revision is a text that
   * differs from every earlier one of the chat after a change of its state, a message, a decision or an event.
   */
  revisions(ids: readonly string[]): MaybePromise<readonly (string | null)[]>
}

/**
 * Computes the new value of a record from its value, which is plain JSON or undefined for a new record, and from the time of
 * the store in milliseconds since 1970. It may be called several times, and the last result counts: it must have no side
 * effects and must not change the value in place. The same `value` changes nothing; `undefined` deletes the record.
 */
export type RecordChange<T> = (value: unknown, now: number) => { readonly value: unknown; readonly answer: T }

/**
 * Small records that many processes share, such as the state of a limiter. A change is atomic. If it throws, it may have been
 * made or not.
 */
export interface RecordStore {
  /**
   * Changes a record and returns the `answer` of the change. With `durable`, the default, the change survives a crash of the
   * store; without, the store need not wait for its disk.
   */
  change<T>(key: string, change: RecordChange<T>, options?: { readonly durable?: boolean | undefined }): MaybePromise<T>
}
