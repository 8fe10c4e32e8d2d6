import type { Agent, ChatMessage, Model, SummaryMethod } from '@x/interfaces'

/** The part that an agent plays in its chats when it manages other agents, as the manager of a group does. */
export interface ManagerRole {
  /** The agents it manages: a chat with the manager prepares them, counts what they use, and refuses to disturb them. */
  members(): readonly Agent[]
  /** Models beside the manager's own whose usage is part of the cost of a chat. */
  models(): readonly Model[]
  /** Forgets what the manager keeps beside its conversations: a chat begins that clears the history. */
  clear(): void
  /** The messages that a summary of a chat with `sender` is made of; null for those of their conversation. */
  summaryMessages(sender: Agent, method: SummaryMethod): readonly ChatMessage[] | null
  /** What the manager keeps beside its conversations, as plain JSON: a journal keeps it when the manager begins to lead. */
  save(): unknown
  /** Puts saved state back in its place. */
  load(saved: unknown): void
  /** Adds the answer to the last message that the manager keeps, if `answer` gives one: its calls were stopped. */
  closeCalls(answer: (last: ChatMessage) => ChatMessage | undefined): void
}
