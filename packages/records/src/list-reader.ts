import { type ListLine, TEXT_MARK, type ValueLine } from './list-writer.ts'
import type { Reference } from './record-line.ts'
import { damagedRecord } from './storage.ts'

/** The line of a value in which other lines have the long texts. */
export type MarkedValue = readonly ['t', line: ValueLine]

const idOf = (line: ValueLine | ListLine | MarkedValue): number => (line[0] === 't' ? line[1][1] : line[1])

/** A list of a record: what it shares with an earlier one, and what comes behind that. */
export class KeptList {
  readonly base: KeptList | null
  readonly keep: number
  readonly added: readonly unknown[]
  readonly length: number
  /** The list that has the first items, and how many of them. */
  readonly first: KeptList
  readonly ofFirst: number

  constructor(base: KeptList | null, keep: number, added: readonly unknown[]) {
    // What many lists begin with, such as a prompt, is looked for in the first of them.
    this.base = base && keep <= base.ofFirst ? base.first : base
    this.keep = keep
    this.added = added
    this.length = keep + added.length
    this.first = base && keep > 0 ? base.first : this
    this.ofFirst = base && keep > 0 ? Math.min(keep, base.ofFirst) : this.length
  }
}

/** Reads values and lists by their numbers. Those of one process are apart from those of others. */
export class ListReader {
  readonly #values = new Map<number, unknown>()
  readonly #lists = new Map<number, KeptList>()
  /** The items of the list that was read last: the next one mostly begins with them. */
  #last: { readonly list: KeptList; readonly items: readonly unknown[] } | null = null

  constructor(lines: readonly (ValueLine | ListLine)[] = []) {
    this.add(lines)
  }

  /** Adds lines of a process; a line may refer to any with a lower number. */
  add(lines: readonly (ValueLine | ListLine | MarkedValue)[]): void {
    for (const line of lines.toSorted((one, other) => idOf(one) - idOf(other))) {
      if (line[0] === 't') this.#addValue(this.unmarked(line[1]))
      else if (line[0] === 'v') this.#addValue(line)
      else this.#lists.set(line[1], this.#listOf(line))
    }
  }

  /** Puts texts in the places of their marks: in the parts of a line as it was parsed, which nobody else has. */
  unmarked<T>(part: T): T {
    if (typeof part === 'string' && part.startsWith(TEXT_MARK)) {
      const text = this.#known(this.#values, Number(part.slice(TEXT_MARK.length)))
      if (typeof text === 'string') return text as T
      throw damagedRecord('a long text')
    }
    if (typeof part !== 'object' || part === null) return part
    for (const key of Object.keys(part) as (keyof T)[]) part[key] = this.unmarked(part[key])
    return part
  }

  #addValue(line: ValueLine): void {
    this.#values.set(line[1], deepFreeze(this.#valueOf(line)))
  }

  #valueOf([, id, value, content]: ValueLine): unknown {
    if (content === undefined) return value
    const text = this.#known(this.#values, content)
    if (typeof value !== 'object' || value === null || typeof text !== 'string') throw damagedRecord(`the value ${id}`)
    return { ...value, content: text }
  }

  #listOf([, id, base, keep, added]: ListLine): KeptList {
    const shared = base === null ? null : this.#known(this.#lists, base)
    if (!Number.isInteger(keep) || keep < 0 || keep > (shared?.length ?? 0)) throw damagedRecord(`the list ${id}`)
    return new KeptList(
      shared,
      keep,
      added.flatMap((part) => {
        if (typeof part === 'number') return [this.#known(this.#values, part)]
        const [from, to] = part
        if (!shared || from < 0 || to <= from || to > shared.length) throw damagedRecord(`the list ${id}`)
        return this.itemsFrom(shared, from).slice(0, to - from)
      }),
    )
  }

  /** Returns the value or list that a reference leads to; anything else as it is. */
  resolve(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    const reference = value as Partial<Record<'v' | 'l', number>> satisfies Partial<Reference>
    return reference.l === undefined ? this.#known(this.#values, reference.v!) : this.#known(this.#lists, reference.l)
  }

  /** Returns a value with the items of a list. */
  read(value: unknown): unknown {
    const resolved = this.resolve(value)
    return resolved instanceof KeptList ? this.items(resolved) : resolved
  }

  /** Returns the items of a list. */
  items(list: KeptList): readonly unknown[] {
    const items = this.itemsFrom(list, 0)
    this.#last = { list, items: Object.freeze(items) }
    return items
  }

  /** Returns the items of a list from a place on, without reading those before it. */
  itemsFrom(list: KeptList, first: number): readonly unknown[] {
    const parts: (readonly unknown[])[] = []
    let end = list.length
    for (let each: KeptList | null = list; each && end > first; each = each.base) {
      const known: readonly unknown[] | null = this.#last?.list === each ? this.#last.items : null
      const begin = known ? first : Math.max(each.keep, first)
      if (begin < end)
        parts.push(known ? known.slice(begin, end) : each.added.slice(begin - each.keep, end - each.keep))
      end = Math.min(end, begin)
    }
    return parts.toReversed().flat()
  }

  #known<T>(all: ReadonlyMap<number, T>, id: number): T {
    if (!all.has(id)) throw damagedRecord(`a value or list ${String(id)}`)
    return all.get(id)!
  }
}

/** Freezes a value that many places of a record share. */
function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) deepFreeze(each)
  return Object.freeze(value)
}
