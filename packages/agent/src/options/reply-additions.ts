import type { Agent, ChatMessage, ReplyOutcome, ToolSchema } from '@x/interfaces'
import type { Steps } from '@x/kernel'

/** Additions to an agent for one reply; they leave no trace on the agent. */
export interface ReplyAdditions {
  /** Makes the messages that the reply is made of, from those that the agent's own hooks leave; the history stays. */
  readonly sees?: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined
  /** Is asked behind the hooks of the agent and before its reply functions; a final outcome is the reply. */
  readonly begin?: ((messages: readonly ChatMessage[]) => Steps<ReplyOutcome>) | undefined
  /** Tools that the model is told of beside the agent's own; read when the model is asked. */
  readonly tools?: (() => readonly ToolSchema[]) | undefined
}

/** Additions, and the reply that they belong to. */
export interface AddedToReply extends ReplyAdditions {
  readonly agent: Agent
  readonly sender: Agent | null
}
