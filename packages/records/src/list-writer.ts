import { keptOf, KeptSlice } from './kept-values.ts'
import { digestOf } from './platform.ts'

/**
 * A value of a record: an object or a text that lines refer to by its number. With `content` the object has that text as its
 * `content`, where `value` has a 0: the text of a message stands in several places of a run, and once in its record.
 */
export type ValueLine = readonly ['v', id: number, value: unknown, content?: number]

/**
 * A list of values: the first `keep` of an earlier list, and what comes after them: numbers of values, and parts of that list
 * from one index to another.
 */
export type ListLine = readonly ['l', id: number, base: number | null, keep: number, added: readonly ListPart[]]

/** The number of a value, or a part of the earlier list. */
export type ListPart = number | readonly [from: number, to: number]

/** Stands before the number of a text that another line has. A text that itself begins so is always in a line of its own. */
export const TEXT_MARK = '\u0001'
/** The mark as it stands in JSON. */
const MARK_JSON = JSON.stringify(TEXT_MARK).slice(1, -1)
/** True for JSON text with the mark anywhere in it. */
export const hasMark = (json: string): boolean => json.includes(MARK_JSON)
/** Returns a line whose texts may be marks as one that says so. */
export const markedLine = (line: string): string => `["t",${line}]`

/** Writes a value as JSON text, as the options of the records want it. */
export type WriteJson = (value: unknown) => string

/** A list that was written: its items, as copies if they may change, and their numbers. */
interface WrittenList {
  id: number
  readonly items: object[]
  readonly ids: number[]
  /** The kept list that begins with these items, as far as is known: what follows in it need not be compared. */
  source: readonly unknown[] | null
}

/** Characters of a text up to which it is written wherever it stands; a longer one is written once. */
export const MAX_INLINE_LENGTH = 100
/** Characters of a JSON text that is remembered as it is: up to there a digest costs more than it saves. */
const MAX_SHORT_LENGTH = 500
/** Most lists that a further one is compared with: those of as many agents in turn. */
const MAX_RECENT_LISTS = 64
/** Most items in a row that may be new before an item of the earlier list is no longer looked for behind them. */
const MAX_NEW_IN_A_ROW = 8

/**
 * Writes values once and refers to them afterwards. The requests of a chat repeat its messages, so that a list is written as
 * what it has beyond an earlier one: a record grows by what is new, and only that is made text.
 */
export class ListWriter {
  readonly #take: (line: string) => void
  readonly #toJson: WriteJson
  /** Writes the text of a line of its own. */
  readonly #toTextJson: WriteJson
  /** Numbers of frozen lists. */
  readonly #lists = new WeakMap<object, number>()
  /** Numbers of texts. */
  readonly #texts = new Map<string, number>()
  /** Numbers of values, by their JSON if it is short, else by its digest. */
  readonly #byText = new Map<string, number>()
  readonly #recent: WrittenList[] = []
  #count = 0

  constructor(take: (line: string) => void, toJson: WriteJson, toTextJson: WriteJson = toJson) {
    this.#take = take
    this.#toJson = toJson
    this.#toTextJson = toTextJson
  }

  /** Returns the number of a text, and writes it if it is new. */
  text(text: string): number {
    let id = this.#texts.get(text)
    if (id === undefined) {
      const json = this.#toTextJson(text)
      id = this.#count++
      this.#texts.set(text, id)
      this.#take(`["v",${id},${json}]`)
    }
    return id
  }

  /** Returns the number of an object, and writes it if it is new. Throws for what is no JSON. */
  value(value: object): number {
    const content = contentOf(value)
    const text = content === null ? null : this.text(content)
    const json = this.#toJson(text === null ? value : { ...value, content: 0 })
    const key = json.length > MAX_SHORT_LENGTH ? digestOf(json) : json
    const whole = text === null ? key : `${text} ${key}`
    let id = this.#byText.get(whole)
    if (id === undefined) {
      id = this.#count++
      this.#byText.set(whole, id)
      const line = text === null ? `["v",${id},${json}]` : `["v",${id},${json},${text}]`
      this.#take(hasMark(json) ? markedLine(line) : line)
    }
    return id
  }

  /**
   * Returns the number of a list of objects, and writes what it does not share with an earlier list; undefined for a list with
   * anything else in it.
   */
  list(values: readonly unknown[] | KeptSlice): number | undefined {
    if (values instanceof KeptSlice) return this.#slice(values)
    if (!Object.isFrozen(values)) return this.#list(values)
    const known = this.#lists.get(values)
    if (known !== undefined) return known
    const id = this.#list(values)
    if (id !== undefined) this.#lists.set(values, id)
    return id
  }

  /** True if a list was the last to be written or found, and has these very objects, none of which may change. */
  isLast(id: number, list: readonly object[] | KeptSlice<object>): boolean {
    const last = this.#recent[0]
    if (last?.id !== id || last.items.length !== list.length) return false
    if (list instanceof KeptSlice && last.source === list.all) return true
    const values = list instanceof KeptSlice ? list.items : list
    for (let index = 0; index < values.length; index++) if (last.items[index] !== values[index]) return false
    return true
  }

  /** Writes a kept list: what an earlier time of it has is known to be the same. */
  #slice(list: KeptSlice): number | undefined {
    const { all, length } = list
    const base = this.#recent.find((each) => each.source === all)
    if (base && base.ids.length <= length && areObjects(all, base.ids.length, length))
      return this.#extended(base, all as readonly object[], length)
    const id = this.#list(list.items)
    if (id !== undefined) this.#recent[0]!.source = all
    return id
  }

  #list(values: readonly unknown[]): number | undefined {
    const { base, shared } = this.#closest(values)
    if (!areObjects(values, shared, values.length)) return undefined
    const objects = values as readonly object[]
    if (base && shared === base.ids.length) {
      base.source = null
      return this.#extended(base, objects, objects.length)
    }
    return this.#changed(base ?? this.#baseFor(objects), shared, objects)
  }

  /** Writes what a list has behind the whole of an earlier one, which it replaces. */
  #extended(base: WrittenList, values: readonly object[], length: number): number {
    const keep = base.ids.length
    if (keep < length) {
      const added: WrittenList = { id: 0, items: [], ids: [], source: null }
      for (let index = keep; index < length; index++) this.#add(added, values[index]!)
      const id = this.#count++
      this.#take(`["l",${id},${base.id},${keep},[${added.ids.join(',')}]]`)
      base.id = id
      for (const each of added.ids) base.ids.push(each)
      for (const each of added.items) base.items.push(each)
    }
    if (this.#recent[0] !== base) {
      this.#recent.splice(this.#recent.indexOf(base), 1)
      this.#recent.unshift(base)
    }
    return base.id
  }

  /** Writes a list as parts of an earlier one and new items between them. */
  #changed(base: WrittenList | null, shared: number, values: readonly object[]): number {
    const list: WrittenList = {
      id: 0,
      items: base?.items.slice(0, shared) ?? [],
      ids: base?.ids.slice(0, shared) ?? [],
      source: null,
    }
    const parts: (number | [number, number])[] = []
    const known = this.#count
    let places: ReadonlyMap<number, number> | undefined
    let next = shared
    let fresh = 0
    for (let index = shared; index < values.length; index++) {
      const value = values[index]!
      const from = base ? placeIn(base.items, value, next, fresh) : -1
      if (from === -1) {
        this.#add(list, value)
        const id = list.ids[index]!
        parts.push(id)
        fresh++
        if (!base || id >= known) continue
        // The value stands elsewhere in the earlier list: what follows may stand behind it there.
        places ??= new Map(base.ids.map((each, at) => [each, at]))
        const at = places.get(id)
        if (at === undefined) continue
        next = at + 1
        fresh = 0
        continue
      }
      list.items.push(base!.items[from]!)
      list.ids.push(base!.ids[from]!)
      const last = parts.at(-1)
      if (Array.isArray(last) && last[1] === from) last[1] = from + 1
      else parts.push([from, from + 1])
      next = from + 1
      fresh = 0
    }
    list.id = this.#count++
    const isBased = shared > 0 || parts.some((part) => typeof part !== 'number')
    this.#take(`["l",${list.id},${base && isBased ? base.id : null},${shared},${JSON.stringify(parts)}]`)
    this.#recent.unshift(list)
    if (this.#recent.length > MAX_RECENT_LISTS) this.#recent.pop()
    return list.id
  }

  #add({ items, ids }: WrittenList, value: object): void {
    ids.push(this.value(value))
    items.push((keptOf(value) as object | undefined) ?? UNKNOWN)
  }

  /** Finds the earlier list that shares the longest beginning. */
  #closest(values: readonly unknown[]): { readonly base: WrittenList | null; readonly shared: number } {
    let base: WrittenList | null = null
    let shared = 0
    for (const each of this.#recent) {
      // Most lists go on from an earlier one, the last item of which they have at its place.
      const end = each.items.length
      if (end < 2 || each.items[end - 1] !== values[end - 1] || sharedBeginning(each.items, values) < end) continue
      return { base: each, shared: end }
    }
    // An item with a new text is in none of them: long texts, as the prompts of a search, mostly differ late.
    const known = values.findIndex((each) => this.#isNew(each))
    const begin = known === -1 ? values : values.slice(0, known)
    for (const each of this.#recent) {
      const count = sharedBeginning(each.items, begin)
      if (count <= shared) continue
      base = each
      shared = count
      if (shared === each.items.length && shared > 1) break
    }
    return { base, shared }
  }

  /** True for an object with a long text that was not written yet. */
  #isNew(value: unknown): boolean {
    const text = typeof value === 'object' && value !== null ? contentOf(value) : null
    return text !== null && !this.#texts.has(text)
  }

  /**
   * Finds the earlier list for one that begins otherwise: it has its last item at the same place, or its first near the
   * beginning, as the history of a chat that was sent behind a system message; or it is the last one.
   */
  #baseFor(values: readonly object[]): WrittenList | null {
    const endsAlike = ({ items }: WrittenList): boolean => {
      const value = values[items.length - 1]
      return !this.#isNew(value) && isSame(items.at(-1), value)
    }
    const begins = ({ items }: WrittenList): boolean => placeIn(items, values[0]!, 0, MAX_NEW_IN_A_ROW) !== -1
    return this.#recent.find(endsAlike) ?? this.#recent.find(begins) ?? this.#recent[0] ?? null
  }
}

/** Returns the text of a message if it is long; null for anything else. */
function contentOf(value: object): string | null {
  const { content } = value as { readonly content?: unknown }
  const isLong = typeof content === 'string' && content.length > MAX_INLINE_LENGTH
  return isLong && Object.hasOwn(value, 'content') && !('toJSON' in value) ? content : null
}

function areObjects(values: readonly unknown[], from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    if (typeof values[index] !== 'object' || values[index] === null) return false
  }
  return true
}

/** Stands for an item that may change, and cannot be compared: none is the same. */
const UNKNOWN: object = Object.freeze(Object.create(null) as object)

/** Finds an item in a written list: at an index, or behind it by as many items as are new before it; -1 for none. */
function placeIn(items: readonly object[], value: object, next: number, fresh: number): number {
  const end = Math.min(items.length, next + Math.min(fresh, MAX_NEW_IN_A_ROW) + 1)
  for (let index = next; index < end; index++) if (isSame(items[index], value)) return index
  return -1
}

/** Counts the items with which two lists begin alike, at most `most`. */
export function sharedBeginning(
  items: readonly unknown[],
  values: readonly unknown[],
  most: number = items.length,
): number {
  const max = Math.min(items.length, values.length, most)
  let count = 0
  while (count < max && (items[count] === values[count] || isSame(items[count], values[count]))) count++
  return count
}

/** True if a value is what was written, or a copy of it, with its keys in the same order. */
function isSame(written: unknown, value: unknown): boolean {
  if (written === value) return true
  if (typeof written !== 'object' || typeof value !== 'object' || written === null || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.getPrototypeOf(written)) return false
  if (prototype !== Object.prototype && prototype !== Array.prototype) return false
  const names = Object.keys(written)
  const others = Object.keys(value)
  if (names.length !== others.length) return false
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!
    if (name !== others[index]) return false
    const [one, other] = [(written as Record<string, unknown>)[name], (value as Record<string, unknown>)[name]]
    if (!isSame(one, other)) return false
  }
  return true
}
