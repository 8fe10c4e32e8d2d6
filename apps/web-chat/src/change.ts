import type { Item } from './item.ts'

/** Kind of a chat: with an assistant, or in a group of agents and the person. */
export type ChatKind = 'assistant' | 'group'

/** The state of a chat, which a page shows beside the lines. */
export interface ChatState {
  readonly id: string
  readonly kind: ChatKind
  /** Beginning of the first message; null before it. */
  readonly title: string | null
  /** Names of the agents. */
  readonly members: readonly string[]
  /** True while an answer is being written. */
  readonly busy: boolean
  /** The next speaker, and in a group the reason, in words. */
  readonly next: { readonly name: string; readonly reason: string | null } | null
  /** Identifier of the question to answer when it is the person's turn in a group. */
  readonly turn: string | null
  /** True if a tool call waits for a decision. */
  readonly waiting: boolean
  readonly usage: ShownUsage
  readonly left: ShownBudgets
}

/** Usage of a chat so far. */
export interface ShownUsage {
  readonly models: readonly string[]
  readonly promptTokens: number
  readonly completionTokens: number
  /** US dollars. */
  readonly cost: number
  /** True if the price of a model is unknown, so that the real cost is higher. */
  readonly unpriced: boolean
}

/** The rest of each budget, in US dollars; null without a budget. */
export interface ShownBudgets {
  readonly chat: number | null
  /** Of all chats until midnight UTC, as of the last message of this chat. */
  readonly day: number | null
}

/** A chat in the list of chats. */
export interface ChatEntry {
  readonly id: string
  readonly kind: ChatKind
  readonly title: string | null
  /** When the chat last changed, in milliseconds since 1970. */
  readonly changed: number
  /** True while an answer is being written. */
  readonly busy: boolean
  /** True if the chat waits for the person. */
  readonly asks: boolean
}

/** A page of the list of chats, the most recently changed first. */
export interface ChatPage {
  readonly chats: readonly ChatEntry[]
  /** The chat after which older ones are read; null when there are none. */
  readonly older: string | null
}

/** A message to a page: first the whole chat in pieces, then changes. */
export type Change =
  /** The number of lines of the chat; those that the page does not have follow. */
  | { readonly type: 'begin'; readonly items: number }
  | { readonly type: 'item'; readonly index: number; readonly item: Item }
  /** More of the text of a line. */
  | { readonly type: 'text'; readonly index: number; readonly text: string }
  | { readonly type: 'state'; readonly state: ChatState }
  | ({ readonly type: 'chats' } & ChatPage)
