import type { ChatClaim, ChatOutcome, EventLog, HostBackend, JournalEntry, MaybePromise, XEvent } from '@x/interfaces'
import type { TurnStop } from './turn-stop.ts'

/** Time for which events are collected before they are written together. */
const FLUSH_DELAY_MS = 50
/** Most entries in one write. */
const MAX_ENTRIES_PER_WRITE = 100
/** Most events that are buffered while nobody follows the chat. */
const MAX_BUFFERED_EVENTS = 1000

/**
 * Writes the events and entries of one worker's turn, one write after the other. Events are batched; an entry is written
 * together with the events before it, and entries that come during a write share the next one. The pieces of a model's
 * answer that nobody follows are buffered and joined until another event or entry comes. Entries keep their
 * order, deferred ones too.
 *
 * A write that is refused or fails stops the turn and is the last: nothing could fill the gap later.
 */
export class ChatWriter {
  readonly #log: EventLog
  readonly #store: HostBackend['store']
  readonly #claim: ChatClaim
  readonly #stop: (stop: TurnStop) => void
  #events: XEvent[] = []
  #timer: NodeJS.Timeout | undefined
  /** Entries that are written with the next one, or soon. */
  #deferred: JournalEntry[] = []
  /** Entries that wait for the current write. */
  #batch: { readonly entries: JournalEntry[]; readonly written: Promise<boolean> } | undefined
  /** The last write; resolves with true if the claim held. */
  #last: Promise<boolean> = Promise.resolve(true)
  #followed = false
  /** Number of messages and decisions of the chat, as the store told it with the last entry. */
  heard = 0

  /** `stop` is called with the reason when nothing more is written. */
  constructor(
    { events, store }: Pick<HostBackend, 'events' | 'store'>,
    claim: ChatClaim,
    stop: (stop: TurnStop) => void,
  ) {
    this.#log = events
    this.#store = store
    this.#claim = claim
    this.#stop = stop
  }

  /** True if pieces are buffered because nobody follows the chat. */
  get isBuffering(): boolean {
    return this.#events.length > 0 && this.#timer === undefined
  }

  add(event: XEvent): void {
    const last = this.#events.at(-1)
    const joined = last && joinPieces(last, event)
    if (joined) this.#events[this.#events.length - 1] = joined
    else this.#events.push(event)
    const isBuffered = PIECE_TYPES.has(event.type) && !this.#followed && this.#events.length < MAX_BUFFERED_EVENTS
    if (!isBuffered) this.#timer ??= setTimeout(() => this.#flushUnawaited(), FLUSH_DELAY_MS)
  }

  /** Notes that somebody follows the chat, and writes what is buffered. */
  follow(): void {
    this.#followed = true
    if (this.isBuffering) this.#flushUnawaited()
  }

  /**
   * Writes an entry together with the next one, or within 50 ms. Only for an entry that the next worker makes again as it is,
   * if this one dies before.
   */
  defer(entry: JournalEntry): void {
    // Entries keep their order.
    ;(this.#batch?.entries ?? this.#deferred).push(entry)
    this.#timer ??= setTimeout(() => this.#flushUnawaited(), FLUSH_DELAY_MS)
  }

  /** Writes the events and deferred entries so far; false when the claim on the chat has ended. */
  async flush(): Promise<boolean> {
    return await this.#write(async () => {
      if (this.#deferred.length > 0) return await this.#append([])
      const events = this.#take()
      if (events.length === 0) return true
      const appended = await this.#log.append(this.#claim, events)
      if (appended) this.#followed = appended.followed
      return appended !== null
    })
  }

  /** Writes an entry behind the events so far; false when the store refuses it. */
  async append(entry: JournalEntry): Promise<boolean> {
    if (this.#batch && this.#batch.entries.length < MAX_ENTRIES_PER_WRITE) {
      this.#batch.entries.push(entry)
      return await this.#batch.written
    }
    const entries = [entry]
    const written = this.#write(() => {
      if (this.#batch?.entries === entries) this.#batch = undefined
      return this.#append(entries)
    })
    this.#batch = { entries, written }
    return await written
  }

  async #append(entries: readonly JournalEntry[]): Promise<boolean> {
    const all = [...this.#deferred.splice(0), ...entries]
    const appended = await this.#store.append(this.#claim, all, this.#take())
    if (appended) this.heard = appended.heard
    return appended !== null
  }

  /** Ends the chat behind the events so far; false when the store refuses it. */
  async finish(outcome: ChatOutcome): Promise<boolean> {
    return await this.#write(async () => {
      if (this.#deferred.length > 0 && !(await this.#append([]))) return false
      return await this.#store.finish(this.#claim, outcome, this.#take())
    })
  }

  /** Stops the turn like a write that fails: nothing that follows from an unknown answer is written. */
  fail(error: unknown): void {
    this.#stop({ why: 'failure', error })
    this.#batch = undefined
    this.#write(() => Promise.reject(error)).catch(() => {})
  }

  /** Resolves when no write is under way, also after a failure. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {})
  }

  /** Drops the events and deferred entries that are not written. */
  drop(): void {
    this.#deferred = []
    this.#take()
  }

  #take(): readonly XEvent[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#events
    this.#events = []
    return events
  }

  /** Writes events without a caller that waits; a failure stops the turn. */
  #flushUnawaited(): void {
    this.flush().catch(() => {})
  }

  async #write(write: () => MaybePromise<boolean>): Promise<boolean> {
    this.#last = this.#last.then(async (held) => held && (await this.#attempt(write)))
    return await this.#last
  }

  async #attempt(write: () => MaybePromise<boolean>): Promise<boolean> {
    try {
      const held = await write()
      if (!held) this.#stop({ why: 'lost' })
      return held
    } catch (error) {
      this.#stop({ why: 'failure', error })
      throw error
    }
  }
}

/** Types of the events that a model's answer comes in. */
const PIECE_TYPES: ReadonlySet<XEvent['type']> = new Set([
  'answerBegin',
  'textDelta',
  'reasoningDelta',
  'textWasReasoning',
  'toolInputDelta',
])

/**
 * Joins two pieces of one text, one reasoning or the arguments of one call, with the number and time of the first;
 * undefined for any other pair of events.
 */
function joinPieces(one: XEvent, other: XEvent): XEvent | undefined {
  if (one.type !== other.type || one.chatId !== other.chatId || one.parentId !== other.parentId) return undefined
  switch (one.type) {
    case 'textDelta':
    case 'reasoningDelta': {
      const { agent, index, text } = other as typeof one
      return agent === one.agent && index === one.index ? { ...one, text: one.text + text } : undefined
    }
    case 'toolInputDelta': {
      const { agent, index, call, callId, text } = other as typeof one
      const isSame = agent === one.agent && index === one.index && call === one.call && callId === one.callId
      return isSame ? { ...one, text: one.text + text } : undefined
    }
    default:
      return undefined
  }
}
