import type { ChatMessage } from '@x/interfaces'
import { tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'
import { itemOf, type Item } from '../draft/item.ts'
import { isRecord, itemsOf, recordOf, type CutRecord } from './cut-record.ts'

/** Makes an item of a message that has come. */
export type Arrival = (message: ChatMessage, source: number) => Item

/** Bytes of text that one token stands for at most, on average, in what a provider is believed to have counted. */
const MOST_PER_TOKEN = 36

const NOTHING_COUNTED = { from: 0, to: 0, tokens: 0, by: null } as const

const sumOf = (items: readonly Item[]): number => items.reduce((sum, { most }) => sum + most, 0)

/** Keeps what is known of one conversation: which messages are sent, and their tokens. */
export class ConversationState {
  /** Messages of the history so far. */
  #source: ChatMessage[] = []
  /** What is sent of them. */
  items: Item[] = []
  #sent: ChatMessage[] = []
  /** The last message that is no longer sent, by its position. */
  #missing = -1
  /** The last request that a provider counted: how many items it had, and its tokens. */
  #anchor: { readonly items: number; readonly tokens: number } | null = null
  /** Tokens of the provider for one that was counted. */
  ratio = 1
  /** Tokens that a provider refused; a limit for as long as the conversation lasts. */
  ceiling: number | null = null
  /** Tokens that the last cut has left, where that was still too much; null where it was not. */
  stuckAt: number | null = null
  /** The last cut, to save it. */
  #record: CutRecord | null = null
  #loaded: unknown = null
  /** The most tokens of all items together. */
  #total = 0
  /** Items from the first of which on their sizes are summed up, and the sums. */
  #sums = { from: 0, to: 0, most: 0 }
  #counted: { from: number; to: number; tokens: number; readonly by: TextCounter | null } = NOTHING_COUNTED

  /** The messages that are sent. */
  get sent(): readonly ChatMessage[] {
    return this.#sent
  }

  /** How many messages of the history are sent. */
  get shown(): number {
    let count = 0
    for (const { source } of this.items) if (source >= 0) count++
    return count
  }

  /** Brings it up to date with a history: as a rule, what has come since is added. */
  update(messages: readonly ChatMessage[], arrival: Arrival): void {
    if (this.#loaded !== null) {
      const loaded = this.#loaded
      this.#loaded = null
      this.restore(loaded, messages)
    }
    const same = this.#sameUntil(messages)
    if (same < this.#source.length) this.#rollBack(same)
    for (let index = this.#source.length; index < messages.length; index++) {
      const item = arrival(messages[index]!, index)
      this.#source.push(messages[index]!)
      this.items.push(item)
      this.#sent.push(item.message)
      this.#total += item.most
    }
  }

  /** Sends other items from now on. */
  replace(items: readonly Item[], ceiling: number | null): CutRecord {
    this.#show(items)
    this.ceiling = ceiling
    this.#record = recordOf(items, { through: this.#source.length, ratio: this.ratio, ceiling })
    return this.#record
  }

  /** Repeats a cut; false when the record is of another history. */
  restore(record: unknown, messages: readonly ChatMessage[]): boolean {
    const items = itemsOf(record, messages)
    if (!items || !isRecord(record)) return false
    this.#source = messages.slice(0, record.through)
    this.#show(items)
    this.ratio = record.ratio
    this.ceiling = record.ceiling
    this.#record = record
    return true
  }

  /** What to save of it. */
  save(): unknown {
    return this.#record ?? this.#loaded ?? undefined
  }

  /** Takes what was saved; it is used when the history comes. */
  load(saved: unknown): void {
    this.#loaded = isRecord(saved) ? saved : null
  }

  /** Takes note of the tokens of the request that was sent last, unless so few cannot be true. */
  note(tokens: number): void {
    this.#anchor = tokens * MOST_PER_TOKEN < this.#total ? null : { items: this.items.length, tokens }
  }

  /** The most tokens that a request can have, by what the provider counted and the lengths of what has come since. */
  most(besideMost: number): number {
    const from = this.#anchor?.items ?? 0
    if (this.#sums.from !== from || this.#sums.to > this.items.length) this.#sums = { from, to: from, most: 0 }
    const sums = this.#sums
    for (; sums.to < this.items.length; sums.to++) sums.most += this.items[sums.to]!.most
    return (this.#anchor?.tokens ?? besideMost) + sums.most
  }

  /** Tokens of a request; texts that were never counted are counted. */
  tokens(count: TextCounter, beside: number): number {
    const from = this.#anchor?.items ?? 0
    if (this.#counted.from !== from || this.#counted.by !== count || this.#counted.to > this.items.length)
      this.#counted = { from, to: from, tokens: 0, by: count }
    const counted = this.#counted
    for (; counted.to < this.items.length; counted.to++) counted.tokens += tokensIn(this.items[counted.to]!, count)
    return (this.#anchor?.tokens ?? 0) + (counted.tokens + (this.#anchor ? 0 : beside)) * this.ratio
  }

  /** Learns from the last request how many tokens the provider counts for one of this counter. */
  calibrate(count: TextCounter, beside: number): void {
    if (!this.#anchor) return
    let tokens = beside
    for (let index = 0; index < this.#anchor.items; index++) tokens += tokensIn(this.items[index]!, count)
    // A provider that leaves something out, or a fake one, must not make a history grow without limit.
    this.ratio = Math.min(Math.max(this.#anchor.tokens / tokens, 0.6), 3)
  }

  #show(items: readonly Item[]): void {
    this.items = [...items]
    this.#sent = items.map(({ message }) => message)
    const present = new Set(items.map(({ source }) => source))
    this.#missing = this.#source.length - 1
    while (this.#missing >= 0 && present.has(this.#missing)) this.#missing--
    this.#anchor = null
    this.#sums = { from: 0, to: 0, most: 0 }
    this.#counted = NOTHING_COUNTED
    this.#total = sumOf(items)
  }

  /** How many messages are the ones that are known; equal copies, as hooks make them, count. */
  #sameUntil(messages: readonly ChatMessage[]): number {
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

  /** Forgets what came at a position or behind it; everything, where something there is no longer sent. */
  #rollBack(to: number): void {
    if (to <= this.#missing) {
      this.#source = []
      this.#record = null
      this.#show([])
      return
    }
    this.#source.length = to
    const kept = this.items.filter(({ source }) => source < to)
    const items = kept.length
    this.items = kept
    this.#sent = kept.map(({ message }) => message)
    this.#total = sumOf(kept)
    if (this.#anchor && this.#anchor.items > items) this.#anchor = null
    if (this.#sums.to > items) this.#sums = { from: 0, to: 0, most: 0 }
    this.#counted = NOTHING_COUNTED
    if (this.#record && this.#record.through > to) this.#record = recordOf(kept, { ...this.#record, through: to })
  }
}

function tokensIn(item: Item, count: TextCounter): number {
  if (item.tokens < 0) item.tokens = tokensOf(item.message, count)
  return item.tokens
}

/** Makes items as they come, without change. */
export const plainArrival: Arrival = (message, source) => itemOf(message, source)
