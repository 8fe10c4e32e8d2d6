import type { ChatMessage } from '@x/interfaces'
import { itemOf, type Change, type Item } from '../draft/item.ts'

/** A message that is sent in another form, with its position; -1 for a note or a summary. */
interface ChangedMessage {
  readonly source: number
  readonly message: ChatMessage
  readonly change: Change
}

/**
 * The messages that are sent of a history since a cut, as plain JSON: ranges of messages as they are, and those that were
 * changed.
 */
export interface CutRecord {
  readonly version: 1
  /** Messages of the history that it is about. */
  readonly through: number
  readonly items: readonly (readonly [from: number, to: number] | ChangedMessage)[]
  /** Tokens of the provider for one that was counted. */
  readonly ratio: number
  /** Tokens that a provider has refused. */
  readonly ceiling: number | null
}

/** Writes items down. */
export function recordOf(items: readonly Item[], facts: Pick<CutRecord, 'through' | 'ratio' | 'ceiling'>): CutRecord {
  const out: (readonly [number, number] | ChangedMessage)[] = []
  for (const { source, message, change } of items) {
    const last = out.at(-1)
    if (change !== null) out.push({ source, message, change })
    else if (Array.isArray(last) && last[1] === source) out[out.length - 1] = [last[0] as number, source + 1]
    else out.push([source, source + 1])
  }
  return { version: 1, ...facts, items: out }
}

/** Makes the items of a record again; undefined when it does not fit the history. */
export function itemsOf(record: unknown, messages: readonly ChatMessage[]): Item[] | undefined {
  if (!isRecord(record) || record.through > messages.length) return undefined
  const items: Item[] = []
  for (const each of record.items) {
    if ('message' in each) items.push(itemOf(Object.freeze(each.message), each.source, each.change))
    else for (let at = each[0]; at < each[1]; at++) items.push(itemOf(messages[at]!, at))
  }
  return items
}

/** Whether a value is a record of a cut. */
export const isRecord = (value: unknown): value is CutRecord =>
  typeof value === 'object' &&
  value !== null &&
  (value as CutRecord).version === 1 &&
  Number.isInteger((value as CutRecord).through) &&
  Array.isArray((value as CutRecord).items)
