import type { ChatMessage, JournalEntry, TerminationReason, UsageSummary } from '@x/interfaces'

/** Version of the saved state of an agent; one that is not known is refused. */
export const AGENT_VERSION = 2

/** Version of the saved state of a chat; one that is not known is refused. */
export const CHAT_VERSION = 3

/** Settings and counters of an agent, beside its conversations, as plain JSON. */
export interface SavedSettings {
  readonly name: string
  readonly systemMessage: string
  readonly maxConsecutiveAutoReply: number
  /** Those that are plain JSON; others, such as connections, belong to the process. */
  readonly contextVariables: Readonly<Record<string, unknown>>
  readonly humanInput: readonly string[]
  readonly usage: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }
}

/** The conversation of an agent with one counterpart, as plain JSON. */
export interface SavedConversation {
  /** Name of the counterpart; null for none. */
  readonly with: string | null
  readonly messages: readonly ChatMessage[]
  readonly autoReplies: number
  readonly maxAutoReplies: number
  readonly replyAtReceive: boolean
  readonly begun: boolean
  readonly humanInput: readonly string[]
  readonly ended: TerminationReason | null
  /** What the history of the agent knows of it: its last cut. */
  readonly history?: unknown
}

/** The saved state of an agent, as plain JSON; its code (models, tools, functions, hooks) is not part of it. */
export interface AgentState extends SavedSettings {
  readonly version: typeof AGENT_VERSION
  readonly kind: 'agent'
  readonly conversations: readonly SavedConversation[]
  /** What a manager keeps beside its conversations, such as the messages of its group; absent for other agents. */
  readonly managed?: unknown
}

/** A chat as it stands, as plain JSON. */
export interface ChatState {
  readonly version: typeof CHAT_VERSION
  readonly kind: 'chat'
  /** The answers of the chat so far. */
  readonly entries: readonly JournalEntry[]
}
