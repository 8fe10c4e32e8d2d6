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
import type { LimitsByModel } from '@x/kernel/limits'
import type { CheckedChat } from './check.ts'
import type { DefinedChat, SubmitOptions } from './defined-chat.ts'
import type { FailureGroup } from './failures.ts'
import type {
  CheckOptions,
  EventsOptions,
  FailureOptions,
  ForkOptions,
  HostBudgetOptions,
  HostLimiterOptions,
  ListOptions,
  WorkOptions,
} from './host-options.ts'
import type { MetricGauge } from './monitoring/gauges.ts'

/** The health of a host. */
export interface HostHealth {
  /**
   * False when the process should be replaced: the host is closed, or for a lease the worker could not renew its claims though
   * a new connection can write to the store.
   */
  readonly live: boolean
  /** True if the host can be given work: the store answers, renewals do, and no worker is handing its chats over. */
  readonly ready: boolean
  /** Reasons for which the host is not ready. */
  readonly reasons: readonly string[]
}

/** Hosts chats by identifier. Any process may submit, read, decide and cancel them; workers run them. */
export interface Host {
  /**
   * Submits a chat; it begins when a worker claims it. Submitting the same identifier with the same input again returns the
   * same chat; another input, program or tenant is refused with `invalid-state`.
   */
  submit<I>(chat: DefinedChat<I>, input: NoInfer<I>, options?: SubmitOptions): Promise<HostedChat>
  /** Runs chats until the signal aborts or `SIGTERM` comes, and then releases those under way at once. */
  work(options?: WorkOptions): Promise<void>
  /** Returns a chat as it stands; null when it does not exist. */
  get(id: string): Promise<HostedChat | null>
  /** Waits for the end of a chat; returns the value of its program. Fails as the program failed, and with `aborted` when the chat was cancelled. */
  result(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<unknown>
  /**
   * Sends a message to a chat, for `receive` or an agent that asks a human; fails with `invalid-state` when the chat has ended.
   * With an `id` (1 to 200 characters), the message is sent once, however often this is called, also if the chat has ended
   * since; another message under the same `id` is refused with `invalid-state`.
   */
  send(id: string, message: JsonValue, options?: { readonly id?: string | undefined }): Promise<void>
  /**
   * Sends a message to the run of a chat: its next question to the model of an agent has the message behind the history. The
   * worker that runs the chat hears of it with the next answer that it keeps. A chat without a further question does not take
   * it, nor does one that keeps only its value; the event `steeringMessage` tells that it was taken. Fails, and takes an `id`, as `send` does.
   */
  steer(id: string, text: string, options?: { readonly id?: string | undefined }): Promise<void>
  /** Lists chats: of a state, program, tenant, tag or time, by their identifiers or by their submission. */
  list(options?: ListOptions): AsyncIterable<HostedChat>
  /** Counts the chats of each program and version in each state. */
  counts(): Promise<readonly ChatCount[]>
  /** Lists chats that have not ended and that this host cannot run, because it does not have their program in their version. */
  listStuck(): AsyncIterable<HostedChat>
  /**
   * Reads the events of a chat in order, until the chat has ended: all events, or those after a cursor. When another worker
   * takes over, a model's answer may begin again, with a second `modelCallStart` that is `resumed`.
   */
  events(id: string, options?: EventsOptions): AsyncIterable<LoggedEvent>
  /** Lists tool calls that wait for a decision: all, or those of a chat, tenant or agent. */
  pending(options?: {
    readonly chat?: string | undefined
    readonly agent?: string | undefined
    readonly tenant?: string | undefined
  }): AsyncIterable<{ readonly chat: string; readonly pending: PendingApproval }>
  /** Decides on a pending tool call, once: a second decision is refused with `invalid-state`. */
  decide(
    id: string,
    pendingId: string,
    decision: ApprovalDecision,
    options?: { readonly by?: string | undefined },
  ): Promise<void>
  /** Returns the decisions of a chat, with who made them and when. */
  decisions(id: string): Promise<readonly StoredDecision[]>
  /**
   * Cancels a chat; false when it had ended. A turn under way is stopped, on another worker within a third of the lease. Answers
   * that a vendor works on, in a batch or in the background, are cancelled there by a worker with its program.
   */
  cancel(id: string, reason?: string): Promise<boolean>
  /**
   * Lets a failed chat go on, or all that fit a filter (`{}`: all): from its journal, with its keys, so that nothing that was
   * answered is paid again. A chat that waits to retry runs at once. Returns the number of chats that go on; 0 if a chat has
   * been resumed already. Fails with `invalid-state` for a chat that is done or cancelled.
   */
  resume(which: string | FailureOptions): Promise<number>
  /** Lists what has failed by reason, the most frequent first; reads every failed chat. Chats that wait to retry with `state`. */
  failures(options?: FailureOptions): Promise<readonly FailureGroup[]>
  /**
   * Begins a new chat with the answers of another one before a place in its journal (`1.3`; null: all of them) and the
   * messages among them. What stands at the place or behind it is done anew, by keys of the new chat's own. Returns the new
   * chat; forking to the same `id` with the same input again returns the same chat. The other chat stays as it is.
   */
  fork(id: string, place: string | null, change?: ForkOptions): Promise<HostedChat>
  /**
   * Replays the open and failed chats of a program's name, of all versions, against that program, such as the one that is to
   * be deployed: each comes with what it would do next, or with the reason for which it cannot go on. No call is made, and
   * nothing is written.
   */
  check(program: DefinedChat, options?: CheckOptions): AsyncIterable<CheckedChat>
  /** Deletes a chat that has ended, with its journal and events; false when it does not exist. */
  delete(id: string): Promise<boolean>
  /**
   * Limits the calls of models by all workers together: requests and tokens of a period, and calls in flight, by the name of
   * the model and for each API key; `*` stands for every other model. Pass it as `limiter` of a model's config. Equal limits
   * give the same limiter, so each chat may call this.
   */
  limiter(limits: LimitsByModel, options?: HostLimiterOptions): Limiter
  /** Limits the spending of all workers together, for example of a team and day. Pass it as `budget` of a chat or config. */
  budget(name: string, options: HostBudgetOptions): SharedBudget
  /** Checks whether this process is alive and can be given work. Never fails; the store has two seconds to answer. */
  health(): Promise<HostHealth>
  /**
   * Returns metrics in the text format of Prometheus: chats that have not ended, the work of this process, the calls of
   * models in its chats, and the gauges of the program. Never fails: metrics of a store that does not answer are left out.
   */
  metrics(): Promise<string>
  /** Adds a gauge of the program to the metrics; returns a function that removes it. */
  gauge(gauge: MetricGauge): () => void
  /** Ends `work`, as its signal does, and closes the backend. */
  close(): Promise<void>
}
