import type { ClaimedChat, EventLog, XEvent } from '@x/interfaces'
import { isXError } from '@x/kernel'

/** Number of events that are read at once. */
const EVENTS_PER_PAGE = 1000
/** Most events of one turn whose numbers are surely below those of the next turn. */
const EVENTS_PER_CLAIM = 2 ** 20

/** Value of a journal entry of kind `wait`, which is kept when a turn leaves its chat. */
export interface LeftTurn {
  /** Ids of the spans that the turn had to end before they were over. */
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
  readonly #left = new Set<string>()
  #seq: number

  /** `begun` are the ids of the spans that earlier turns have begun and that may begin again. */
  constructor(chat: ClaimedChat, begun: ReadonlySet<string>) {
    this.#begun = begun
    this.#seq = isFirstTurn(chat) ? 0 : chat.epoch * EVENTS_PER_CLAIM
  }

  /** Ids of the spans that this turn has left. */
  get left(): readonly string[] {
    return [...this.#left]
  }

  /** Returns an event as the log has it. `isLeaving` is true once the turn is stopped and another one is to go on. */
  place(event: XEvent, isLeaving: boolean): XEvent {
    const seq = this.#seq++
    if (isStart(event) && this.#begun.has(event.id)) return { ...event, seq, resumed: true }
    if (!isEnd(event)) return { ...event, seq }
    this.isSuspended ||= event.outcome === 'suspended'
    if (!isLeaving || event.outcome !== 'aborted') return { ...event, seq }
    this.#left.add(event.id)
    return { ...event, seq, outcome: 'suspended' }
  }
}

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
