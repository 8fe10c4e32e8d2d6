import type {
  ApprovalDecision,
  ChatCount,
  ChatOutcome,
  HostBackend,
  HostedChat,
  JsonValue,
  Limiter,
  LoggedEvent,
  PendingApproval,
  RunTracer,
  SharedBudget,
  StoredDecision,
} from '@x/interfaces'
import { fork } from '@x/agent'
import { XError } from '@x/kernel'
import { warnThat } from '@x/kernel/hosting'
import type { LimitsByModel } from '@x/kernel/limits'
import { checkOptions } from '@x/kernel/options'
import { decideOn, PendingApprovals } from './approvals.ts'
import { checkChats, type CheckedChat } from './check.ts'
import { checkWhole, endedChat, outcomeError, unknownChat } from './chat-errors.ts'
import type { DefinedChat, SubmitOptions } from './defined-chat.ts'
import {
  checkHost,
  checkId,
  checkKnownId,
  checkProgram,
  HOST_OPTION_KINDS,
  type CheckOptions,
  type EventsOptions,
  type FailureOptions,
  type ForkOptions,
  type HostBudgetOptions,
  type HostLimiterOptions,
  type HostOptions,
  type ListOptions,
  type WorkOptions,
} from './host-options.ts'
import { failedChats, failureReason, groupFailures, type FailureGroup } from './failures.ts'
import type { Host, HostHealth } from './host.ts'
import { listBy, listChats } from './list-chats.ts'
import { exposition } from './monitoring/exposition.ts'
import { Gauges, type MetricGauge } from './monitoring/gauges.ts'
import { HostCounters } from './monitoring/host-counters.ts'
import { hostMetrics } from './monitoring/host-metrics.ts'
import { isSameMessage, plainJson } from './plain-json.ts'
import { ignoreUnheard, isProcessEnding, newId, onSigterm, withTimeout } from './platform.ts'
import { ChatWatcher } from './run/chat-watcher.ts'
import { cancelChat } from './run/cancelling.ts'
import { deleteChat, endParts } from './run/parts.ts'
import { steeringMessage, steeringText, usedMessages } from './run/messages.ts'
import { PROBE_ID } from './run/renewals.ts'
import { isOfEndedProgram, isOfStop } from './run/turn-stop.ts'
import { Worker } from './run/worker.ts'
import { SharedLimits } from './shared/shared-limits.ts'
import { submissionOf, submitOnce } from './submission.ts'
import { checkWebhooks } from './webhook.ts'
import { Webhooks } from './webhooks.ts'

/** Number of chats that are resumed at once. */
const RESUMES_PER_BATCH = 20
/** Time within which a store has to answer for its host to be ready. */
const HEALTH_TIMEOUT_S = 2

/** Hosts chats: see `docs/hosting-chats.md`. */
export function createHost(options: HostOptions): Host {
  checkHost(options)
  checkWebhooks(options.webhooks, options.chats)
  return new StoreHost(options)
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

/** Adds each program once more for every earlier version that it continues, and that the host does not have. */
function withContinued(chats: readonly DefinedChat[]): readonly DefinedChat[] {
  const has = (name: string, version: string): boolean =>
    chats.some((each) => each.name === name && each.version === version)
  return chats.flatMap((chat) => [
    chat,
    ...chat.continues.filter((version) => !has(chat.name, version)).map((version) => ({ ...chat, version })),
  ])
}

class StoreHost implements Host {
  readonly #chats: readonly DefinedChat[]
  readonly #backend: HostBackend
  readonly #retention: number | undefined
  readonly #events: HostOptions['events']
  readonly #tracer: RunTracer | undefined
  readonly #webhooks: Webhooks | undefined
  readonly #workers = new Map<Worker, Promise<void>>()
  readonly #ending = new AbortController()
  readonly #watcher: ChatWatcher
  readonly #shared: SharedLimits
  readonly #counters = new HostCounters()
  readonly #gauges = new Gauges()
  readonly #pending: PendingApprovals
  readonly #warnOfError = warnThat('a worker of hosted chats goes on after an error')
  #isTerminated = false
  #closing: Promise<void> | undefined

  constructor({ chats, at, retention, events, tracer, webhooks }: HostOptions) {
    this.#backend = at
    this.#retention = retention === Infinity ? undefined : retention
    this.#events = events
    this.#tracer = tracer
    this.#watcher = new ChatWatcher(at, (id) => {
      for (const worker of this.#workers.keys()) worker.followed(id)
    })
    this.#webhooks = webhooks && new Webhooks(webhooks, at, this.#watcher)
    this.#chats = withContinued(this.#webhooks ? [...chats, this.#webhooks.program] : chats)
    const limits = 'limits and budgets of hosted chats go on without their store, which does not answer'
    this.#shared = new SharedLimits(at.records, warnThat(limits))
    this.#pending = new PendingApprovals(at.store, warnThat('`host.pending` leaves out a damaged question'))
  }

  async submit<I>(definition: DefinedChat<I>, input: I, options: SubmitOptions = {}): Promise<HostedChat> {
    const defaults = { id: newId(), trace: this.#tracer?.begin().contextOf(null) }
    return await submitOnce(this.#backend, await submissionOf(definition, input, options, defaults))
  }

  async work(options: WorkOptions = {}): Promise<void> {
    checkOptions(options, HOST_OPTION_KINDS.work, 'run `work`')
    if (this.#closing) throw new XError('invalid-state', 'cannot run `work`: the host is closed; create another one')
    if (isProcessEnding()) throw new XError('invalid-state', 'cannot run `work`: the process ends by `SIGTERM`')
    const { concurrency = 10, lease = 30, signal, onError = this.#warnOfError } = options
    const stop = new AbortController()
    this.#isTerminated = false
    using _ = onSigterm(() => {
      this.#isTerminated = true
      stop.abort()
    })
    // A program may await something else while a call of it is stopped, or end without awaiting it.
    using _unheard = ignoreUnheard((error) => {
      if (isOfStop(error)) return true
      if (!isOfEndedProgram(error)) return false
      onError(error)
      return true
    })
    const worker = new Worker(this.#backend, {
      chats: this.#chats,
      concurrency,
      lease,
      onError,
      retention: this.#retention,
      events: this.#events,
      tracer: this.#tracer,
      webhooks: this.#webhooks,
      counters: this.#counters,
      watcher: this.#watcher,
      signal: AbortSignal.any([...(signal ? [signal] : []), stop.signal, this.#ending.signal]),
    })
    const working = worker.work()
    this.#workers.set(worker, working)
    try {
      await working
    } finally {
      this.#workers.delete(worker)
      // Saves the spending of the chats that were stopped.
      await this.#shared.flush()
    }
  }

  async get(id: string): Promise<HostedChat | null> {
    return await this.#backend.store.get(checkKnownId(id, 'run `get`'))
  }

  async result(id: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<unknown> {
    checkOptions(options, HOST_OPTION_KINDS.result, 'run `result`')
    checkKnownId(id, 'run `result`')
    const findOutcome = async (): Promise<ChatOutcome | undefined> => {
      const chat = (await this.get(id)) ?? unknownChat(id)
      if (!chat.outcome) checkWhole(chat)
      return chat.outcome ?? undefined
    }
    const outcome = await this.#watcher.until(id, findOutcome, options)
    if (outcome.state === 'done') return outcome.value
    throw outcomeError(id, outcome)
  }

  async send(id: string, message: JsonValue, options: { readonly id?: string | undefined } = {}): Promise<void> {
    const attempt = 'run `send`'
    checkOptions(options, HOST_OPTION_KINDS.send, attempt)
    const json = plainJson(message, attempt, 'the message')
    if (steeringText(json) === undefined) return await this.#sendOnce(id, json, options.id)
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: its message is one of \`steer\`; call \`host.steer(id, text)\``,
    )
  }

  async steer(id: string, text: string, options: { readonly id?: string | undefined } = {}): Promise<void> {
    const attempt = 'run `steer`'
    checkOptions(options, HOST_OPTION_KINDS.send, attempt)
    checkOptions({ text }, HOST_OPTION_KINDS.steer, attempt)
    await this.#sendOnce(id, steeringMessage(text), options.id)
  }

  /** Sends a message, once if it has a `key`. */
  async #sendOnce(id: string, json: unknown, key: string | undefined): Promise<void> {
    const { store } = this.#backend
    const messageId = key === undefined ? undefined : checkId(key, 'send a message by its `id`')
    const sent = await store.send(checkKnownId(id, 'send a message'), json, messageId)
    if (sent === 'ended') return await endedChat(store, id, 'send a message to')
    if ('known' in sent && !isSameMessage(sent.known, json)) {
      const problem = `cannot send a message to the chat \`${id}\`: it has another one with the \`id\` \`${messageId}\`; give another \`id\``
      throw new XError('invalid-state', problem, { details: { id, message: messageId } })
    }
    // Also for a message that was sent before: that process may have died before it enqueued the chat.
    const chat = 'known' in sent ? await store.get(id) : sent
    if (chat) await this.#enqueue(chat)
  }

  async *list(options: ListOptions = {}): AsyncGenerator<HostedChat> {
    checkOptions(options, HOST_OPTION_KINDS.list, 'run `list`')
    yield* listBy(this.#backend.store, options)
  }

  async counts(): Promise<readonly ChatCount[]> {
    return await this.#backend.store.counts()
  }

  async *listStuck(): AsyncGenerator<HostedChat> {
    for (const { name, version, state } of await this.#backend.store.counts({ open: true })) {
      if (this.#chats.some((own) => own.name === name && own.version === version)) continue
      yield* listChats(this.#backend.store, { state, kind: { name, version } })
    }
  }

  events(id: string, options: EventsOptions = {}): AsyncIterableIterator<LoggedEvent> {
    const left = new AbortController()
    const reading = this.#readEvents(id, options, left.signal)
    return {
      next: async () => await reading.next(),
      // A generator alone would wait for its `next`, and that for a chat in which nothing may ever happen.
      async return() {
        left.abort()
        return await reading.return(undefined)
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  async *#readEvents(id: string, options: EventsOptions, left: AbortSignal): AsyncGenerator<LoggedEvent> {
    checkOptions(options, HOST_OPTION_KINDS.events, 'run `events`')
    checkKnownId(id, 'run `events`')
    const { signal } = options
    yield* this.#watcher.events(id, { ...options, signal: signal ? AbortSignal.any([signal, left]) : left })
  }

  async *pending(
    options: Parameters<Host['pending']>[0] = {},
  ): AsyncGenerator<{ chat: string; pending: PendingApproval }> {
    checkOptions(options, HOST_OPTION_KINDS.pending, 'run `pending`')
    yield* this.#pending.of(options)
  }

  async decide(
    id: string,
    pendingId: string,
    decision: ApprovalDecision,
    options: { readonly by?: string | undefined } = {},
  ): Promise<void> {
    checkOptions(options, HOST_OPTION_KINDS.decide, 'run `decide`')
    checkKnownId(id, 'run `decide`')
    await this.#enqueue(await decideOn(this.#backend.store, { id, pendingId }, decision, options.by ?? null))
  }

  async decisions(id: string): Promise<readonly StoredDecision[]> {
    return await this.#backend.store.decisions(checkKnownId(id, 'run `decisions`'))
  }

  async cancel(id: string, reason = 'cancelled'): Promise<boolean> {
    checkOptions({ reason }, HOST_OPTION_KINDS.cancel, 'run `cancel`')
    const open = this.#webhooks && (await this.get(id))
    if (open && !open.outcome) await this.#webhooks?.ended(open)
    const chat = await cancelChat(this.#backend, checkKnownId(id, 'run `cancel`'), reason)
    if (chat === 'ended') return false
    // A worker has taken it up meanwhile: the notice from before is not about this end.
    if (open && open.epoch !== chat.epoch) await this.#webhooks?.ended(chat)
    for (const worker of this.#workers.keys()) worker.cancelled(id)
    await endParts(this.#backend, chat)
    return true
  }

  async resume(which: string | FailureOptions): Promise<number> {
    if (typeof which === 'string') return await this.#resumeOne(checkKnownId(which, 'run `resume`'))
    checkOptions(which ?? null, HOST_OPTION_KINDS.failures, 'run `resume`')
    let count = 0
    let batch: Promise<number>[] = []
    for await (const { chat, why } of failedChats(this.#backend, which)) {
      batch.push(this.#resumeChat(chat.id, why.message))
      if (batch.length < RESUMES_PER_BATCH) continue
      count += sum(await Promise.all(batch))
      batch = []
    }
    return count + sum(await Promise.all(batch))
  }

  async #resumeOne(id: string): Promise<number> {
    const chat = (await this.get(id)) ?? unknownChat(id)
    const why = failureReason(chat)
    if (why) return await this.#resumeChat(id, why.message)
    if (chat.outcome) return await endedChat(this.#backend.store, id, 'resume')
    // Also for a chat that was resumed before: that process may have died before it enqueued the chat.
    await this.#enqueue(chat)
    return 0
  }

  /** Resumes a chat; returns 1, or 0 if another process has resumed it. */
  async #resumeChat(id: string, reason: string): Promise<number> {
    const chat = await this.#backend.store.resume(id, reason)
    if (chat) await this.#enqueue(chat)
    return chat ? 1 : 0
  }

  async failures(options: FailureOptions = {}): Promise<readonly FailureGroup[]> {
    checkOptions(options, HOST_OPTION_KINDS.failures, 'run `failures`')
    return await groupFailures(this.#backend, options)
  }

  async fork(id: string, place: string | null, change: ForkOptions = {}): Promise<HostedChat> {
    const attempt = 'fork a chat'
    checkOptions(change, HOST_OPTION_KINDS.fork, attempt)
    const forkId = checkId(change.id ?? newId(), attempt)
    const origin = (await this.get(id)) ?? unknownChat(id)
    checkWhole(origin)
    const { name, version } = change.chat ?? origin
    const input = change.input === undefined ? origin.input : plainJson(change.input, attempt, 'its input')
    const program = change.chat ?? this.#chats.find((own) => own.name === name && own.version === version)
    await program?.check(input)
    const { store } = this.#backend
    const entries = fork(await store.entries(id), place, { runId: forkId, version })
    const messages = usedMessages(id, entries, await store.messages(id))
    const { tags, tenant, priority } = origin
    const labels = { tags, tenant, priority }
    return await submitOnce(this.#backend, { id: forkId, name, version, input, entries, messages, ...labels }, attempt)
  }

  async *check(program: DefinedChat, options: CheckOptions = {}): AsyncGenerator<CheckedChat> {
    checkProgram(program)
    checkOptions(options, HOST_OPTION_KINDS.check, 'run `check`')
    yield* checkChats(this.#backend, program, options)
  }

  async delete(id: string): Promise<boolean> {
    const chat = await this.get(id)
    if (!chat) return false
    if (!chat.outcome) {
      throw new XError('invalid-state', `cannot delete the chat \`${id}\`: it has not ended; call \`cancel\` first`)
    }
    return await deleteChat(this.#backend, id)
  }

  limiter(limits: LimitsByModel, options?: HostLimiterOptions): Limiter {
    return this.#shared.limiter(limits, options)
  }

  budget(name: string, options: HostBudgetOptions): SharedBudget {
    return this.#shared.budget(name, options)
  }

  async health(): Promise<HostHealth> {
    const reasons: string[] = []
    const isOpen = this.#closing === undefined
    if (!isOpen) reasons.push('the host is closed')
    const isStuck = [...this.#workers.keys()].some((worker) => worker.isStuck)
    if (isStuck) reasons.push('the worker cannot renew its claims, though a new connection can write: start it again')
    const silence = Math.max(...[...this.#workers.keys()].map((worker) => worker.silence ?? 0))
    if (silence > 0) reasons.push(`the worker has not renewed its claims for ${Math.round(silence)} seconds`)
    const isEnding = this.#isTerminated || [...this.#workers.keys()].some((worker) => worker.isEnding)
    if (isEnding) reasons.push('the worker hands its chats over')
    if (isOpen && !(await this.#storeAnswers())) reasons.push(`the store (${this.#backend.name}) does not answer`)
    return { live: isOpen && !isStuck, ready: reasons.length === 0, reasons }
  }

  async #storeAnswers(): Promise<boolean> {
    try {
      await withTimeout(() => this.#backend.store.get(PROBE_ID), HEALTH_TIMEOUT_S)
      return true
    } catch {
      return false
    }
  }

  async metrics(): Promise<string> {
    const [state, gauges] = await Promise.all([
      hostMetrics(this.#backend.store, this.#chats, [...this.#workers.keys()]),
      this.#gauges.read(),
    ])
    return exposition([...state, ...this.#counters.metrics, ...gauges])
  }

  gauge(gauge: MetricGauge): () => void {
    return this.#gauges.add(gauge)
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #close(): Promise<void> {
    this.#ending.abort()
    await Promise.allSettled(this.#workers.values())
    await this.#shared.flush()
    this.#shared.close()
    await this.#backend.close()
  }

  /** Enqueues a chat if it waits for a worker. */
  async #enqueue(chat: HostedChat): Promise<void> {
    if (chat.state === 'waiting') await this.#backend.queue.add(chat)
  }
}
