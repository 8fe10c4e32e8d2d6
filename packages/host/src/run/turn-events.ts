import type { ClaimedChat, EventLog, JournalEntry, TraceContext, XEvent } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { isPlace } from './activity.ts'
import { loadJournal } from './program-start.ts'

/** Number of events that are read at once. */
const EVENTS_PER_PAGE = 1000
/** Number of events that are read first at the end of a log. */
const MIN_LAST_EVENTS = 20
/** Place of the journal entries of the run itself. */
const RUN_PLACE = '0'

/** The events of earlier turns, as far as a turn has to know them. */
interface EarlierEvents {
  /** Number of the next event. */
  readonly seq: number
  /** Ids of the spans that have begun, and that the turn may begin again without knowing it. */
  readonly spans: readonly string[]
}

/** Value of a journal entry of kind `wait`, which is kept when a turn leaves its chat. */
interface LeftTurn extends EarlierEvents {
  /** Places that the turn had come to: the next one sends nothing before them again. */
  readonly places: readonly string[]
}

/** Place of entries about a chat, which are no answers: its trace context, and the chat for which it cancels. */
const ABOUT_PLACE = '0.0'

/** Returns the first entries of a chat that goes on with a trace; undefined without one. */
export async function traceEntries(trace: TraceContext | undefined): Promise<readonly JournalEntry[] | undefined> {
  if (!trace) return undefined
  const { traceparent, tracestate } = trace
  const kept = tracestate === undefined ? { traceparent } : { traceparent, tracestate }
  return await entriesAbout([], 'trace', { trace: kept })
}

/** Returns entries with one more about their chat, which reads like that of a turn that has done nothing. */
export async function entriesAbout(
  entries: readonly JournalEntry[],
  name: string,
  about: object,
): Promise<readonly JournalEntry[]> {
  const journal = loadJournal(entries)
  const nothing: LeftTurn = { places: [], spans: [], seq: 0 }
  await journal.keep({ place: ABOUT_PLACE, kind: 'wait', name, value: { ...nothing, ...about } })
  return journal.saveState().entries
}

/** True for such an entry. */
export const isAbout = ({ place, kind, name }: JournalEntry, which: string): boolean =>
  place === ABOUT_PLACE && kind === 'wait' && name === which

/** Returns the trace context of a chat; undefined for a chat without one. */
export function traceOf(entries: readonly JournalEntry[]): TraceContext | undefined {
  const entry = entries.find((each) => each.kind === 'checkpoint' || isTraceEntry(each))
  return (entry?.value as { readonly trace?: TraceContext } | undefined)?.trace
}

/** True for the entry with the trace context of a chat, which is no answer of an earlier run. */
export const isTraceEntry = (entry: JournalEntry): boolean => isAbout(entry, 'trace')

/**
 * Makes the events of one turn part of the log of its chat. Their numbers continue those of earlier turns, whatever the
 * clocks of the workers say: the run begins with `firstSeq`. Spans that an earlier turn has begun start again as `resumed`, and those that this turn leaves
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
  /** Number of the first event. */
  readonly firstSeq: number
  #seq: number

  constructor({ seq, spans }: EarlierEvents) {
    this.firstSeq = seq
    this.#seq = seq
    this.#begun = new Set(spans)
  }

  /** Number of the next event. */
  get next(): number {
    return this.#seq
  }

  /**
   * Returns the entry that tells the next turn how this one leaves the chat, which waits for messages at some places; null if
   * it has sent no event.
   */
  leave(waits: readonly string[], epoch: number): JournalEntry | null {
    if (this.#seq === this.firstSeq) return null
    const calls = [...this.#cut].filter(isPlace)
    const places = [...waits, ...calls]
    for (const place of places) this.keep({ place })
    const value: LeftTurn = { places, spans: [...new Set([...calls, ...this.#recent])], seq: this.#seq }
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
    this.#seq = event.seq + 1
    if (isStart(event)) return this.#start(event)
    return isEnd(event) ? this.#end(event, isLeaving) : event
  }

  #start(event: StartEvent): XEvent {
    this.#recent.add(event.id)
    if (this.#begun.has(event.id)) return { ...event, resumed: true }
    // The log is empty, as that of a fork is: what its entries had begun has not begun here.
    return event.resumed && this.firstSeq === 0 ? { ...event, resumed: undefined } : event
  }

  #end(event: EndEvent, isLeaving: boolean): XEvent {
    this.isSuspended ||= event.outcome === 'suspended'
    if (event.outcome !== 'aborted' || !isLeaving) return event
    this.#cut.add(event.id)
    return { ...event, outcome: 'suspended' }
  }
}

/**
 * Returns what a turn has to know: from the entry that the turn before has left, or from the log if it has left none, because
 * its worker was lost or its program has failed, which is the `reason` of the chat.
 */
export async function earlierEvents(
  log: EventLog,
  { id, entries, turn, takenOver, reason }: ClaimedChat,
): Promise<EarlierEvents> {
  const last = entries.findLast(({ seq }) => seq !== undefined)
  if (!takenOver && reason === null && last?.kind === 'wait') return last.value as LeftTurn
  const isFirst = turn === 0 && !takenOver
  return isFirst ? { seq: 0, spans: [] } : ((await readSinceCheckpoint(log, id, entries)) ?? (await readAll(log, id)))
}

/** Value of a checkpoint, as far as it concerns events. */
interface CheckpointEvents {
  /** Number of the first event behind the checkpoint; absent in a fork, which has a log of its own. */
  readonly events?: number
}

/** Reads the events behind a checkpoint, with which all spans had ended; null without one. */
async function readSinceCheckpoint(
  log: EventLog,
  id: string,
  [first]: readonly JournalEntry[],
): Promise<EarlierEvents | null> {
  const since = first?.kind === 'checkpoint' ? (first.value as CheckpointEvents).events : undefined
  if (since === undefined) return null
  try {
    for (let limit = MIN_LAST_EVENTS; ; limit *= 8) {
      const last = await log.readLast(id, limit)
      if (last.length >= limit && last[0]!.seq > since) continue
      const later = last.filter(({ seq }) => seq >= since)
      const spans = later.flatMap((event) => (isStart(event) ? [event.id] : []))
      return { seq: Math.max(since, (last.at(-1)?.seq ?? -1) + 1), spans }
    }
  } catch (error) {
    // A damaged log does not stop its chat.
    if (!isXError(error, 'invalid-state')) throw error
    return null
  }
}

async function readAll(log: EventLog, id: string): Promise<EarlierEvents> {
  const spans = new Set<string>()
  let seq = 0
  try {
    for (let after: string | null = null; ;) {
      const page = await log.read(id, after, EVENTS_PER_PAGE)
      for (const { event } of page) if (isStart(event)) spans.add(event.id)
      seq = Math.max(seq, (page.at(-1)?.event.seq ?? -1) + 1)
      after = page.at(-1)?.cursor ?? null
      if (page.length < EVENTS_PER_PAGE) break
    }
  } catch (error) {
    // A damaged log does not stop its chat.
    if (!isXError(error, 'invalid-state')) throw error
  }
  return { seq, spans: [...spans] }
}

/** Returns the beginning of all places in the scope of a span. */
const scopeOf = (id: string): string => id.slice(0, id.lastIndexOf('.') + 1)

type StartEvent = Extract<XEvent, { readonly type: `${string}Start` }>
type EndEvent = Extract<XEvent, { readonly ms: number }>

const isStart = (event: XEvent): event is StartEvent => event.type.endsWith('Start')
const isEnd = (event: XEvent): event is EndEvent => 'ms' in event
