import type { ClaimedChat, HostBackend, HostedChat, RunTracer, XEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import type { DefinedChat } from '../defined-chat.ts'
import type { HostOptions } from '../host-options.ts'
import type { HostCounters } from '../monitoring/host-counters.ts'
import { platformNow, platformTicks } from '../platform.ts'
import { cancelAtVendors } from '../replay.ts'
import { cancelledIn, type LeftChat } from './cancelling.ts'
import type { ChatWatcher } from './chat-watcher.ts'
import { deleteChat, endPart, endParts, isPartOf, mayAskParts, parentOf } from './parts.ts'
import { PROBE_ID, Renewals } from './renewals.ts'
import { Turn, type TurnTeller } from './turn.ts'

/** Options of a worker. */
export interface WorkerOptions {
  readonly chats: readonly DefinedChat[]
  readonly concurrency: number
  /** Duration of a claim, in seconds. */
  readonly lease: number
  readonly signal: AbortSignal
  /** Seconds after which ended chats are deleted; undefined: never. */
  readonly retention: number | undefined
  readonly events: HostOptions['events']
  readonly tracer: RunTracer | undefined
  readonly webhooks: TurnTeller | undefined
  readonly onError: (error: unknown) => void
  readonly counters: HostCounters
  readonly watcher: ChatWatcher
}

/** Interval at which a worker asks whether somebody follows the chats whose answers it buffers. */
const FOLLOWERS_INTERVAL_S = 1
/** Interval at which it deletes ended chats. */
const RETENTION_INTERVAL_S = 60
/** Interval at which it enqueues chats again that have come before their time. */
const EARLY_INTERVAL_S = 1
/** Interval at which a chat lends its place to nested parts that have waited to retry or for a person. */
const LEND_INTERVAL_S = 1
/** Most time by which a chat comes early: the clocks of workers and stores differ by less. */
const MAX_EARLY_MS = 60_000
/** Number of chats that are enqueued again, or read to be deleted, at once. */
const CHATS_PER_SWEEP = 100
/** Most programs that wait for a message in memory. */
const MAX_RESTING = 100
/** Longest time for which a program waits in memory. */
const MAX_REST_MS = 300_000
/** Setbacks of a chat in a row from which each one is reported. */
const MIN_REPORTED_SETBACKS = 3

/** Runs the chats of a backend until its signal aborts: claims them, renews its claims, and releases them at the end. */
export class Worker {
  readonly #backend: HostBackend
  readonly #options: WorkerOptions
  /** Turns under way, by the identifiers of their chats. */
  readonly #turns = new Map<string, Turn>()
  /** Turns whose programs wait for a message in memory, by the identifiers of their chats, with the time since; oldest first. */
  readonly #resting = new Map<string, { readonly turn: Turn; readonly since: number }>()
  /** Chats that the queue has brought before their time by the clock of the store. */
  readonly #early = new Map<string, HostedChat>()
  /** Parts that run in the places of their parents, by the identifiers of those. */
  readonly #lent = new Map<string, Promise<void>>()
  readonly #renewals: Renewals
  /** Number of parts that have expired and stay, because their parents have not ended and may still ask for them. */
  #retainedParts = 0

  constructor(backend: HostBackend, options: WorkerOptions) {
    this.#backend = backend
    this.#options = options
    this.#renewals = new Renewals({
      lease: options.lease,
      renew: () => this.#renew(),
      reconnect: backend.reconnect && (async () => await backend.reconnect!()),
      onError: (error) => this.#report(error),
      onReconnect: () => options.counters.countReconnect(),
      now: platformTicks,
    })
  }

  /** Seconds without a renewal of its claims if there was none for a lease; else null. */
  get silence(): number | null {
    return this.#renewals.silence
  }

  /** True if it cannot renew its claims, though a new process could. */
  get isStuck(): boolean {
    return this.#renewals.isStuck
  }

  /** True while it releases its chats. */
  get isEnding(): boolean {
    return this.#options.signal.aborted
  }

  /** Its number of slots, without those of programs with a `concurrency` of their own. */
  get concurrency(): number {
    const { chats, concurrency } = this.#options
    return chats.every(hasOwnConcurrency) ? 0 : concurrency
  }

  /** Its number of running chats, without those of programs with a `concurrency` of their own. */
  get active(): number {
    return [...this.#turns.values()].filter(({ definition }) => !hasOwnConcurrency(definition)).length
  }

  /** Resolves when, after the signal, all chats are released. */
  async work(): Promise<void> {
    const { chats, concurrency, lease, signal, counters } = this.#options
    const kinds = chats.map(({ name, version, concurrency: own }) => ({ name, version, concurrency: own }))
    const run = (id: string): Promise<void> => this.#run(id)
    const onError = (error: unknown): void => this.#report(error)
    const release = (): void => {
      for (const turn of this.#turns.values()) turn.stop({ why: 'release' })
    }
    counters.begin(chats)
    signal.addEventListener('abort', release)
    using _followers = runEvery(FOLLOWERS_INTERVAL_S, () => this.#flushFollowed(), onError)
    using _renew = runEvery(this.#renewals.interval, () => this.#renewals.renew(), onError)
    using _early = runEvery(EARLY_INTERVAL_S, () => this.#addEarly(), onError)
    using _lend = runEvery(LEND_INTERVAL_S, async () => this.#turns.forEach((_, id) => this.#lend(id)), onError)
    using _sweep = runEvery(Math.max(lease, 1), () => this.#sweep(), onError)
    using _retention = runEvery(RETENTION_INTERVAL_S, () => this.#deleteExpired(), onError)
    try {
      await this.#backend.queue.work({ kinds, concurrency, lease, signal, run, onError })
    } finally {
      signal.removeEventListener('abort', release)
      this.#dropResting(() => true)
      await Promise.all(this.#lent.values())
    }
  }

  /** Called when somebody in this process follows a chat. */
  followed(id: string): void {
    this.#turns.get(id)?.follow()
  }

  /** Called when a chat was cancelled in this process: stops its turn and those of its parts. */
  cancelled(id: string): void {
    this.#dropResting((resting) => resting === id || isPartOf(id, resting))
    for (const [running, turn] of this.#turns) {
      if (running === id || isPartOf(id, running)) turn.stop({ why: 'lost' })
    }
  }

  /** Runs turns of a chat, which the queue has brought or not, as long as it has something to do; fails when the store does. */
  async #run(id: string, isBrought: boolean = true): Promise<void> {
    try {
      let next: HostedChat | null
      do {
        if (this.isEnding) return
        const chat = await this.#backend.store.claim(id, this.#options.lease, parentOf(id))
        if (!chat) return isBrought ? await this.#leave(id) : undefined
        // Only orphans are ended here: a parent that is open ends its parts itself.
        if (chat.isLeft) return await endPart(this.#backend, chat)
        next = await this.#turn(chat)
      } while (next)
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause)
      const error = new XError('invalid-state', `the worker could not continue the chat \`${id}\`: ${problem}`, {
        cause,
        details: { id },
      })
      this.#report(error)
      throw error
    }
  }

  /**
   * Ends the parts of a chat that cannot be claimed because it has ended: its worker may have died, or the store failed, before it
   * ended them. A chat whose time is near has come early, and comes again.
   */
  async #leave(id: string): Promise<void> {
    try {
      const chat = await this.#backend.store.get(id)
      if (!chat || chat.outcome) await endParts(this.#backend, chat ?? { id })
      else if (timeOf(chat) > 0 && timeOf(chat) <= platformNow() + MAX_EARLY_MS) this.#early.set(id, chat)
    } catch (error) {
      // A chat with an unreadable record may still be open. Those that ask for it get the error.
      if (!isXError(error, 'invalid-state')) throw error
    }
  }

  /** Runs a turn of a chat; returns the chat if another turn is to follow here. */
  async #turn(chat: ClaimedChat): Promise<HostedChat | null> {
    const { chats, counters, events, tracer, watcher, webhooks } = this.#options
    const definition = chats.find(({ name, version }) => name === chat.name && version === chat.version)
    if (!definition) return await this.#enqueue(await this.#backend.store.release(chat))
    const cancelled = cancelledIn(chat)
    if (cancelled) return await this.#cancelAtVendors(chat, definition, cancelled)
    if (chat.takenOver) counters.countTakeover(chat)
    if (chat.setbacks >= MIN_REPORTED_SETBACKS) {
      this.#report(setbackError(chat, 'its workers died or refused it before anything was saved'))
    }
    const onEvent = (event: XEvent): void => counters.countCall(event)
    const turn =
      this.#takeResting(chat, definition) ??
      new Turn(this.#backend, definition, chat, {
        events,
        tracer,
        onEvent,
        watcher,
        webhooks,
        onNestedPart: (id) => this.#lend(id),
      })
    // A turn of this chat may still run here if its lease has expired unnoticed, for example while this process was suspended.
    this.#turns.get(chat.id)?.stop({ why: 'lost' })
    this.#turns.set(chat.id, turn)
    if (this.isEnding) turn.stop({ why: 'release' })
    try {
      const { how, next, reason } = await turn.run()
      counters.countTurn(chat, how)
      if (turn.isResting) this.#rest(chat.id, turn)
      if (reason !== undefined) this.#report(setbackError(chat, `its program was refused: ${reason}`))
      return this.isEnding || how === 'retry' || next?.state === 'suspended' ? await this.#enqueue(next) : next
    } finally {
      if (this.#turns.get(chat.id) === turn) this.#turns.delete(chat.id)
    }
  }

  /** Runs nested parts of a chat in its place while it waits for them: chats like it may hold all places. */
  #lend(id: string): void {
    const turn = this.#turns.get(id)
    if (!turn || turn.nestedParts.size === 0 || this.#lent.has(id)) return
    const runParts = async (): Promise<void> => {
      for (const part of turn.nestedParts) if (!this.#turns.has(part)) await this.#run(part, false).catch(() => {})
    }
    this.#lent.set(
      id,
      runParts().finally(() => this.#lent.delete(id)),
    )
  }

  /** Cancels what vendors still do for a chat that was cancelled, whose copy this one is. */
  async #cancelAtVendors(chat: ClaimedChat, definition: DefinedChat, cancelled: LeftChat): Promise<HostedChat | null> {
    const { store } = this.#backend
    try {
      await cancelAtVendors(store, definition, cancelled, this.#options.signal)
    } catch (error) {
      if (this.isEnding) return await this.#enqueue(await store.release(chat))
      this.#report(error)
    }
    await store.finish(chat, { state: 'done', value: null })
    await store.delete(chat.id)
    await endParts(this.#backend, { id: cancelled.id })
    return null
  }

  /** Keeps a program that waits for a message in memory, in place of the one that has waited longest. */
  #rest(id: string, turn: Turn): void {
    this.#resting.set(id, { turn, since: platformTicks() })
    const [oldest] = this.#resting.keys()
    if (this.#resting.size > MAX_RESTING) this.#dropResting((each) => each === oldest)
  }

  /** Returns the turn of a chat whose program waits in memory, if it can go on there. */
  #takeResting(chat: ClaimedChat, definition: DefinedChat): Turn | undefined {
    const turn = this.#resting.get(chat.id)?.turn
    this.#resting.delete(chat.id)
    if (turn?.definition === definition && turn.goOn(chat)) return turn
    turn?.drop()
    return undefined
  }

  /** Stops programs that wait in memory; their chats go on from their journals. */
  #dropResting(isDropped: (id: string, since: number) => boolean): void {
    for (const [id, { turn, since }] of this.#resting) {
      if (!isDropped(id, since)) continue
      this.#resting.delete(id)
      turn.drop()
    }
  }

  /** Enqueues a chat for another worker, or for later. */
  async #enqueue(chat: HostedChat | null): Promise<null> {
    if (chat) await this.#backend.queue.add(chat)
    return null
  }

  #report(error: unknown): void {
    this.#options.counters.countError()
    this.#options.onError(error)
  }

  /** Renews the claims, and stops the turns that have lost theirs. Without claims it asks whether the store is there. */
  async #renew(): Promise<void> {
    const { store } = this.#backend
    const claims = [...this.#turns].map(([id, { epoch }]) => ({ id, epoch }))
    if (claims.length === 0) return void (await store.get(PROBE_ID))
    const held = new Set(await store.renew(claims, this.#options.lease))
    for (const { id, epoch } of claims) {
      const turn = this.#turns.get(id)
      if (turn?.epoch === epoch && !held.has(id)) turn.stop({ why: 'lost' })
    }
  }

  /** Writes the buffered answers of chats that somebody follows by now. */
  async #flushFollowed(): Promise<void> {
    const ids = [...this.#turns].flatMap(([id, turn]) => (turn.isBuffering ? [id] : []))
    if (ids.length === 0) return
    for (const id of await this.#backend.events.followed(ids)) this.followed(id)
  }

  /** Enqueues chats that are due for long: the queue may have lost them, or their process died between store and queue. */
  async #sweep(): Promise<void> {
    const { store, queue } = this.#backend
    const earliest = platformTicks() - MAX_REST_MS
    this.#dropResting((_, since) => since < earliest)
    for (const chat of await store.due(this.#options.chats, CHATS_PER_SWEEP)) {
      if (!this.#turns.has(chat.id)) await queue.add(withoutTime(chat))
    }
  }

  /** Enqueues chats again that have come early: the clock of this process is ahead of that of the store. */
  async #addEarly(): Promise<void> {
    const chats = [...this.#early.values()]
    this.#early.clear()
    for (const chat of chats) await this.#backend.queue.add(withoutTime(chat))
  }

  /** Deletes the ended chats whose retention is over, however many have ended since the last time. */
  async #deleteExpired(): Promise<void> {
    const { retention, signal } = this.#options
    if (retention === undefined) return
    let deleted: number
    do {
      deleted = 0
      // Parts that stay are read again each time: the more they are, the more is deleted with them.
      const expired = await this.#backend.store.expired(retention, CHATS_PER_SWEEP + 2 * this.#retainedParts)
      this.#retainedParts = 0
      for (const { id } of expired) {
        if (signal.aborted) return
        const parent = parentOf(id)
        if (parent !== undefined && (await mayAskParts(this.#backend, parent))) this.#retainedParts++
        else if (await deleteChat(this.#backend, id)) deleted++
        // Many of one SQLite file would block everything else in this process.
        await new Promise(setImmediate)
      }
    } while (deleted > 0)
  }
}

/** Runs a task at an interval, never twice at once, until disposed of; a failure is reported, and the task runs again next time. */
function runEvery(seconds: number, task: () => Promise<void>, onError: (error: unknown) => void): Disposable {
  let isRunning = false
  const once = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      await task()
    } catch (error) {
      onError(error)
    } finally {
      isRunning = false
    }
  }
  const timer = setInterval(() => void once(), seconds * 1000)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Makes the error that reports a setback of a chat. */
const setbackError = ({ id, setbacks }: HostedChat, why: string): XError =>
  new XError(
    'invalid-state',
    `the chat \`${id}\` makes no progress: ${why}; each retry comes later than the last, and \`host.cancel\` ends the chat`,
    { details: { id, setbacks } },
  )

/** Returns a chat as one that is due by the clock of the store, whatever the clock of this process says. */
const withoutTime = (chat: HostedChat): HostedChat => ({ ...chat, at: 0, wakesAt: null, retry: null })

/** Returns the time for which a chat waits, in milliseconds since 1970; 0 for one that waits for no time. */
const timeOf = ({ state, at, wakesAt, retry }: HostedChat): number =>
  (state === 'waiting' && at) || (state === 'waiting-to-retry' && retry?.at) || wakesAt || 0

const hasOwnConcurrency = ({ concurrency }: DefinedChat): boolean => concurrency !== undefined
