import type { ChatMessage } from './message.ts'
import type { TerminationReason } from './termination.ts'
import type { UsageSummary } from './usage.ts'

/** The result of a chat: a snapshot, whose lists are frozen. */
export interface ChatResult<S = string | Record<string, unknown>> {
  chatId: number | null
  /** The initiator's messages with the recipient. */
  chatHistory: readonly ChatMessage[]
  summary: S
  cost: {
    usageIncludingCachedInference: UsageSummary
    usageExcludingCachedInference: UsageSummary
  }
  /** Texts that humans typed. */
  humanInput: readonly string[]
  terminationReason: TerminationReason
  /** Index of the chat in its queue, from 0; absent outside of a queue. */
  position?: number
  /** The messages of the group, if the recipient manages one: also those that an initiator who is no member never heard. */
  messages?: readonly ChatMessage[]
}
