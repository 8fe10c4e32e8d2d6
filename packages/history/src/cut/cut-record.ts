import type { ChatMessage } from '@x/interfaces'
import { itemOf, type Change, type Item } from '../draft/item.ts'

/** A message that is sent in a changed form, and the position of the stored message; -1 for a note or a summary. */
interface ChangedMessage {
  readonly source: number
  readonly message: ChatMessage
  readonly change: Change
}

/** The messages that are sent after a cut, as plain JSON: ranges of unchanged messages, and the changed messages. */
export interface CutRecord {
  readonly version: 1
  /** Number of messages that the history had at the cut. */
  readonly through: number
  readonly items: readonly (readonly [from: number, to: number] | ChangedMessage)[]
  /** Tokens by the provider's count for one by the counter. */
  readonly ratio: number
  /** Upper limit of tokens since a provider refused a request. */
  readonly ceiling: number | null
}

/** Makes the record of a cut from the items that are sent after it. */
export function recordOf(items: readonly Item[], facts: Pick<CutRecord, 'through' | 'ratio' | 'ceiling'>): CutRecord {
  const entries: (readonly [number, number] | ChangedMessage)[] = []
  for (const { source, message, change } of items) {
    const last = entries.at(-1)
    if (change !== null) entries.push({ source, message, change })
    else if (Array.isArray(last) && last[1] === source) entries[entries.length - 1] = [last[0] as number, source + 1]
    else entries.push([source, source + 1])
  }
  return { version: 1, ...facts, items: entries }
}

/** Restores the items of a record; returns undefined if the record does not belong to the history. */
export function itemsOf(record: unknown, messages: readonly ChatMessage[]): Item[] | undefined {
  if (!isRecord(record) || record.through > messages.length) return undefined
  const items: Item[] = []
  for (const entry of record.items) {
    if ('message' in entry) items.push(itemOf(Object.freeze(entry.message), entry.source, entry.change))
    else for (let at = entry[0]; at < entry[1]; at++) items.push(itemOf(messages[at]!, at))
  }
  return items
}

const CHANGES: ReadonlySet<unknown> = new Set<Change | null>(['cleared', 'shortened', 'note', 'summary', null])

/** True if a value is the record of a cut, whole and of this version; any other is cut anew, from messages that are all there. */
export function isRecord(value: unknown): value is CutRecord {
  if (!isObject(value)) return false
  const { version, through, items, ratio, ceiling } = value
  if (version !== 1 || !isCount(through) || !Array.isArray(items) || !Number.isFinite(ratio)) return false
  return (
    (ceiling === null || Number.isFinite(ceiling)) && items.every((item) => isRange(item, through) || isChanged(item))
  )
}

function isRange(item: unknown, through: number): boolean {
  if (!Array.isArray(item) || item.length !== 2) return false
  const [from, to] = item as readonly unknown[]
  return isCount(from) && isCount(to) && from <= to && to <= through
}

function isChanged(item: unknown): boolean {
  if (!isObject(item)) return false
  const { source, change, message } = item
  if (!isObject(message) || typeof message['role'] !== 'string') return false
  return (source === -1 || isCount(source)) && CHANGES.has(change)
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
