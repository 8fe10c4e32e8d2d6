import type { OutputOf, Parameters, StandardSchema } from '@x/agent'
import type {
  Budget,
  ChatKind,
  HostedChat,
  Io,
  Journal,
  JsonSchema,
  MaybePromise,
  Run,
  RunTracer,
  TraceContext,
  UsageSummary,
} from '@x/interfaces'
import type { ApprovalPolicy } from './run/deadlines.ts'
import type { RetryPolicy } from './run/retry.ts'

/** The argument of a program: its chat, and the means to run it. */
export interface ChatRun<I, S = unknown> extends MessageRun<I> {
  /** The state of the last checkpoint; before the first one, the state with which the program begins. */
  readonly state: S
  /**
   * Keeps a state (plain JSON), the agents with which the program has had chats, and the usage: the next start of the program
   * begins here, with this `state` and agents of the same names as they were, and reads nothing from before. Await first what
   * the program has started: what still runs is not part of the checkpoint. All together have at most 1,048,576 characters.
   */
  readonly checkpoint: (state: S) => Promise<void>
}

/** The chat of a program without its state, and the means to run it. */
export interface MessageRun<I> {
  /** Identifier of the chat, and of its run in the keys of tools. */
  readonly id: string
  /** The submitted input, as parsed by the schema of the program. */
  readonly input: I
  /**
   * Returns the usage of all requests of the chat so far, in all processes. Answers from a cache are not among them, nor jobs of
   * a search that other chats have performed: those count them.
   */
  readonly usage: () => UsageSummary
  /** Pass this to every chat, call and search: their answers are recorded, and a worker that takes over continues from them. */
  readonly run: Run
  /** For agents that ask a human: messages sent to the chat are the answers, and the chat waits for them without a process. */
  readonly io: Io
  /**
   * Returns the next message that was sent to the chat. If there is none, the worker suspends the chat, and the program
   * starts again when a message comes: recorded answers of the run are replayed. With a `timeout`, in seconds from now or as a
   * date, it returns undefined if no message has come until then.
   */
  readonly receive: (options?: ReceiveOptions) => Promise<unknown>
  /**
   * Waits for a time, in seconds from now or as a date, at most ten years ahead: the worker suspends the chat, and the program
   * starts again at the time or up to a second later. The time is one of the store, and is recorded: restarts do not change it.
   */
  readonly sleep: (time: number | Date) => Promise<void>
  /** Returns the time of the store, in milliseconds since 1970, and records it: a start that repeats the program gets it again. */
  readonly now: () => Promise<number>
  /**
   * Submits another chat, which goes on by itself, and returns its id; default of the id: one of this chat and of the place in
   * its run. It has the tags, the tenant and the priority of this chat, unless others are given.
   */
  readonly submit: <I2>(chat: DefinedChat<I2>, input: NoInfer<I2>, options?: SubmitOptions) => Promise<string>
  /**
   * Runs a chat of another program as a part of this one, on any free worker, and returns its value. Equal input gives the
   * same part, which a worker that takes over this chat finds again; a failed part is run again. Fails as the part fails.
   * Parts are deleted when this chat ends.
   */
  readonly perform: (chat: DefinedChat, input: unknown, options?: PerformOptions) => Promise<unknown>
}

/** Options of `receive`. */
export interface ReceiveOptions {
  /** Time until which it waits for a message: seconds from now, or a date. Default: however long it takes. */
  readonly timeout?: number | Date | undefined
}

/** Options of `submit`. */
export interface SubmitOptions {
  /** Identifier of the chat; submitting it again gives the same chat. 1 to 200 characters; default: a random one. */
  readonly id?: string | undefined
  /** Earliest time at which the chat may run: a date, or milliseconds since 1970. Default: at once. */
  readonly at?: Date | number | undefined
  /** The trace context that the chat goes on with, such as that of a request; default: the active one, if the host has a `tracer`. */
  readonly trace?: TraceContext | undefined
  /** Words by which `list` finds the chat: at most 20, each of 1 to 100 characters. Default: none. */
  readonly tags?: readonly string[] | undefined
  /** Customer, team or account to which the chat belongs, by which `list` finds it: 1 to 200 characters. Default: none. */
  readonly tenant?: string | undefined
  /** Whether the chat is run before others that wait (`high`), or when no other waits (`low`). Default `normal`. */
  readonly priority?: HostedChat['priority'] | undefined
}

/** Options of `perform`. */
export interface PerformOptions {
  /** Distinguishes parts of equal input. */
  readonly key?: string | undefined
  /** Cancels the part; `perform` then fails with `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** The chat of a message: what a program may do beside its state, and how it ends the chat. */
export interface MessageChat<I> extends MessageRun<I> {
  /** Ends the chat with a value (plain JSON), once the function of the message has returned. */
  readonly end: (value?: unknown) => void
}

/** A schema of a state: zod, any Standard Schema with a JSON Schema, or plain JSON Schema of an object. */
export type StateSchema<S> = StandardSchema<S> | JsonSchema

/** Options of {@link defineChat}, whatever the form of the program. */
export interface CommonDefinition<P extends Parameters, S> {
  /** Name of the program: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** Version of the program: 1 to 64 letters, digits, `.`, `_` and `-`. A chat continues with the version that began it, so change the version when earlier chats could not continue. */
  readonly version: string
  /** Schema of the input: zod, any Standard Schema with a JSON Schema, or plain JSON Schema of an object. Default: anything. */
  readonly input?: P | undefined
  /** Schema of the state, by which a saved state is checked before the program gets it. Default: anything. */
  readonly stateSchema?: StateSchema<S> | undefined
  /**
   * Makes the state of this version from one that another version has saved, or that does not fit `stateSchema`. Default: such a
   * state is refused, and the chat waits for a worker with a program that fits.
   */
  readonly migrate?: ((state: unknown, version: string) => MaybePromise<NoInfer<S>>) | undefined
  /** Earlier versions of the program whose chats this version goes on with, too. Default: none. */
  readonly continues?: readonly string[] | undefined
  /**
   * Most chats of this program at once in a worker; they do not count toward the `concurrency` of `work`. A program that
   * others `perform` needs this option: chats that wait for it would otherwise hold all slots.
   */
  readonly concurrency?: number | undefined
  /**
   * The part of a chat that the store keeps: with `all` (the default) every answer and event; with `value` only the outcome, for
   * programs of one call, which a worker that takes over starts from the beginning. Such a chat fails when it would wait for
   * a decision or message.
   */
  readonly keeps?: 'all' | 'value' | undefined
  /**
   * Errors of the program that pass, such as an overloaded provider or a lost connection: the chat waits with growing delays
   * (1 second to 5 minutes by default, or as long as the provider asks), and runs again from its journal. Any other error ends it.
   * Default: for six hours from the first failure in a row, however many there are.
   */
  readonly retry?: RetryPolicy | undefined
  /** How long questions for a decision wait, and what happens then. Default: however long it takes. */
  readonly approvals?: ApprovalPolicy | undefined
}

/** Options of {@link defineChat} for a program that is a function. */
export interface ChatDefinition<P extends Parameters, R, S = unknown> extends CommonDefinition<P, S> {
  /** The state with which a chat begins, or a function that makes it of the input; plain JSON. Default: undefined. */
  readonly state?: S | ((input: OutputOf<P>) => S) | undefined
  /**
   * The program. It starts again whenever the chat continues, and must make the same calls in the same order: the work of a
   * start grows with all that the chat has done since its last checkpoint. Its value is plain JSON.
   */
  readonly run: (chat: ChatRun<OutputOf<P>, NoInfer<S>>) => MaybePromise<R>
  readonly onMessage?: undefined
}

/** Options of {@link defineChat} for a conversation: a state, and a function for each message. */
export interface ConversationDefinition<P extends Parameters, S> extends CommonDefinition<P, S> {
  /** The state with which a chat begins, or a function that makes it of the input; plain JSON. */
  readonly state: S | ((input: OutputOf<P>) => S)
  /**
   * Takes one message that was sent to the chat, and returns the next state; without a result, the same state counts, with its
   * changes. After each message there is a checkpoint: a message late in a chat costs what the first one did, as long as the
   * state and the histories of the agents do not grow. While it waits for a decision it starts again, with the same state.
   * Calls that still run when it returns are stopped.
   */
  readonly onMessage: (
    state: NoInfer<S>,
    message: unknown,
    run: Run,
    chat: MessageChat<OutputOf<P>>,
  ) => MaybePromise<NoInfer<S> | void>
  readonly run?: undefined
}

/** A state as a checkpoint keeps it, with the version of the program that saved it. */
export interface SavedState {
  readonly state: unknown
  readonly program: string
}

/** Starts a hosted chat again, as `replay` and `forkRun` of `@x/records` ask for it. */
export type RepeatedChat = (options: {
  readonly journal: Journal
  readonly tracer?: RunTracer
  readonly budget?: Budget
}) => Promise<unknown>

/** The program of hosted chats. */
export interface DefinedChat<I = never, R = unknown> extends ChatKind {
  /** Checks an input; returns it as the program gets it. Fails with `invalid-argument`. */
  readonly check: (input: unknown) => Promise<unknown>
  readonly run: (chat: ChatRun<I>) => MaybePromise<R>
  /** Returns the state with which a start of the program begins. Fails with `invalid-state` for a saved one that does not fit. */
  readonly begin: (saved: SavedState | null, input: unknown) => Promise<unknown>
  /** Returns a state as a checkpoint keeps it. */
  readonly save: (state: unknown) => SavedState
  /** Earlier versions whose chats the program goes on with. */
  readonly continues: readonly string[]
  readonly concurrency?: number | undefined
  readonly keeps?: 'all' | 'value' | undefined
  readonly retry?: RetryPolicy | undefined
  readonly approvals?: ApprovalPolicy | undefined
  /**
   * Returns the program with an input for `replay`, `expectReplay`, `x log test` and `forkRun`: it starts from the beginning,
   * and takes messages, decisions, values of parts and ids of submitted chats from the record of its chat. Where the record
   * lacks one of them, it fails with `invalid-state`, and with `suspended` where it waits for a message.
   */
  readonly repeat: (input: unknown) => RepeatedChat
}
