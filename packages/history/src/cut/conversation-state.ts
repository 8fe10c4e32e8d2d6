import type { ChatMessage } from '@x/interfaces'
import { tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'
import { itemOf, type Item } from '../draft/item.ts'
import { isRecord, itemsOf, recordOf, type CutRecord } from './cut-record.ts'

/** Makes the item of a new message. */
export type MakeItem = (message: ChatMessage, source: number) => Item

/** Most bytes of text per token on average; a provider's count with more is not believed. */
const MAX_BYTES_PER_TOKEN = 36

/** Bounds of the ratio of a provider's tokens to counted ones: a provider or a fake may leave parts of a request out. */
const MIN_RATIO = 0.6
const MAX_RATIO = 3

const NO_COUNT = { from: 0, to: 0, tokens: 0, by: null } as const

const sumMaxTokens = (items: readonly Item[]): number => items.reduce((sum, { maxTokens }) => sum + maxTokens, 0)

/** The state of one conversation: the messages that are sent, and their tokens. */
export class ConversationState {
  /** The stored messages so far. */
  #source: ChatMessage[] = []
  /** The messages that are sent. */
  items: Item[] = []
  #sent: ChatMessage[] = []
  /** Position of the last stored message that is no longer sent; -1 if all are sent. */
  #lastMissing = -1
  /** Number of items and tokens of the last request that a provider counted. */
  #anchor: { readonly items: number; readonly tokens: number } | null = null
  /** Tokens by the provider's count for one by the counter. */
  ratio = 1
  /** Upper limit of tokens since a provider refused a request; null before a refusal. */
  ceiling: number | null = null
  /** Tokens after the last cut if they still exceed the limit; else null. */
  stuckAt: number | null = null
  /** The record of the last cut. */
  #record: CutRecord | null = null
  /** A saved record that waits for its history. */
  #loaded: unknown = null
  /** The most tokens of all items together. */
  #maxTotal = 0
  /** The most tokens of the items between two positions. */
  #maxSum = { from: 0, to: 0, tokens: 0 }
  /** Counted tokens of the items between two positions. */
  #counted: { from: number; to: number; tokens: number; readonly by: TextCounter | null } = NO_COUNT

  /** The messages that are sent. */
  get sent(): readonly ChatMessage[] {
    return this.#sent
  }

  /** Number of stored messages that are sent. */
  get sentCount(): number {
    let count = 0
    for (const { source } of this.items) if (source >= 0) count++
    return count
  }

  /** Follows a history: usually adds its new messages, and forgets those that it no longer has. */
  update(messages: readonly ChatMessage[], makeItem: MakeItem): void {
    if (this.#loaded !== null) {
      const loaded = this.#loaded
      this.#loaded = null
      this.restore(loaded, messages)
    }
    const known = this.#countKnown(messages)
    if (known < this.#source.length) this.#rollBack(known)
    for (let index = this.#source.length; index < messages.length; index++) {
      const item = makeItem(messages[index]!, index)
      this.#source.push(messages[index]!)
      this.items.push(item)
      this.#sent.push(item.message)
      this.#maxTotal += item.maxTokens
    }
  }

  /** Replaces the items that are sent, and returns the record of this cut. */
  replace(items: readonly Item[], ceiling: number | null): CutRecord {
    this.#send(items)
    this.ceiling = ceiling
    this.#record = recordOf(items, { through: this.#source.length, ratio: this.ratio, ceiling })
    return this.#record
  }

  /** Repeats a cut; returns false if the record belongs to another history. */
  restore(record: unknown, messages: readonly ChatMessage[]): boolean {
    const items = itemsOf(record, messages)
    if (!items || !isRecord(record)) return false
    this.#source = messages.slice(0, record.through)
    this.#send(items)
    this.ratio = record.ratio
    this.ceiling = record.ceiling
    this.#record = record
    return true
  }

  /** Returns the record of the last cut, to save it. */
  save(): unknown {
    return this.#record ?? this.#loaded ?? undefined
  }

  /** Takes a saved record; the next `update` restores it. */
  load(saved: unknown): void {
    this.#loaded = isRecord(saved) ? saved : null
  }

  /** Takes the provider's count of the last request, unless it is impossibly small. */
  noteTokens(tokens: number): void {
    this.#anchor = tokens * MAX_BYTES_PER_TOKEN < this.#maxTotal ? null : { items: this.items.length, tokens }
  }

  /** Returns the most tokens that a request can have: the provider's last count, and the lengths of newer texts. */
  maxTokens(maxUnmanaged: number): number {
    const from = this.#anchor?.items ?? 0
    if (this.#maxSum.from !== from || this.#maxSum.to > this.items.length) this.#maxSum = { from, to: from, tokens: 0 }
    const sum = this.#maxSum
    for (; sum.to < this.items.length; sum.to++) sum.tokens += this.items[sum.to]!.maxTokens
    return (this.#anchor?.tokens ?? maxUnmanaged) + sum.tokens
  }

  /** Returns the tokens of a request; counts texts that were never counted. */
  tokens(count: TextCounter, unmanaged: number): number {
    const from = this.#anchor?.items ?? 0
    if (this.#counted.from !== from || this.#counted.by !== count || this.#counted.to > this.items.length)
      this.#counted = { from, to: from, tokens: 0, by: count }
    const counted = this.#counted
    for (; counted.to < this.items.length; counted.to++) counted.tokens += tokensIn(this.items[counted.to]!, count)
    return (this.#anchor?.tokens ?? 0) + (counted.tokens + (this.#anchor ? 0 : unmanaged)) * this.ratio
  }

  /** Derives the ratio from the provider's count of the last request. */
  calibrate(count: TextCounter, unmanaged: number): void {
    if (!this.#anchor) return
    let tokens = unmanaged
    for (let index = 0; index < this.#anchor.items; index++) tokens += tokensIn(this.items[index]!, count)
    this.ratio = Math.min(Math.max(this.#anchor.tokens / tokens, MIN_RATIO), MAX_RATIO)
  }

  #send(items: readonly Item[]): void {
    this.items = [...items]
    this.#sent = items.map(({ message }) => message)
    const present = new Set(items.map(({ source }) => source))
    this.#lastMissing = this.#source.length - 1
    while (this.#lastMissing >= 0 && present.has(this.#lastMissing)) this.#lastMissing--
    this.#anchor = null
    this.#maxSum = { from: 0, to: 0, tokens: 0 }
    this.#counted = NO_COUNT
    this.#maxTotal = sumMaxTokens(items)
  }

  /** Returns how many leading messages are known already; equal copies, as hooks make them, are. */
  #countKnown(messages: readonly ChatMessage[]): number {
    const source = this.#source
    const length = Math.min(source.length, messages.length)
    for (let index = 0; index < length; index++) {
      const message = messages[index]!
      if (source[index] === message) continue
      if (JSON.stringify(source[index]) !== JSON.stringify(message)) return index
      source[index] = message
    }
    return length
  }

  /** Forgets the messages from a position on; forgets all if one of those is no longer sent. */
  #rollBack(to: number): void {
    if (to <= this.#lastMissing) {
      this.#source = []
      this.#record = null
      this.#send([])
      return
    }
    this.#source.length = to
    const kept = this.items.filter(({ source }) => source < to)
    const items = kept.length
    this.items = kept
    this.#sent = kept.map(({ message }) => message)
    this.#maxTotal = sumMaxTokens(kept)
    if (this.#anchor && this.#anchor.items > items) this.#anchor = null
    if (this.#maxSum.to > items) this.#maxSum = { from: 0, to: 0, tokens: 0 }
    this.#counted = NO_COUNT
    if (this.#record && this.#record.through > to) this.#record = recordOf(kept, { ...this.#record, through: to })
  }
}

function tokensIn(item: Item, count: TextCounter): number {
  if (item.tokens < 0) item.tokens = tokensOf(item.message, count)
  return item.tokens
}

/** Makes an item that sends the message unchanged. */
export const unchangedItem: MakeItem = (message, source) => itemOf(message, source)
