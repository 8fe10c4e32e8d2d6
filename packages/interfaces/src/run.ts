import type { Budget } from './budget.ts'
import type { CacheStore } from './cache.ts'
import type { EventBody, EventOrigin, XEvent } from './event.ts'
import type { JournalKind } from './journal.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** How an operation is run: blocking (`xSync`), as a promise (`x`) or as a stream of events (`xStream`). */
export type Face = 'sync' | 'async' | 'stream'

/** Receives the events of a run; a promise it gives is waited for, except in the blocking face, which refuses it. */
export type Listener<E extends { readonly type: string } = XEvent> = (event: E) => MaybePromise<void>

/**
 * A run, or the part of it that a tool, a reply function or a hook was called in. Operations that take `{ run }` become
 * part of it: its signal stops them, its budget pays for them, its journal keeps them, and its listener gets their events.
 *
 * A run is passed on as it is: a copy (`{ ...run }`) is refused with `invalid-argument`. It ends with the call that was
 * given it; an operation that is started with it later is refused with `invalid-state`.
 */
export interface Run {
  /** How the run was started. */
  readonly face: Face
  /** Fires when the run ends before its work is done: abort, early exit, a failed sibling. Undefined in the blocking face. */
  readonly signal: AbortSignal | undefined
  /** Sends an event into the run; in the streaming face the promise resolves when the consumer asks for the next one. */
  readonly emit: (event: EventBody | XEvent) => MaybePromise<void>
}

/** The run that a function of a program is called in. */
export interface RunContext {
  /** The run to pass on to what the function starts; undefined when it is called by hand. */
  readonly run: Run | undefined
  /** Fires when the run is stopped: `run.signal`. */
  readonly signal?: AbortSignal | undefined
  /** Sends an event into the run: `run.emit`. */
  readonly emit?: Run['emit'] | undefined
  /** The context variables of the chat, where it has any of its own, as that of a group with a pattern. */
  readonly contextVariables?: SharedVariables | undefined
}

/** Options of every asynchronous operation. */
export interface RunOptions {
  /** The run that the operation becomes part of: that of the tool, reply function or hook that starts it. */
  readonly run?: Run | undefined
  /** Stops the operation, which then fails with `aborted`; with a `run`, either of the two stops it. */
  readonly signal?: AbortSignal | undefined
  /** Receives the events of the operation; default: the `run`, or else the `io` of who starts it. */
  readonly emit?: Listener | undefined
}

/** A call of something outside the program's own logic, as a journal knows it. */
export interface ExternalCall {
  readonly kind: JournalKind
  /** Name of the tool or job; calls of other kinds are told apart by their place alone. */
  readonly name?: string | undefined
}

/** A call in a run: its place, what an earlier run kept of it, and how its answer is kept. */
export interface OpenCall {
  /** Place of the call in the run, such as `1.3`. */
  readonly place: string
  /** The run for the call itself: what it starts takes its places below. */
  readonly run: Run
  /** The answer that an earlier run kept. */
  readonly known: { readonly value: unknown } | undefined
  /** Keeps the answer, plain JSON, where the run has a journal. */
  keep(value: unknown): MaybePromise<void>
  /** Whether its answer is kept anywhere. */
  readonly recorded: boolean
  /** A named part of the call, which is kept beside its answer. */
  part(name: string): Pick<OpenCall, 'known' | 'keep'>
  /** Ends the call: what it started in its run and did not wait for is stopped. */
  end(): void
}

/** Chat, path, budget, cache and places, as a run hands them down; `scopeOf` of `@x/kernel/run` reads them. */
export interface RunScope {
  /** Identifier of the chat: `1`, and `1.4` for one inside it; null outside of chats. */
  readonly chatId: string | null
  /** Names of the agents in whose reply this happens, outermost first; null where no agent is involved. */
  readonly agentPath: readonly string[] | null
  /** What all of it may spend together; null: no limit. */
  readonly budget: Budget | null
  /** Where the answers of models are cached; null: each model's own. */
  readonly cache: CacheStore | null
  /** Identifier of what is under way around the next event; null for nothing. */
  readonly spanId: string | null
  /** The kind of the call that all of this is inside of and that is kept as a whole; null for none. */
  readonly callKind: JournalKind | null
  /** Makes an identifier for something that takes time and has no place of its own. */
  newSpanId(): string
  /** Whether somebody listens to events of a type; what nobody listens to is not made. */
  takes(type: XEvent['type']): boolean
  /** The time, in milliseconds since 1970. */
  now(): number
  /** Origin of the events of an agent; undefined where a journal decides whether they are sent. */
  origin?(agent: string | null): EventOrigin | undefined
  /** Sends an event with its origin to `next`; one that the run must not get ends it by `fail`. */
  send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void>
  /** Takes the next place for a call outside; undefined where calls are not kept, as inside the call of a model. */
  open?(run: Run, call: ExternalCall): OpenCall | undefined
}

/**
 * The events of an operation, with its `result`: what the operation without `Stream` gives. Leaving the loop early stops
 * the operation. From the moment somebody waits for `result`, the operation no longer waits for its reader.
 */
export interface EventStream<T, E = XEvent> extends AsyncGenerator<E, T, void> {
  /** What the operation gives. It rejects with `aborted` when the loop was left, and never goes unhandled. */
  readonly result: Promise<T>
}

/** Values that the conditions, tools and hooks of a chat share; every change is seen by all of them at once. */
export interface SharedVariables<C extends object = Record<string, unknown>> {
  /** Returns the value of a variable; undefined without one. */
  get<K extends keyof C>(key: K): C[K]
  /** Sets a variable. */
  set<K extends keyof C>(key: K, value: C[K]): void
  /** Sets several variables. */
  update(changes: Partial<C>): void
  /** Takes a variable out; tells whether there was one. */
  remove(key: keyof C): boolean
  /** Returns all variables in an object of its own. */
  toJSON(): C
}
