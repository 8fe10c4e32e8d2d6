import type { CallInput, XEvent } from '@x/interfaces'

/** Levels of an object down to which it is copied. */
const MAX_DEPTH = 32
/** Most lists that a further one is compared with: those of as many agents in turn. */
const MAX_KNOWN_LISTS = 64
/** Fields of events and entries that the framework makes for each of them. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['agentPath', 'error', 'usage', 'used', 'ended'])
/** Types of events that the framework makes with all that is in them. */
const OWN_EVENTS: ReadonlySet<XEvent['type']> = new Set(['modelAttemptStart', 'modelAttemptEnd'])

/**
 * Returns plain data as it is now: the value itself if nothing in it can change, else a copy of what can; undefined for what is
 * no plain data, such as an instance of a class.
 */
export function keptOf(value: unknown, depth: number = MAX_DEPTH): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value
  if (depth === 0 || 'toJSON' in value) return undefined
  const isList = Array.isArray(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== (isList ? Array.prototype : Object.prototype)) return undefined
  let copy: Record<string, unknown> | null = Object.isFrozen(value) ? null : copyOf(value, isList)
  for (const key in value) {
    const each = (value as Readonly<Record<string, unknown>>)[key]
    if (each === undefined || (typeof each !== 'object' && typeof each !== 'function') || each === null) continue
    const kept = keptOf(each, depth - 1)
    if (kept === undefined) return undefined
    if (kept === each) continue
    copy ??= copyOf(value, isList)
    copy[key] = kept
  }
  return copy ?? value
}

const copyOf = (value: object, isList: boolean): Record<string, unknown> =>
  (isList ? (value as unknown[]).slice() : { ...value }) as Record<string, unknown>

/** A list as it was at a time: the first items of one to which items are only added, so that a long one is never copied. */
export class KeptSlice<T = unknown> {
  /** The items, and those of later times. */
  readonly all: readonly T[]
  readonly length: number

  constructor(all: readonly T[], length: number) {
    this.all = all
    this.length = length
  }

  /** The items of the list; a copy if there are later ones. */
  get items(): readonly T[] {
    return this.length === this.all.length ? this.all : this.all.slice(0, this.length)
  }
}

/** Keeps what a run tells as it is at that time, so that it can be written later. */
export class KeptValues {
  /** Lists as they were kept, those that were found last first. */
  readonly #lists: unknown[][] = []
  /** Frozen lists, which are not looked through again. */
  readonly #frozen = new WeakMap<object, readonly unknown[]>()

  /** Returns the input of a call as it is now; undefined if it has to be written at once. */
  input(input: CallInput): CallInput | undefined {
    const kept: Record<string, unknown> = {}
    for (const key in input) {
      const value = input[key]
      if (value === undefined) continue
      const each = Array.isArray(value) ? this.list(value) : keptOf(value)
      if (each === undefined) return undefined
      kept[key] = each
    }
    return kept
  }

  /** Returns a list as it is now; undefined if it has to be written at once. */
  list<T>(values: readonly T[]): readonly T[] | KeptSlice<T> | undefined {
    if (!Object.isFrozen(values)) return this.#list(values) as KeptSlice<T> | undefined
    const known = this.#frozen.get(values)
    if (known) return known as readonly T[]
    const kept = keptOf(values) as readonly T[] | undefined
    if (kept) this.#frozen.set(values, Object.freeze(kept))
    return kept
  }

  #list(values: readonly unknown[]): KeptSlice | undefined {
    if ('toJSON' in values || Object.getPrototypeOf(values) !== Array.prototype) return undefined
    const { length } = values
    // Those of the members of a group end alike, and begin with the prompt of each.
    const index = this.#lists.findIndex((list) => list[0] === values[0] && list.at(-1) === values[list.length - 1])
    const known = this.#lists[index]
    const shared = known ? sharedLength(known, values) : 0
    const added: unknown[] = []
    for (let at = shared; at < length; at++) {
      const kept = keptOf(values[at])
      if (kept === undefined && values[at] !== undefined) return undefined
      added.push(kept)
    }
    const goesOn = known && shared === known.length
    const list = goesOn ? known : values.slice(0, shared)
    for (const each of added) list.push(each)
    // One whose last item is a copy is never found again.
    if (length > 0 && list[length - 1] === values[length - 1]) this.#remember(list, index)
    return new KeptSlice(list, length)
  }

  /** Puts a list first, in the place of one, or before all. */
  #remember(list: unknown[], index: number): void {
    if (index === 0) {
      this.#lists[0] = list
      return
    }
    if (index > 0) this.#lists.splice(index, 1)
    if (this.#lists.unshift(list) > MAX_KNOWN_LISTS) this.#lists.pop()
  }
}

/** Counts the items with which two lists begin that are the very same. */
function sharedLength(known: readonly unknown[], values: readonly unknown[]): number {
  const max = Math.min(known.length, values.length)
  let count = 0
  while (count < max && known[count] === values[count]) count++
  return count
}

/** Returns an event or an entry as it is now, without a copy of what the framework has made for it; undefined if it has to be written at once. */
export function keptFields<T extends object>(fields: T): T | undefined {
  let copy: Record<string, unknown> | null = null
  for (const name in fields) {
    const value: unknown = fields[name]
    if (typeof value !== 'object' || value === null || OWN_FIELDS.has(name)) continue
    const kept = keptOf(value)
    if (kept === undefined) return undefined
    if (kept === value) continue
    copy ??= { ...fields } as Record<string, unknown>
    copy[name] = kept
  }
  return (copy as T | null) ?? fields
}

/** Returns an event as it is now; undefined if it has to be written at once. */
export const keptEvent = (event: XEvent): XEvent | undefined => (OWN_EVENTS.has(event.type) ? event : keptFields(event))
