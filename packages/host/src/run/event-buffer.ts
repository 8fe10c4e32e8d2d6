import type { ChatClaim, EventLog, XEvent } from '@x/interfaces'

/** Milliseconds for which events are collected before they are written together. */
const JOIN = 50

/** Writes the events of a chat in order, several at once: at the latest after a moment, and before whatever has to come behind them. */
export class EventBuffer {
  readonly #log: EventLog
  readonly #claim: ChatClaim
  readonly #onFailure: (error: unknown) => void
  #events: XEvent[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  /** `onFailure` hears why events could not be written; undefined when the claim on the chat has ended. */
  constructor(log: EventLog, claim: ChatClaim, onFailure: (error: unknown) => void) {
    this.#log = log
    this.#claim = claim
    this.#onFailure = onFailure
  }

  add(event: XEvent): void {
    const last = this.#events.at(-1)
    const joined = last && joinText(last, event)
    if (joined) this.#events[this.#events.length - 1] = joined
    else this.#events.push(event)
    this.#timer ??= setTimeout(() => void this.flush(), JOIN)
  }

  /** Writes everything so far. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#events.length === 0) return this.#writing
    const events = this.#events
    this.#events = []
    this.#writing = this.#writing.then(() => this.#write(events))
    return this.#writing
  }

  /** Drops what is not written. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#events = []
  }

  async #write(events: readonly XEvent[]): Promise<void> {
    try {
      if (!(await this.#log.append(this.#claim, events))) this.#onFailure(undefined)
    } catch (error) {
      this.#onFailure(error)
    }
  }
}

/** Two pieces of one text as one; undefined where they are something else. */
function joinText(one: XEvent, other: XEvent): XEvent | undefined {
  if (one.type !== 'modelDelta' || other.type !== 'modelDelta') return undefined
  if (one.chatId !== other.chatId || one.agentPath?.join('\n') !== other.agentPath?.join('\n')) return undefined
  const [a, b] = [one.event, other.event]
  if (a.type !== 'textDelta' || b.type !== 'textDelta') return undefined
  const { text: _, ...rest } = a
  const { text: __, ...otherRest } = b
  if (JSON.stringify(rest) !== JSON.stringify(otherRest)) return undefined
  return { ...one, event: { ...a, text: a.text + b.text } }
}
