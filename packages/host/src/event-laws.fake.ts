import type { XEvent } from '@x/interfaces'
import { foldEvents } from '@x/kernel/events'
import type { Host } from './host.ts'

type SpanStart = Extract<XEvent, { readonly type: `${string}Start` }>
type SpanEnd = Extract<XEvent, { readonly ms: number }>

const isStart = (event: XEvent): event is SpanStart => event.type.endsWith('Start')
const isEnd = (event: XEvent): event is SpanEnd => 'ms' in event

/** How the workers of a chat left it: `suspended` and ended by themselves, `released` at a moment of another, or `killed`. */
export type Left = 'suspended' | 'released' | 'killed'

/** Finds what the log of a chat says against the promises about events. */
export function findFaults(events: readonly XEvent[], left: Left): string[] {
  const log = new LawfulLog(left)
  return events.flatMap((event) => log.take(event).map((fault) => `${event.seq} ${event.type}: ${fault}`))
}

class LawfulLog {
  readonly #left: Left
  #last: XEvent | null = null
  /** The spans so far; the value is the outcome of the last end, and null for a span that is open. */
  readonly #spans = new Map<string, string | null>()
  readonly #told = new Set<string>()

  constructor(left: Left) {
    this.#left = left
  }

  take(event: XEvent): string[] {
    const faults = [...this.#order(event), ...this.#parent(event)]
    if (isStart(event)) faults.push(...this.#start(event))
    else if (isEnd(event)) faults.push(...this.#end(event))
    else if (event.type === 'receivedMessage') faults.push(...this.#message(event))
    this.#last = event
    return faults
  }

  #order({ seq, time }: XEvent): string[] {
    const last = this.#last
    if (!last) return []
    return [
      ...(seq > last.seq ? [] : [`after ${last.seq}`]),
      ...(time >= last.time ? [] : [`at ${time} after ${last.time}`]),
    ]
  }

  #parent({ parentId }: XEvent): string[] {
    return parentId === null || this.#spans.get(parentId) === null ? [] : [`its parent ${parentId} is not open`]
  }

  #start({ id, resumed }: SpanStart): string[] {
    const before = this.#spans.get(id)
    this.#spans.set(id, null)
    if (before === undefined) return resumed ? [`${id} is resumed, and did not begin`] : []
    const faults = resumed ? [] : [`${id} begins again, and is not resumed`]
    if (before === null && this.#left !== 'killed') faults.push(`${id} begins again, and did not end`)
    if (before !== null && before !== 'suspended' && this.#left === 'suspended') faults.push(`${id} had ended`)
    return faults
  }

  #end({ id, outcome }: SpanEnd): string[] {
    const before = this.#spans.get(id)
    this.#spans.set(id, outcome)
    return before === null ? [] : [`${id} is not open`]
  }

  #message({ chatId, recipient, index }: Extract<XEvent, { type: 'receivedMessage' }>): string[] {
    const message = `${chatId} ${recipient} ${index}`
    const isTold = this.#told.has(message)
    this.#told.add(message)
    return isTold && this.#left === 'suspended' ? [`message ${message} comes again`] : []
  }
}

/** Returns the results of the chats of a run as its events tell them, in an order of their own. */
export function foldedResults(events: readonly XEvent[]): unknown[] {
  const { chats } = foldEvents(events)
  return comparable(
    chats
      .filter(({ nested }) => !nested)
      .map(({ messages, ...facts }): ToldResult => ({ ...facts, chatHistory: messages })),
  )
}

/** The facts of the result of a chat that its events tell. */
interface ToldResult {
  readonly chatHistory: unknown
  readonly summary: unknown
  readonly cost: unknown
  readonly humanInput: unknown
  readonly terminationReason: unknown
}

/** Returns results of chats as plain JSON, in an order of their own. */
export const comparable = (results: readonly ToldResult[]): unknown[] =>
  results
    .map(({ chatHistory, summary, cost, humanInput, terminationReason }) =>
      JSON.stringify({ chatHistory, summary, cost, humanInput, terminationReason }),
    )
    .toSorted()
    .map((text) => JSON.parse(text) as unknown)

/** Returns the summaries of the outermost chats of a run as its events tell them. */
export const foldedSummaries = (events: readonly XEvent[]): string[] =>
  foldEvents(events)
    .chats.filter(({ nested }) => !nested)
    .map(({ summary }) => (typeof summary === 'string' ? summary : '').replace(/^heard .*/u, 'heard'))

/** Reads all events of a chat that has ended. */
export async function logOf(host: Host, id: string): Promise<XEvent[]> {
  const events: XEvent[] = []
  for await (const { event } of host.events(id)) events.push(event)
  return events
}
