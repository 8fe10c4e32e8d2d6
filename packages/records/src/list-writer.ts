import { digestOf } from './platform.ts'

/** A value of a record: an object that lines refer to by its number. */
export type ValueLine = readonly ['v', id: number, value: unknown]

/** A list of values: the first `keep` of an earlier list, and what comes after them. */
export type ListLine = readonly ['l', id: number, base: number | null, keep: number, added: readonly number[]]

/** Writes a value as JSON text, as the options of the records want it. */
export type WriteJson = (value: unknown) => string

/** A list that was written: the objects in it, null for those that may change, and their numbers. */
interface WrittenList {
  readonly id: number
  readonly values: readonly (object | null)[]
  readonly ids: readonly number[]
}

/** Characters of a JSON text that is remembered as it is: up to there a digest costs more than it saves. */
const MAX_SHORT_LENGTH = 500
/** Most lists that a further one is compared with: those of as many agents in turn. */
const MAX_RECENT_LISTS = 64

/**
 * Writes values once and refers to them afterwards. The requests of a chat repeat its messages, so that a list is written as
 * what it has beyond an earlier one: a record grows by what is new.
 */
export class ListWriter {
  readonly #take: (line: string) => void
  readonly #toJson: WriteJson
  /** Numbers of frozen objects. */
  readonly #ids = new WeakMap<object, number>()
  /** Numbers of values, by their JSON if it is short, else by its digest. */
  readonly #byText = new Map<string, number>()
  #recent: WrittenList[] = []
  #count = 0

  constructor(take: (line: string) => void, toJson: WriteJson) {
    this.#take = take
    this.#toJson = toJson
  }

  /** Returns the number of an object or a text, and writes it if it is new. Throws for what is no JSON. */
  value(value: object | string): number {
    const known = typeof value === 'object' ? this.#ids.get(value) : undefined
    if (known !== undefined) return known
    const json = this.#toJson(value)
    const text = json.length > MAX_SHORT_LENGTH ? digestOf(json) : json
    let id = this.#byText.get(text)
    if (id === undefined) {
      id = this.#count++
      this.#byText.set(text, id)
      this.#take(`["v",${id},${json}]`)
    }
    if (typeof value === 'object' && Object.isFrozen(value)) this.#ids.set(value, id)
    return id
  }

  /** Returns the number of a list, and writes what it does not share with an earlier list. */
  list(values: readonly object[]): number {
    const same = this.#closest((each) => sharedBeginning(each.values, values))
    const ids = same.base?.ids.slice(0, same.shared) ?? []
    const fixed = same.base?.values.slice(0, same.shared) ?? []
    for (let index = ids.length; index < values.length; index++) {
      const value = values[index]!
      ids.push(this.value(value))
      fixed.push(Object.isFrozen(value) ? value : null)
    }
    // Equal messages may be other objects, such as those that a hook makes anew.
    const { base, shared } =
      same.base && same.shared === same.base.ids.length ? same : this.#closest((each) => sharedBeginning(each.ids, ids))
    if (base && shared === ids.length && shared === base.ids.length) return base.id
    const id = this.#count++
    this.#take(`["l",${id},${base?.id ?? null},${shared},[${ids.slice(shared).join(',')}]]`)
    const replaced = base && shared === base.ids.length ? base : null
    this.#recent = [{ id, values: fixed, ids }, ...this.#recent.filter((each) => each !== replaced)]
    if (this.#recent.length > MAX_RECENT_LISTS) this.#recent.pop()
    return id
  }

  /** Finds the earlier list that shares most. */
  #closest(countShared: (list: WrittenList) => number): { readonly base: WrittenList | null; readonly shared: number } {
    let base: WrittenList | null = null
    let shared = 0
    for (const each of this.#recent) {
      const count = countShared(each)
      if (count <= shared) continue
      base = each
      shared = count
      if (shared === each.ids.length && shared > 1) break
    }
    return { base, shared }
  }
}

/** Counts the items that two lists begin with alike. */
function sharedBeginning<T>(one: readonly (T | null)[], other: readonly T[]): number {
  const max = Math.min(one.length, other.length)
  let count = 0
  while (count < max && one[count] === other[count]) count++
  return count
}
