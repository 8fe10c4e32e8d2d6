import type {
  ApprovalDecision,
  ChatCount,
  HostedChat,
  JsonValue,
  Limiter,
  LoggedEvent,
  PendingApproval,
  SharedBudget,
  StoredDecision,
} from '@x/interfaces'
import type { LimitsByModel } from '@x/kernel/limiter'
import type { DefinedChat } from './define-chat.ts'
import type { EventsOptions, ListOptions, SubmitOptions, WorkOptions } from './host-options.ts'
import type { MetricGauge } from './monitoring/gauges.ts'
import type { HostBudgetOptions, HostLimiterOptions } from './shared/shared-options.ts'

/** How a host is. */
export interface HostHealth {
  /** Whether the process is to go on: the host is not closed. */
  readonly live: boolean
  /** Whether it can be given work: the store answers, and it does not hand its chats over. */
  readonly ready: boolean
  /** Why it is not ready. */
  readonly reasons: readonly string[]
}

/** Chats by identifier, over processes: any of them may submit, read, decide and cancel; workers run them. */
export interface Host {
  /**
   * Hands in a chat, which begins when a worker takes it up. The same identifier with the same input is the same chat,
   * however often; with another input or program it is refused with `invalid-state`.
   */
  submit<I>(chat: DefinedChat<I>, input: NoInfer<I>, options?: SubmitOptions): Promise<HostedChat>
  /** Takes up chats until the signal or `SIGTERM`, and then gives back at once those under way. */
  work(options?: WorkOptions): Promise<void>
  /** A chat as it stands; null when there is none. */
  get(id: string): Promise<HostedChat | null>
  /** Waits for the end of a chat; gives its value. Fails where the chat did, and with `aborted` when it was cancelled. */
  result(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<unknown>
  /** Sends a message to a chat, for `receive` or a human's answer; refused with `invalid-state` when the chat has ended. */
  send(id: string, message: JsonValue): Promise<void>
  /** Chats in the order of their identifiers. */
  list(options?: ListOptions): AsyncIterable<HostedChat>
  /** How many chats of each program and version stand in each state. */
  counts(): Promise<readonly ChatCount[]>
  /** Chats that have not ended and whose program, in their version, this host does not have. */
  listStuck(): AsyncIterable<HostedChat>
  /**
   * The events of a chat in order, until the chat has ended: all of them, or those behind a cursor. After a takeover a
   * model's answer may begin again; its `modelCallStart` then comes a second time.
   */
  events(id: string, options?: EventsOptions): AsyncIterable<LoggedEvent>
  /** Calls that wait for a decision, of all chats or of one agent in them. */
  pending(options?: {
    readonly agent?: string | undefined
  }): AsyncIterable<{ readonly chat: string; readonly pending: PendingApproval }>
  /** Decides on what waits, once: a second decision is refused with `invalid-state`. */
  decide(
    id: string,
    pendingId: string,
    decision: ApprovalDecision,
    options?: { readonly by?: string | undefined },
  ): Promise<void>
  /** The decisions of a chat, with who made them and when. */
  decisions(id: string): Promise<readonly StoredDecision[]>
  /** Ends a chat; false when it had ended. What is under way is stopped, by another worker within a third of its lease. */
  cancel(id: string, reason?: string): Promise<boolean>
  /** Forgets a chat that has ended, with its journal and events; false when there is none. */
  delete(id: string): Promise<boolean>
  /**
   * Limits how often models are asked by all workers together: requests and tokens of a period, and calls under way, by the
   * name of the model and for each API key; `*` stands for every other model. `limiter` of a model's config takes it. Who
   * gives equal limits again gets the same limiter, so that each chat may make its own.
   */
  limiter(limits: LimitsByModel, options?: HostLimiterOptions): Limiter
  /** Limits what all workers together may spend, such as for a team and day. `budget` of a chat or config takes it. */
  budget(name: string, options: HostBudgetOptions): SharedBudget
  /** Says whether this process is to go on and can be given work. Never fails; the store has two seconds to answer. */
  health(): Promise<HostHealth>
  /**
   * Metrics in the text format of Prometheus: chats that have not ended, what the workers of this process do, the calls of
   * models in their chats, and gauges of the program. Never fails: what a store does not answer is left out.
   */
  metrics(): Promise<string>
  /** Adds a value of the program's own to the metrics; gives what takes it away. */
  gauge(gauge: MetricGauge): () => void
  /** Closes the backend. End the work before. */
  close(): Promise<void>
}
