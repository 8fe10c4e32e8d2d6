import type { XEvent } from '@x/interfaces'
import { damagedRecord } from './storage.ts'

/**
 * An event as it is written: whole, or as what it has beyond the last event of the same type and agent. Such pairs are numbered
 * in the order in which they came; `elapsed` are milliseconds since the event before. Its `seq` follows that of the event
 * before. An `id` or `parentId` that is 1 is the `id` of the event before, one that is 2 the `parentId` of that.
 */
export type WrittenEvent = XEvent | readonly [pair: number, elapsed: number, changes: Readonly<Record<string, unknown>>]

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** The last event of a type and an agent. */
interface LastEvent {
  /** Number of the pair; null before an event of it was written. */
  number: number | null
  fields: Fields
  /** Number of its fields that are not undefined. */
  count: number
  /** JSON texts of its fields that hold objects. */
  texts: Record<string, string>
}

/** How an {@link EventWriter} writes: the JSON text of a field, and that of a whole event. */
interface EventTexts {
  field(name: string, value: unknown): string
  whole(event: Fields): string
}

/** Writes events as what they have beyond earlier ones: most fields are those of the event before of the same type. */
export class EventWriter {
  readonly #texts: EventTexts
  readonly #last = new Map<unknown, Map<unknown, LastEvent>>()
  readonly #names = new Map<string, string>()
  #count = 0
  /** The event before. */
  #before: Fields = { seq: NaN, time: 0 }

  constructor(texts: EventTexts) {
    this.#texts = texts
  }

  /** Returns the JSON text of an event. With `alone` it refers to no other. */
  write(event: XEvent, alone: boolean): string {
    const fields = event as unknown as Fields
    const last = this.#lastOf(fields)
    const { count } = last
    // None refers to an event that cannot be written.
    last.count = 0
    const changes = alone || count === 0 ? null : this.#changes(last, count, fields)
    const elapsed = event.time - (this.#before['time'] as number)
    const text = changes === null ? this.#texts.whole(fields) : `[${last.number},${elapsed},{${changes}}]`
    last.count = changes === null ? this.#countFields(last, fields) : count
    // A reader counts the pairs that it reads: one whose event could not be written is none of them.
    last.number ??= this.#count++
    last.fields = fields
    this.#before = fields
    return text
  }

  #lastOf({ type, agent = null }: Fields): LastEvent {
    let byAgent = this.#last.get(type)
    if (!byAgent) this.#last.set(type, (byAgent = new Map()))
    let last = byAgent.get(agent)
    if (!last) byAgent.set(agent, (last = { number: null, fields: {}, count: 0, texts: {} }))
    return last
  }

  /** Returns the fields of an event that are not those of the last one; null if it has others. */
  #changes({ fields: before, texts }: LastEvent, count: number, fields: Fields): string | null {
    const { seq, id, parentId } = this.#before
    let changes = ''
    let rest = count
    for (const name in fields) {
      const value = fields[name]
      if (value === undefined) continue
      rest--
      const known = before[name]
      if (value === known || name === 'time' || isFlatCopy(known, value)) continue
      if (name === 'seq' && value === (seq as number) + 1) continue
      if (known === undefined) return null
      const isId = (name === 'id' || name === 'parentId') && typeof value === 'string'
      const text = isId && value === id ? '1' : isId && value === parentId ? '2' : this.#textOf(name, value)
      if (isObject(value) && texts[name] === text) continue
      if (isObject(value) || isObject(known)) texts[name] = text
      changes += changes === '' ? this.#nameOf(name) : `,${this.#nameOf(name)}`
      changes += text
    }
    return rest === 0 ? changes : null
  }

  #textOf(name: string, value: unknown): string {
    if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
    return value === null ? 'null' : this.#texts.field(name, value)
  }

  /** Returns the name of a field as it stands before its text. */
  #nameOf(name: string): string {
    let known = this.#names.get(name)
    if (known === undefined) this.#names.set(name, (known = `${JSON.stringify(name)}:`))
    return known
  }

  #countFields(last: LastEvent, fields: Fields): number {
    const texts: Record<string, string> = (last.texts = {})
    let count = 0
    for (const name in fields) {
      const value = fields[name]
      if (value === undefined) continue
      count++
      if (isObject(value)) texts[name] = this.#texts.field(name, value)
    }
    return count
  }
}

/** True for two objects with the same texts, numbers and the like, in the same order. */
function isFlatCopy(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other) || Array.isArray(one) || Array.isArray(other)) return false
  const [names, others] = [Object.keys(one as object), Object.keys(other as object)]
  return (
    names.length === others.length &&
    names.every((name, index) => name === others[index] && (one as Fields)[name] === (other as Fields)[name])
  )
}

/** Reads the events of one process in their order. */
export class EventReader {
  readonly #pairs = new Map<string, number>()
  readonly #last: XEvent[] = []
  #before: XEvent | null = null

  read(written: WrittenEvent): XEvent {
    const event = isWhole(written) ? written : this.#changed(written)
    const { type, agent } = event
    const pair = JSON.stringify([type, agent])
    let number = this.#pairs.get(pair)
    if (number === undefined) this.#pairs.set(pair, (number = this.#last.length))
    this.#last[number] = event
    this.#before = event
    return event
  }

  #changed([number, elapsed, changes]: Exclude<WrittenEvent, XEvent>): XEvent {
    const [last, before] = [this.#last[number], this.#before]
    if (!last || !before) throw damagedRecord(`an event like the event ${number}`)
    const event: Record<string, unknown> = { ...last, seq: before.seq + 1, time: before.time + elapsed, ...changes }
    const { id, parentId } = before as { readonly id?: string; readonly parentId: string | null }
    for (const name of ['id', 'parentId']) {
      if (event[name] === 1) event[name] = id
      else if (event[name] === 2) event[name] = parentId
    }
    return event as unknown as XEvent
  }
}

const isWhole = (written: WrittenEvent): written is XEvent => !Array.isArray(written)
