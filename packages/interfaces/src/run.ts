import type { Budget } from './budget.ts'
import type { CacheStore } from './cache.ts'
import type { EventBody, EventOptions, XEvent } from './event.ts'
import type { JournalEntry, JournalKind } from './journal.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ChatMessage } from './message.ts'
import type { UsageSummary } from './usage.ts'

/** How an operation is run: blocking (`xSync`), as a promise (`x`) or as a stream of events (`xStream`). */
export type Face = 'sync' | 'async' | 'stream'

/** Receives the events of a run. A returned promise is awaited; blocking operations refuse it. */
export type Listener<E extends { readonly type: string } = XEvent> = (event: E) => MaybePromise<void>

/**
 * A run, or the part of a run in which a tool, a reply function or a hook is called. Operations with `{ run }` become part of
 * it: its signal stops them, its budget limits them, its journal keeps them, and its listener receives their events.
 *
 * Pass a run on as it is: a copy (`{ ...run }`) is refused with `invalid-argument`. It ends with the call that received it; a
 * later operation with it is refused with `invalid-state`.
 */
export interface Run {
  /** How the run was started. */
  readonly face: Face
  /** Fires when the run ends before its work is done: abort, early exit, a failed sibling. Undefined in blocking operations. */
  readonly signal: AbortSignal | undefined
  /** Sends an event into the run; in a stream the promise resolves when the consumer asks for the next event. */
  readonly emit: (event: EventBody | XEvent) => MaybePromise<void>
}

/** The trace context of a span by the W3C recommendation, as headers: another program goes on with the trace by it. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string | undefined
}

/** Follows runs as traces, as `traceRuns` of `@x/otel` does. Its methods never throw. */
export interface RunTracer {
  /** Begins to follow a run. `context` is that of the span around it; default: the active one of the platform, if any. */
  begin(context?: TraceContext): RunTrace
}

/** The trace of one run. Its methods never throw. */
export interface RunTrace {
  /** The types of events that it takes; others are not made for it. */
  readonly takes: ReadonlySet<XEvent['type']>
  /** True if it takes events again that an earlier process has told, where the `events` options send them; default false. */
  readonly takesRecalled?: boolean | undefined
  /**
   * True if two kinds of spans are not made for it alone, which are parts of others: the replies of the two agents of a chat,
   * and the calls of models that tell of their attempts; `answers` for the replies of agents with nothing but a model, and for
   * those calls. It is told of those that a listener takes. Default false.
   */
  readonly skipsParts?: boolean | 'answers' | undefined
  /** True if requests to models and tools of other programs carry the trace context of their spans. */
  readonly propagates: boolean
  /**
   * Takes an event of the run, as its `events` options want it. If no listener takes it, the `digest` of an attempt is empty;
   * if `skipsParts` is true, the `messages` of a `chatEnd` are null too.
   */
  take(event: XEvent): void
  /** Returns the trace context of a span of the run, by the `id` of its events, or of the span around the run (null). */
  contextOf(spanId: string | null): TraceContext | undefined
  /** Takes the messages of the request of an attempt; absent if content is not wanted. */
  takeRequest?(spanId: string, messages: readonly ChatMessage[]): void
  /**
   * Takes the beginning of a request for vectors or for a count of tokens, of which no event tells, and returns what takes its
   * end; absent if they are not wanted. Times are milliseconds since 1970.
   */
  beginOperation?(operation: {
    readonly name: 'embed' | 'countTokens'
    readonly id: string
    readonly parentId: string | null
    readonly agent: string | null
    readonly configId: number
    readonly provider: string | null
    /** Host of the endpoint, with its port. */
    readonly endpoint: string | null
    readonly model: string | null
    readonly time: number
  }): (end: {
    readonly time: number
    /** Kind of a failure, or code of an error; null for a result. */
    readonly failure: string | null
    /** Model that answered. */
    readonly model: string | null
    /** Tokens of the texts or of the request; null if nothing was sent. */
    readonly tokens: number | null
    /** US dollars; null if the price is not known. */
    readonly cost: number | null
    /** Numbers of a vector; null for a count. */
    readonly dimensions: number | null
  }) => void
  /** Takes the calls outside of the program, as a journal would; absent if they are not wanted. */
  readonly calls?: RunCalls | undefined
  /** Another trace of the run, to which this one passes on what that takes. */
  readonly beside?: RunTrace | undefined
}

/** Takes what a run asks outside of the program, and what it is answered. Its methods never throw. */
export interface RunCalls {
  /**
   * Takes the beginning of the calls of a run: its id, whether questions wait in a journal for their answers, and whether the
   * run goes on from the journal of an earlier process.
   */
  begin(run: { readonly runId: string; readonly waits: boolean; readonly resumed: boolean }): void
  /**
   * Takes what a call asks, before it is made or its answer is recalled. `input` is not copied, and may hold objects that the
   * program goes on to use.
   */
  takeInput(call: ExternalCall & { readonly place: string }, input: CallInput): void
  /** Takes an entry as a journal keeps it, with its texts as they are; those of a resumed run are not told again. */
  takeEntry(entry: JournalEntry): void
  /** Takes the reason why the entries do not suffice to repeat the run. */
  fail(reason: string): void
}

/** The parts of what a call asks, such as `messages` and `settings` of a model, or `arguments` of a tool. */
export type CallInput = Readonly<Record<string, unknown>>

/** The context in which a function of a program is called. */
export interface RunContext {
  /** The run to pass on to operations that the function starts; undefined outside of runs. */
  readonly run: Run | undefined
  /** Fires when the run is stopped: `run.signal`. */
  readonly signal?: AbortSignal | undefined
  /** Sends an event into the run: `run.emit`. */
  readonly emit?: Run['emit'] | undefined
  /** The context variables of the chat, if it has its own, as a group with a pattern has. */
  readonly contextVariables?: SharedVariables | undefined
}

/** Options of every asynchronous operation. */
export interface RunOptions {
  /** The run to become part of: that of the tool, reply function or hook that starts the operation. */
  readonly run?: Run | undefined
  /** Stops the operation, which then fails with `aborted`; with a `run`, either of the two stops it. */
  readonly signal?: AbortSignal | undefined
  /** Receives the events of the operation; default: the `run`, or else the `io` of the starting agent. */
  readonly emit?: Listener | undefined
  /** Content of the events; default: as in the `run`, or everything. */
  readonly events?: EventOptions | undefined
  /** Follows the operation as a trace, beside its listener; with a `run`, the tracer of that run does. Default: none. */
  readonly tracer?: RunTracer | undefined
}

/** A source of messages for a run under way. */
export interface SteeringSource {
  /**
   * Returns the messages that came since it was asked last, oldest first. It is asked before each call of an agent's model;
   * messages are plain JSON, which a journal keeps, and the model is sent each `text`.
   */
  take(): MaybePromise<readonly { readonly text: string }[]>
  /** True while nothing has come, so that `take` need not be called. Absent: it is. */
  readonly isEmpty?: boolean | undefined
  /** Called when the run has ended, or waits for a decision: nothing is taken any more. */
  end?(): void
}

/** A call outside the program's own logic, as a journal identifies it. */
export interface ExternalCall {
  readonly kind: JournalKind
  /** Name of the tool or job; for other kinds the place identifies the call. */
  readonly name?: string | undefined
}

/** A call in a run, with its place, its earlier answer and the journal. */
export interface OpenCall {
  /** Place of the call in the run, such as `1.3`. */
  readonly place: string
  /** Id of a span of the call: its place, unless a chat inside another has a journal of its own. */
  readonly spanId: string
  /** True if an earlier process began the call. */
  readonly begunBefore: boolean
  /** The run of the call itself, whose calls have places below this place. */
  readonly run: Run
  /** The answer from the journal of an earlier run. */
  readonly known: { readonly value: unknown } | undefined
  /** True if the listener of the earlier run may not have taken the event that tells the answer: it is told again. */
  readonly isUntold: boolean
  /** Asks the journal before the call is made, which waits until this resolves. Absent: the call may be made. */
  beforeCall?(): MaybePromise<void>
  /** Keeps the answer as plain JSON, if the run has a journal. `isTold` is false while a listener has to take its event. */
  keep(value: unknown, isTold?: boolean): MaybePromise<void>
  /** True if a journal keeps the answer. */
  readonly recorded: boolean
  /** Tells what the call asks; absent if nobody takes it. */
  readonly noteInput?: ((input: CallInput) => void) | undefined
  /** Returns a named part of the call, which is kept beside its answer. */
  part(name: string): CallPart
  /** Ends the call and stops operations that it started and did not await. */
  end(): void
}

/** Something that a journal keeps beside the answer of a call. */
interface CallPart extends Pick<OpenCall, 'known' | 'beforeCall' | 'keep' | 'noteInput'> {
  /**
   * Leaves the process for some seconds: the promise never resolves, and the run is called again from its journal when the time
   * has come. Undefined for a time so short that whoever asks waits itself; absent where a run only waits in its process. Throws
   * `aborted` once nobody goes on with the run: what is awaited is cancelled where it is made.
   */
  readonly leave?: ((seconds: number) => Promise<never> | undefined) | undefined
}

/** Chat, path, budget, cache and places that a run passes down; `scopeOf` of `@x/kernel/run` reads them. */
export interface RunScope {
  /** Id of the chat: `1`, and `1.4` for a chat inside it; null outside of chats. */
  readonly chatId: string | null
  /** Names of the replying agents, outermost first; null without agents. */
  readonly agentPath: readonly string[] | null
  /** The budget of the run; null: no limit. */
  readonly budget: Budget | null
  /** The cache of model answers; null: each model's own cache. */
  readonly cache: CacheStore | null
  /** Id of the enclosing span; null for none. */
  readonly spanId: string | null
  /** The trace of the run; absent if nobody follows it. */
  readonly trace?: RunTrace | undefined
  /** Follows each operation of agents in it as a run of its own; absent: they are parts of `trace`. */
  readonly tracer?: RunTracer | undefined
  /** True if the trace takes the messages of requests, because the options of the events leave nothing out. */
  readonly tracesRequests?: boolean | undefined
  /** The spans that are not made, as parts of others: `skipsParts` of the trace, if that alone takes spans. */
  readonly skipsParts?: boolean | 'answers' | undefined
  /** True if the listener wants again what an earlier process has told, marked `recalled`. */
  readonly tellsRecalled?: boolean | undefined
  /** The kind of the enclosing call that the journal keeps as a whole; null for none. */
  readonly callKind: JournalKind | null
  /** Makes an id for a span without a place of its own. */
  newSpanId(): string
  /** Returns the scope of what happens in a span: its events have the span as their parent. */
  inside(spanId: string): RunScope
  /** Returns the scope of an operation with a listener of its own, who gets every event. */
  heard(options: EventOptions | undefined): RunScope
  /** Tells whether somebody takes events of a type, a listener or the trace; other events are not made. */
  takes(type: XEvent['type']): boolean
  /** Tells whether a listener takes events of a type, and not the trace alone; absent: as `takes`. */
  hears?(type: XEvent['type']): boolean
  /** Returns the time in milliseconds since 1970. */
  now(): number
  /** Sends an event with its envelope to `next`; an error that must end the run goes to `fail`. */
  send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void>
  /** Opens an external call at the next place; undefined where calls are not kept, as inside a model call. */
  open?(run: Run, call: ExternalCall): OpenCall | undefined
  /** Returns a named part of the call around that is kept as a whole; undefined without one. */
  part?(run: Run, name: string): CallPart | undefined
  /** Counts what a model has used that no agent of the run has asked; absent if nobody counts. */
  countUsage?(used: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }): void
}

/**
 * The events of an operation, with the `result` that the operation without `Stream` returns. Leaving the loop early stops the
 * operation. Once `result` is awaited, the operation no longer waits for the reader of its events.
 */
export interface EventStream<T, E = XEvent> extends AsyncGenerator<E, T, void> {
  /** The result of the operation. It rejects with `aborted` if the loop was left, and is never reported as unhandled. */
  readonly result: Promise<T>
}

/** Values that the conditions, tools and hooks of a chat share; a change is visible to all of them at once. */
export interface SharedVariables<C extends object = Record<string, unknown>> {
  /** Returns the value of a variable; undefined if it is not set. */
  get<K extends keyof C>(key: K): C[K]
  /** Sets a variable. */
  set<K extends keyof C>(key: K, value: C[K]): void
  /** Sets several variables. */
  update(changes: Partial<C>): void
  /** Removes a variable; returns whether it was set. */
  remove(key: keyof C): boolean
  /** Returns all variables in a new object. */
  toJSON(): C
}
