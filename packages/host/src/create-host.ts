import { decisionEntry, pendingIn } from '@x/agent'
import type {
  ApprovalDecision,
  ChatCount,
  ChatKind,
  HostBackend,
  HostedChat,
  HostedChatState,
  JsonValue,
  Limiter,
  LoggedEvent,
  PendingApproval,
  SharedBudget,
  StoredDecision,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import type { LimitsByModel } from '@x/kernel/limiter'
import { checkOptions } from '@x/kernel/options'
import type { DefinedChat } from './define-chat.ts'
import {
  checkHost,
  checkId,
  checkNewId,
  KINDS,
  type EventsOptions,
  type HostOptions,
  type ListOptions,
  type SubmitOptions,
  type WorkOptions,
} from './host-options.ts'
import type { Host, HostHealth } from './host.ts'
import { exposition } from './monitoring/exposition.ts'
import { Gauges, type MetricGauge } from './monitoring/gauges.ts'
import { HostCounters } from './monitoring/host-counters.ts'
import { hostMetrics } from './monitoring/host-metrics.ts'
import { withinTime } from './monitoring/within-time.ts'
import { PendingQuestions } from './pending-questions.ts'
import { plainJson } from './plain-json.ts'
import { newChatId, platformTicks } from './platform.ts'
import { untilAnswer } from './run/changes.ts'
import { endParts } from './run/parts.ts'
import { onSigterm } from './run/sigterm.ts'
import { Worker } from './run/worker.ts'
import { SharedLimits } from './shared/shared-limits.ts'
import type { HostBudgetOptions, HostLimiterOptions } from './shared/shared-options.ts'
import { checkWhole, outcomeError, sameInput, unknownChat } from './submitted.ts'

/** How many chats, questions or events are read at once. */
const PAGE = 100
/** Seconds for which a reader of events is noted as such, and after which it is noted again. */
const FOLLOWED = { for: 15, again: 5 }
/** Seconds within which a store has to answer for its host to be ready. */
const ANSWERS = 2

/** Hosts chats: see `docs/hosting-chats.md`. */
export function createHost(options: HostOptions): Host {
  checkHost(options)
  return new StoreHost(options)
}

class StoreHost implements Host {
  readonly #chats: readonly DefinedChat[]
  readonly #backend: HostBackend
  readonly #retention: number | undefined
  readonly #workers = new Set<Worker>()
  readonly #shared: SharedLimits
  readonly #counters = new HostCounters()
  readonly #gauges = new Gauges()
  readonly #pending: PendingQuestions
  #isTerminated = false
  #isClosed = false

  constructor({ chats, at, retention }: HostOptions) {
    this.#chats = chats
    this.#backend = at
    this.#retention = retention
    this.#shared = new SharedLimits(at.records, warnOfStore)
    this.#pending = new PendingQuestions(at.store, warnOfDamage)
  }

  async submit<I>(definition: DefinedChat<I>, input: I, options: SubmitOptions = {}): Promise<HostedChat> {
    const attempt = 'submit a chat'
    checkOptions(options, KINDS.submit, attempt)
    const { name, version } = definition
    const id = checkNewId(options.id ?? newChatId(), attempt)
    const at = options.at instanceof Date ? options.at.getTime() : options.at
    await definition.check(input)
    const plain = plainJson(input, attempt, 'its input')
    const { chat, isNew } = await this.#backend.store.submit({ id, name, version, input: plain, at })
    checkWhole(chat)
    if (!isNew && (chat.name !== name || !sameInput(chat.input, plain))) {
      throw new XError(
        'invalid-state',
        `cannot submit the chat \`${id}\`: there is one with another ${chat.name === name ? 'input' : 'program'}; give another \`id\``,
        { details: { id } },
      )
    }
    // Also one that is known: the process that submitted it may have ended before it was put in line.
    if (chat.state === 'waiting') await this.#backend.queue.add(chat)
    return chat
  }

  async work(options: WorkOptions = {}): Promise<void> {
    checkOptions(options, KINDS.work, 'run `work`')
    const { concurrency = 10, lease = 30, signal, onError = warn } = options
    const stop = new AbortController()
    this.#isTerminated = false
    using _ = onSigterm(() => {
      this.#isTerminated = true
      stop.abort()
    })
    const worker = new Worker(this.#backend, {
      ...{ chats: this.#chats, concurrency, lease, onError, retention: this.#retention, counters: this.#counters },
      signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    })
    this.#workers.add(worker)
    try {
      await worker.work()
    } finally {
      this.#workers.delete(worker)
      // What the chats that were stopped have spent.
      await this.#shared.flush()
    }
  }

  async get(id: string): Promise<HostedChat | null> {
    return await this.#backend.store.get(checkId(id, 'run `get`'))
  }

  async result(id: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<unknown> {
    checkOptions(options, KINDS.result, 'run `result`')
    const ended = async (): Promise<HostedChat | undefined> => {
      const chat = (await this.get(id)) ?? unknownChat(id)
      if (!chat.outcome) checkWhole(chat)
      return chat.outcome ? chat : undefined
    }
    const { outcome } = await untilAnswer(this.#backend, id, ended, options.signal)
    if (outcome!.state === 'done') return outcome!.value
    throw outcomeError(id, outcome!)
  }

  async send(id: string, message: JsonValue): Promise<void> {
    const attempt = 'run `send`'
    const plain = plainJson(message, attempt, 'the message')
    const chat = await this.#backend.store.send(checkId(id, attempt), plain)
    if (chat === 'ended') throw await this.#endedError(id, 'send a message to')
    await this.#wake(chat)
  }

  async *list(options: ListOptions = {}): AsyncGenerator<HostedChat> {
    checkOptions(options, KINDS.list, 'run `list`')
    yield* this.#listed(options.state, options.chat)
  }

  async *#listed(state: HostedChatState | undefined, kind: ChatKind | undefined): AsyncGenerator<HostedChat> {
    let after: string | undefined
    for (;;) {
      const page = await this.#backend.store.list({ state, kind, after, limit: PAGE })
      yield* page
      after = page.at(-1)?.id
      if (page.length < PAGE) return
    }
  }

  async counts(): Promise<readonly ChatCount[]> {
    return await this.#backend.store.counts()
  }

  async *stranded(): AsyncGenerator<HostedChat> {
    for (const { name, version, state } of await this.counts()) {
      if (state === 'done' || state === 'failed' || state === 'cancelled') continue
      if (this.#chats.some((own) => own.name === name && own.version === version)) continue
      yield* this.#listed(state, { name, version })
    }
  }

  async *events(id: string, options: EventsOptions = {}): AsyncGenerator<LoggedEvent> {
    checkOptions(options, KINDS.events, 'run `events`')
    const { events } = this.#backend
    let after = options.after ?? null
    let followed = -Infinity
    const next = async (): Promise<readonly LoggedEvent[] | undefined> => {
      // In this order: what an ended chat has sent is there.
      const chat = (await this.get(id)) ?? unknownChat(id)
      const { outcome } = chat
      const now = platformTicks()
      if (!outcome && now - followed > FOLLOWED.again * 1000) {
        followed = now
        await events.follow(id, FOLLOWED.for)
        for (const worker of this.#workers) worker.followed(id)
      }
      const page = await events.read(id, after, PAGE)
      if (page.length > 0) return page
      if (!outcome) return void checkWhole(chat)
      // One that was forgotten meanwhile has no events any more, which is not the end of them.
      return (await this.get(id)) ? page : unknownChat(id)
    }
    for (;;) {
      const page = await untilAnswer(this.#backend, id, next, options.signal)
      if (page.length === 0) return
      for (const each of page) {
        after = each.cursor
        yield each
      }
    }
  }

  async *pending(
    options: { readonly agent?: string | undefined } = {},
  ): AsyncGenerator<{ chat: string; pending: PendingApproval }> {
    checkOptions(options, KINDS.pending, 'run `pending`')
    for await (const each of this.#pending.all()) {
      if (options.agent === undefined || each.pending.agent === options.agent) yield each
    }
  }

  async decide(
    id: string,
    pendingId: string,
    decision: ApprovalDecision,
    options: { readonly by?: string | undefined } = {},
  ): Promise<void> {
    checkOptions(options, KINDS.decide, 'run `decide`')
    const { store } = this.#backend
    const entries = (await store.entries(checkId(id, 'run `decide`'))).filter(({ place }) => place === pendingId)
    const [pending] = pendingIn(entries)
    const decided = pending && (await store.decide(id, decisionEntry(pending, decision), options.by ?? null))
    if (decided === 'ended') throw await this.#endedError(id, 'decide in')
    if (decided === 'known' || entries.some(({ kind }) => kind === 'decision')) {
      throw new XError('invalid-state', `\`${pendingId}\` of the chat \`${id}\` was decided on before`, {
        details: { id, pendingId },
      })
    }
    if (!decided) {
      if (!(await this.get(id))) unknownChat(id)
      throw new XError(
        'invalid-state',
        `no pending approval \`${pendingId}\` in the chat \`${id}\`; see \`host.pending\``,
        {
          details: { id, pendingId },
        },
      )
    }
    await this.#wake(decided)
  }

  async decisions(id: string): Promise<readonly StoredDecision[]> {
    return await this.#backend.store.decisions(checkId(id, 'run `decisions`'))
  }

  async cancel(id: string, reason = 'cancelled'): Promise<boolean> {
    checkOptions({ reason }, KINDS.cancel, 'run `cancel`')
    const chat = await this.#backend.store.cancel(checkId(id, 'run `cancel`'), reason)
    if (chat === 'ended') return false
    await endParts(this.#backend, id)
    for (const worker of this.#workers) worker.cancelled(id)
    return true
  }

  async delete(id: string): Promise<boolean> {
    const chat = await this.get(id)
    if (!chat) return false
    if (!chat.outcome) {
      throw new XError('invalid-state', `cannot delete the chat \`${id}\`: it has not ended; call \`cancel\` first`)
    }
    await endParts(this.#backend, id)
    return await this.#backend.store.delete(id)
  }

  limiter(limits: LimitsByModel, options?: HostLimiterOptions): Limiter {
    return this.#shared.limiter(limits, options)
  }

  budget(name: string, options: HostBudgetOptions): SharedBudget {
    return this.#shared.budget(name, options)
  }

  async health(): Promise<HostHealth> {
    const handsOver = this.#isTerminated || [...this.#workers].some(({ isEnding }) => isEnding)
    const reasons = [
      ...(this.#isClosed ? ['the host is closed'] : []),
      ...(handsOver ? ['the worker hands its chats over'] : []),
      ...(this.#isClosed || (await this.#storeAnswers()) ? [] : [`the store (${this.#backend.name}) does not answer`]),
    ]
    return { live: !this.#isClosed, ready: reasons.length === 0, reasons }
  }

  async #storeAnswers(): Promise<boolean> {
    try {
      await withinTime(() => this.#backend.store.get('health'), ANSWERS)
      return true
    } catch {
      return false
    }
  }

  async metrics(): Promise<string> {
    const [own, gauges] = await Promise.all([
      hostMetrics(this.#backend.store, this.#chats, [...this.#workers]),
      this.#gauges.read(),
    ])
    return exposition([...own, ...this.#counters.metrics, ...gauges])
  }

  gauge(gauge: MetricGauge): () => void {
    return this.#gauges.add(gauge)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#shared.flush()
    this.#shared.close()
    await this.#backend.close()
  }

  async #wake(chat: HostedChat): Promise<void> {
    if (chat.state === 'waiting') await this.#backend.queue.add(chat)
  }

  async #endedError(id: string, attempt: string): Promise<XError> {
    const { state } = (await this.get(id)) ?? unknownChat(id)
    return new XError('invalid-state', `cannot ${attempt} the chat \`${id}\`: it is ${state}`, { details: { id } })
  }
}

/** Makes a warning of an error with which something goes on. */
const warnThat =
  (what: string) =>
  (error: unknown): void =>
    process.emitWarning(`${what}: ${error instanceof Error ? error.message : String(error)}`)

const warnOfDamage = warnThat('a question is not among those that wait')
const warn = warnThat('a worker of hosted chats goes on after an error')
const warnOfStore = warnThat('limits and budgets of hosted chats go on without their store, which does not answer')
