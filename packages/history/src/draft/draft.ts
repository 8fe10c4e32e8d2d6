import type { ChatMessage } from '@x/interfaces'
import { tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'
import type { DraftMessage, HistoryDraft } from './history-draft.ts'
import { itemOf, type Change, type Item } from './item.ts'

/** The parts that a draft starts from. */
export interface DraftStart {
  readonly items: readonly Item[]
  readonly count: TextCounter
  /** Tokens of the request that no view can cut, such as tools. */
  readonly unmanaged: number
  /** Tokens by the provider's count for one by this counter. */
  readonly ratio: number
  readonly target: number
  readonly pins: (message: ChatMessage, index: number) => boolean
}

/** One message of a draft. */
class Entry implements DraftMessage {
  item: Item
  readonly stays: boolean
  gone = false
  summarized = false
  /** True if this cut replaced the message. */
  changedNow = false
  readonly #ratio: number

  constructor(item: Item, stays: boolean, ratio: number) {
    this.item = item
    this.stays = stays
    this.#ratio = ratio
  }

  get message(): ChatMessage {
    return this.item.message
  }

  get source(): number {
    return this.item.source
  }

  get tokens(): number {
    return this.item.tokens * this.#ratio
  }
}

/** A range of messages that belong together: a message with calls and the results of the calls, or a single message. */
interface Unit {
  readonly from: number
  /** Position behind the last message. */
  readonly to: number
}

/** A history during a cut. */
export class Draft implements HistoryDraft {
  readonly messages: readonly Entry[]
  readonly units: readonly Unit[]
  readonly target: number
  readonly #unitAt: readonly Unit[]
  readonly #count: TextCounter
  readonly #ratio: number
  #tokens: number
  /** Position before which the summary is sent; -1 without a summary. */
  #summaryAt = -1
  #summary: Item | null = null

  constructor({ items, count, unmanaged, ratio, target, pins }: DraftStart) {
    this.#count = count
    this.#ratio = ratio
    this.target = target
    const messages = items.map(({ message }) => message)
    this.units = unitsOf(messages)
    this.#unitAt = this.units.flatMap((unit) => Array.from({ length: unit.to - unit.from }, () => unit))
    const newest = this.#unitAt.at(-1)?.from ?? 0
    const question = messages.findLastIndex(({ role }, index) => role === 'user' && items[index]!.source >= 0)
    const stays = items.map(
      ({ message, source }, index) =>
        index >= newest || index === question || message.role === 'system' || source < 0 || pins(message, source),
    )
    // A unit stays whole if one of its messages stays.
    const unitStays = items.map((_, index) => {
      const { from, to } = this.#unitAt[index]!
      return stays.slice(from, to).includes(true)
    })
    this.messages = items.map((item, index) => {
      if (item.tokens < 0) item.tokens = tokensOf(item.message, count)
      return new Entry(item, unitStays[index]!, ratio)
    })
    this.#tokens = unmanaged * ratio + this.messages.reduce((sum, { tokens }) => sum + tokens, 0)
  }

  get tokens(): number {
    return this.#tokens
  }

  replace(index: number, message: ChatMessage, change: Change = 'cleared'): void {
    const entry = this.messages[index]!
    if (entry.gone) return
    const before = entry.tokens
    entry.item = itemOf(Object.freeze(message), entry.source, change)
    entry.item.tokens = tokensOf(message, this.#count)
    entry.changedNow = true
    this.#tokens += entry.tokens - before
  }

  leaveOut(index: number): boolean {
    const { from, to } = this.#unitAt[index]!
    if (this.messages[from]!.stays) return false
    for (let at = from; at < to; at++) this.#drop(at)
    return true
  }

  /** Replaces some messages by a summary. */
  putSummary(indexes: readonly number[], summary: ChatMessage): void {
    for (const index of indexes) {
      this.messages[index]!.summarized = true
      this.#drop(index)
    }
    this.#summaryAt = indexes[0]!
    this.#summary = itemOf(Object.freeze(summary), -1, 'summary')
    this.#summary.tokens = tokensOf(summary, this.#count)
    this.#tokens += this.#summary.tokens * this.#ratio
  }

  /** Converts tokens by the provider's count into tokens by this counter. */
  ownTokens(tokens: number): number {
    return tokens / this.#ratio
  }

  /** Returns the items that are sent from now on, with a note where messages are missing without a summary. */
  result(): Item[] {
    const items: Item[] = []
    // A note or a summary of an earlier cut already stands for the missing messages.
    let isNoted = this.#summary !== null || this.messages.some(({ source, gone }) => !gone && source < 0)
    for (const [index, { item, gone }] of this.messages.entries()) {
      if (index === this.#summaryAt) items.push(this.#summary!)
      if (!gone) items.push(item)
      else if (!isNoted) {
        isNoted = true
        items.push({ ...itemOf(LEFT_OUT_NOTE, -1, 'note'), tokens: tokensOf(LEFT_OUT_NOTE, this.#count) })
      }
    }
    return items
  }

  #drop(index: number): void {
    const entry = this.messages[index]!
    if (entry.gone) return
    entry.gone = true
    this.#tokens -= entry.tokens
  }
}

/** The note in place of missing messages. Its role is `user`, as the first message of a request requires. */
const LEFT_OUT_NOTE: ChatMessage = Object.freeze({ role: 'user', content: '[Earlier messages were left out here.]' })

/** Divides messages into units. */
function unitsOf(messages: readonly ChatMessage[]): Unit[] {
  const units: Unit[] = []
  for (let from = 0; from < messages.length;) {
    const to = endOfUnit(messages, from)
    units.push({ from, to })
    from = to
  }
  return units
}

function endOfUnit(messages: readonly ChatMessage[], from: number): number {
  const first = messages[from]!
  const open = new Set<string | undefined>((first.tool_calls ?? []).map(({ id }) => id))
  if (open.size === 0 && !first.function_call) return from + 1
  let to = from + 1
  for (let index = from + 1; index < messages.length; index++) {
    const { role, tool_call_id: id, tool_calls: calls, function_call: call } = messages[index]!
    if (calls || call) break
    const isResult = role === 'function' ? Boolean(first.function_call) : role === 'tool'
    // A result right behind the calls belongs to them whatever its id; a later one only if its call is still open.
    if (isResult && (index === to || open.has(id))) {
      open.delete(id)
      to = index + 1
    } else if (open.size === 0) break
  }
  return to
}
