import type { ChatMessage } from '@x/interfaces'
import { tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'
import type { DraftMessage, HistoryDraft } from './history-draft.ts'
import { itemOf, type Change, type Item } from './item.ts'
import { unitsOf, type Unit } from './units.ts'

/** The beginning of a draft. */
export interface DraftStart {
  readonly items: readonly Item[]
  readonly count: TextCounter
  /** Tokens that are sent beside the messages, such as tools. */
  readonly beside: number
  /** Tokens of the provider for one of this counter. */
  readonly ratio: number
  readonly target: number
  readonly pins: (message: ChatMessage, index: number) => boolean
}

/** An item of a cut under way. */
class Entry implements DraftMessage {
  item: Item
  readonly stays: boolean
  gone = false
  summarized = false
  /** Whether this cut has put another message in its place. */
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

/** A cut under way. */
export class Draft implements HistoryDraft {
  readonly messages: readonly Entry[]
  readonly units: readonly Unit[]
  readonly target: number
  readonly #unitAt: readonly Unit[]
  readonly #count: TextCounter
  readonly #ratio: number
  #tokens: number
  /** Position that a summary is put before; -1 for none. */
  #summaryAt = -1
  #summary: Item | null = null

  constructor({ items, count, beside, ratio, target, pins }: DraftStart) {
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
    // What belongs together stays together.
    const withUnit = items.map((_, index) => {
      const { from, to } = this.#unitAt[index]!
      return stays.slice(from, to).includes(true)
    })
    this.messages = items.map((item, index) => {
      if (item.tokens < 0) item.tokens = tokensOf(item.message, count)
      return new Entry(item, withUnit[index]!, ratio)
    })
    this.#tokens = beside * ratio + this.messages.reduce((sum, { tokens }) => sum + tokens, 0)
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

  /** Puts a summary in the place of some messages. */
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

  /** Tokens of a text or message as the provider is taken to count them. */
  tokensOf(message: ChatMessage): number {
    return tokensOf(message, this.#count) * this.#ratio
  }

  /** Tokens of this counter that are so many of the provider. */
  ownTokens(tokens: number): number {
    return tokens / this.#ratio
  }

  /** The items that are sent from now on; where messages are missing without a summary, a note says so. */
  result(): Item[] {
    const items: Item[] = []
    // A note or a summary of an earlier cut says so already.
    let told = this.#summary !== null || this.messages.some(({ source, gone }) => !gone && source < 0)
    for (const [index, { item, gone }] of this.messages.entries()) {
      if (index === this.#summaryAt) items.push(this.#summary!)
      if (!gone) items.push(item)
      else if (!told) {
        told = true
        items.push({ ...itemOf(LEFT_OUT, -1, 'note'), tokens: tokensOf(LEFT_OUT, this.#count) })
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

/** Stands where messages are missing. It is the user's, as the first message of a request has to be. */
const LEFT_OUT: ChatMessage = Object.freeze({ role: 'user', content: '[Earlier messages were left out here.]' })
