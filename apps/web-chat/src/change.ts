import type { Item } from './item.ts'

/** Whether a chat is one with an assistant, or a group of agents and the person. */
export type ChatKind = 'assistant' | 'group'

/** What a page shows of a chat beside its lines. */
export interface ChatState {
  readonly id: string
  readonly kind: ChatKind
  /** How the chat begins; null before the first message. */
  readonly title: string | null
  /** Names of the agents that speak. */
  readonly members: readonly string[]
  /** Whether an answer is being written. */
  readonly busy: boolean
  /** Who speaks next, and in a group why, in words. */
  readonly next: { readonly name: string; readonly reason: string | null } | null
  /** The question to answer when it is the person's turn in a group. */
  readonly turn: string | null
  /** Whether a tool call waits for a decision. */
  readonly waiting: boolean
  readonly usage: ShownUsage
}

/** What a chat has used so far. */
export interface ShownUsage {
  readonly models: readonly string[]
  readonly promptTokens: number
  readonly completionTokens: number
  /** US dollars. */
  readonly cost: number
  /** Whether the price of a model is not known, so that the cost is more. */
  readonly unpriced: boolean
}

/** A chat in the list of chats. */
export interface ChatEntry {
  readonly id: string
  readonly kind: ChatKind
  readonly title: string | null
  /** When the chat last changed, in milliseconds since 1970. */
  readonly changed: number
  /** Whether an answer is being written. */
  readonly busy: boolean
  /** Whether the person is asked for something. */
  readonly asks: boolean
}

/** Chats of the list, those that changed last first. */
export interface ChatPage {
  readonly chats: readonly ChatEntry[]
  /** The chat behind which older ones are; null when there are none. */
  readonly older: string | null
}

/** What a page is told: first everything in pieces, then what changes. */
export type Change =
  /** The chat has so many lines, which follow where the page does not have them. */
  | { readonly type: 'begin'; readonly items: number }
  | { readonly type: 'item'; readonly index: number; readonly item: Item }
  /** More of the text of a line. */
  | { readonly type: 'text'; readonly index: number; readonly text: string }
  | { readonly type: 'state'; readonly state: ChatState }
  | ({ readonly type: 'chats' } & ChatPage)
