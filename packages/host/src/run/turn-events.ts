import type { ClaimedChat, EventLog, JournalEntry, XEvent } from '@x/interfaces'
import { isXError } from '@x/kernel'

/** Number of events that are read at once. */
const EVENTS_PER_PAGE = 1000
/** Most events of one turn whose numbers are surely below those of the next turn. */
const EVENTS_PER_CLAIM = 2 ** 20

/** Value of a journal entry of kind `wait`, which is kept when a turn leaves its chat. */
interface LeftTurn {
  /** Places that the turn had come to: the next one sends nothing before them again. */
  readonly places: readonly string[]
  /** Ids of the spans that the turn has begun, and that the next one may begin again without knowing it. */
  readonly spans: readonly string[]
}

/**
 * Makes the events of one turn part of the log of its chat. Their numbers continue those of earlier turns, whatever the
 * clocks of the workers say. Spans that an earlier turn has begun start again as `resumed`, and those that this turn leaves
 * end as `suspended`.
 */
export class TurnEvents {
  /** True once a span has ended as `suspended`: the turn will end so, too. */
  isSuspended = false
  readonly #begun: ReadonlySet<string>
  /** Ids of the spans that were begun and that no entry is behind. */
  readonly #recent = new Set<string>()
  /** Ids of the spans that were stopped for the next turn to go on. */
  readonly #cut = new Set<string>()
  #seq: number

  /** `begun` are the ids of the spans that earlier turns have begun and that may begin again. */
  constructor(chat: ClaimedChat, begun: ReadonlySet<string>) {
    this.#begun = begun
    this.#seq = isFirstTurn(chat) ? 0 : chat.epoch * EVENTS_PER_CLAIM
  }

  /** Returns the entry that tells the next turn how this one leaves the chat, which waits at some places; null for none. */
  leave(waits: readonly string[], epoch: number): JournalEntry | null {
    const open = [...this.#cut].filter(isPlace)
    const places = [...waits, ...open]
    for (const place of places) this.keep({ place })
    const spans = [...new Set([...open, ...this.#recent])]
    if (places.length === 0 && spans.length === 0) return null
    const value: LeftTurn = { places, spans }
    return { place: RUN_PLACE, kind: 'wait', name: `turn ${epoch}`, value }
  }

  /**
   * Notes that an entry is kept: spans in the same scope are known to have begun before it, and those of operations that it
   * tells to have ended do not begin again.
   */
  keep({ place, ended = [] }: Pick<JournalEntry, 'place' | 'ended'>): void {
    for (const id of this.#recent) {
      if (place.startsWith(scopeOf(id)) || ended.some((each) => id.startsWith(`${each}.`))) this.#recent.delete(id)
    }
  }

  /** Returns an event as the log has it. `isLeaving` is true once the turn is stopped and another one is to go on. */
  place(event: XEvent, isLeaving: boolean): XEvent {
    const seq = this.#seq++
    if (isStart(event)) return this.#start({ ...event, seq })
    if (isEnd(event)) return this.#end({ ...event, seq }, isLeaving)
    return { ...event, seq }
  }

  #start(event: StartEvent): XEvent {
    this.#recent.add(event.id)
    return this.#begun.has(event.id) ? { ...event, resumed: true } : event
  }

  #end(event: EndEvent, isLeaving: boolean): XEvent {
    this.isSuspended ||= event.outcome === 'suspended'
    if (event.outcome !== 'aborted' || !isLeaving) return event
    this.#cut.add(event.id)
    return { ...event, outcome: 'suspended' }
  }
}

/** Place of the journal entries of the run itself. */
const RUN_PLACE = '0'

/** True for the id of the span of a call, which is its place. */
const isPlace = (id: string): boolean => /^\d+(?:\.\d+)*$/u.test(id)

/** Returns the beginning of all places in the scope of a span. */
const scopeOf = (id: string): string => id.slice(0, id.lastIndexOf('.') + 1)

const isFirstTurn = ({ entries, turn, takenOver }: ClaimedChat): boolean =>
  entries.length === 0 && turn === 0 && !takenOver

/**
 * Returns the ids of the spans that earlier turns of a chat have begun and that may begin again. A turn that has left its
 * chat has kept them; a worker that died has not, but the log has its events.
 */
export async function begunSpans(log: EventLog, { id, entries, takenOver }: ClaimedChat): Promise<ReadonlySet<string>> {
  if (takenOver) return await loggedSpans(log, id)
  const last = entries.findLast(({ seq }) => seq !== undefined)
  return new Set(last?.kind === 'wait' ? (last.value as LeftTurn).spans : [])
}

async function loggedSpans(log: EventLog, id: string): Promise<ReadonlySet<string>> {
  const spans = new Set<string>()
  try {
    for (let after: string | null = null; ;) {
      const page = await log.read(id, after, EVENTS_PER_PAGE)
      for (const { event } of page) if (isStart(event)) spans.add(event.id)
      after = page.at(-1)?.cursor ?? null
      if (page.length < EVENTS_PER_PAGE) return spans
    }
  } catch (error) {
    // A damaged log does not stop its chat.
    if (isXError(error, 'invalid-state')) return spans
    throw error
  }
}

type StartEvent = Extract<XEvent, { readonly type: `${string}Start` }>
type EndEvent = Extract<XEvent, { readonly ms: number }>

const isStart = (event: XEvent): event is StartEvent => event.type.endsWith('Start')
const isEnd = (event: XEvent): event is EndEvent => 'ms' in event
