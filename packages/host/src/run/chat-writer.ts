import type { ChatClaim, ChatOutcome, EventLog, HostBackend, JournalEntry, MaybePromise, XEvent } from '@x/interfaces'
import { joinPieces } from './join-pieces.ts'
import type { TurnStop } from './turn-stop.ts'

/** Milliseconds for which events are collected before they are written together. */
const JOIN = 50
/** Most entries that are written at once. */
const MOST_ENTRIES = 100
/** Pieces of answers that are held at most while nobody follows the chat. */
const MOST_HELD = 1000

/**
 * Writes what one worker has of a chat, one thing after the other: events, several at once, and entries with the events
 * that came before them; those that come while something is being written go together. Events are written after a moment;
 * pieces of a model's answer that nobody follows wait for what comes behind them, and are then one event.
 *
 * A write that is refused or fails stops the turn and is the last: what is behind a gap would never be sent again.
 */
export class ChatWriter {
  readonly #log: EventLog
  readonly #store: HostBackend['store']
  readonly #claim: ChatClaim
  readonly #stop: (stop: TurnStop) => void
  #events: XEvent[] = []
  #timer: NodeJS.Timeout | undefined
  /** Entries that wait for what is being written. */
  #waiting: { readonly entries: JournalEntry[]; readonly kept: Promise<boolean> } | undefined
  /** The last write: whether the claim held. */
  #last: Promise<boolean> = Promise.resolve(true)
  #followed = false

  /** `stop` hears why nothing more is written. */
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

  /** Whether pieces of an answer are held, which somebody who follows the chat would want. */
  get holds(): boolean {
    return this.#events.length > 0 && this.#timer === undefined
  }

  add(event: XEvent): void {
    const last = this.#events.at(-1)
    const joined = last && joinPieces(last, event)
    if (joined) this.#events[this.#events.length - 1] = joined
    else this.#events.push(event)
    const waits = event.type === 'modelDelta' && !this.#followed && this.#events.length < MOST_HELD
    if (!waits) this.#timer ??= setTimeout(() => this.#flushUnheard(), JOIN)
  }

  /** Is told that somebody follows the chat. */
  follow(): void {
    this.#followed = true
    if (this.holds) this.#flushUnheard()
  }

  /** Writes the events so far; false when the claim on the chat has ended. */
  async flush(): Promise<boolean> {
    return await this.#write(async () => {
      const events = this.#take()
      if (events.length === 0) return true
      const added = await this.#log.append(this.#claim, events)
      if (added) this.#followed = added.followed
      return added !== null
    })
  }

  /** Writes an entry behind the events so far; false when the store refuses it. */
  async append(entry: JournalEntry): Promise<boolean> {
    if (this.#waiting && this.#waiting.entries.length < MOST_ENTRIES) {
      this.#waiting.entries.push(entry)
      return await this.#waiting.kept
    }
    const entries = [entry]
    const kept = this.#write(() => {
      if (this.#waiting?.entries === entries) this.#waiting = undefined
      return this.#store.append(this.#claim, entries, this.#take())
    })
    this.#waiting = { entries, kept }
    return await kept
  }

  /** Ends the chat behind the events so far; false when the store refuses it. */
  async finish(outcome: ChatOutcome): Promise<boolean> {
    return await this.#write(() => this.#store.finish(this.#claim, outcome, this.#take()))
  }

  /** Stops the turn as a write that fails does: what the program makes of an answer that is not known is never written. */
  fail(error: unknown): void {
    this.#stop({ why: 'failure', error })
    this.#waiting = undefined
    this.#write(() => Promise.reject(error)).catch(() => {})
  }

  /** Resolves when nothing is being written, whatever came of it. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {})
  }

  /** Drops what is not written. */
  drop(): void {
    this.#take()
  }

  #take(): readonly XEvent[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#events
    this.#events = []
    return events
  }

  /** Writes events for nobody who waits for it; where that fails, the turn hears of it. */
  #flushUnheard(): void {
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
