import type { ChatClaim, ChatOutcome, EventLog, HostBackend, JournalEntry, XEvent } from '@x/interfaces'
import { joinPieces } from './join-pieces.ts'

/** Milliseconds for which events are collected before they are written together. */
const JOIN = 50
/** Most entries that are written at once. */
const MOST_ENTRIES = 100
/** Pieces of answers that are held at most while nobody follows the chat. */
const MOST_HELD = 1000

/**
 * Writes what one worker has of a chat, one thing after the other: events, several at once, and entries with the events
 * that came before them. Entries that come while something is being written go together. Events are written after a moment; pieces of a model's answer that nobody follows wait for what
 * comes behind them, and are then one event.
 */
export class ChatWriter {
  readonly #log: EventLog
  readonly #store: HostBackend['store']
  readonly #claim: ChatClaim
  readonly #onFailure: (error: unknown) => void
  #events: XEvent[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<unknown> = Promise.resolve()
  /** Entries that wait for what is being written. */
  #waiting: { readonly entries: JournalEntry[]; readonly kept: Promise<boolean> } | undefined
  #followed = false

  /** `onFailure` hears why events could not be written; undefined when the claim on the chat has ended. */
  constructor(
    { events, store }: Pick<HostBackend, 'events' | 'store'>,
    claim: ChatClaim,
    onFailure: (error: unknown) => void,
  ) {
    this.#log = events
    this.#store = store
    this.#claim = claim
    this.#onFailure = onFailure
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
    if (!waits) this.#timer ??= setTimeout(() => void this.flush(), JOIN)
  }

  /** Is told that somebody follows the chat. */
  follow(): void {
    this.#followed = true
    if (this.holds) void this.flush()
  }

  /** Writes the events so far. */
  async flush(): Promise<void> {
    await this.#next(async () => {
      const events = this.#take()
      if (events.length === 0) return
      try {
        const added = await this.#log.append(this.#claim, events)
        if (added) this.#followed = added.followed
        else this.#onFailure(undefined)
      } catch (error) {
        this.#onFailure(error)
      }
    })
  }

  /** Writes an entry behind the events so far; false when the store refuses it. */
  async append(entry: JournalEntry): Promise<boolean> {
    if (this.#waiting && this.#waiting.entries.length < MOST_ENTRIES) {
      this.#waiting.entries.push(entry)
      return await this.#waiting.kept
    }
    const entries = [entry]
    const kept = this.#next(() => {
      if (this.#waiting?.entries === entries) this.#waiting = undefined
      return this.#store.append(this.#claim, entries, this.#take())
    })
    this.#waiting = { entries, kept }
    return await kept
  }

  /** Ends the chat behind the events so far; false when the store refuses it. */
  async finish(outcome: ChatOutcome): Promise<boolean> {
    return await this.#next(() => this.#store.finish(this.#claim, outcome, this.#take()))
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

  async #next<T>(write: () => T | PromiseLike<T>): Promise<T> {
    const written = this.#writing.then(write)
    this.#writing = written.catch(() => {})
    return await written
  }
}
