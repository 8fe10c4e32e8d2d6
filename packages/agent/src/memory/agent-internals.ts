import type { Agent, ChatMessage, Io, Logger, Model, TerminationReason } from '@x/interfaces'

/** The part of an agent's state that steps of other packages may read, beside its public attributes. */
export interface AgentInternals {
  readonly io: Io
  readonly logger: Logger | null
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
  /** The model that answers for the agent; null without one. */
  readonly model: Model | null
  /** Whether a message of a sender ends a chat for the agent. */
  readonly isTerminationMsg: (message: ChatMessage, sender: Agent | null) => boolean
  readonly conversations: AgentConversations
}

/** The conversations of an agent, by counterpart; the one with null is without a sender. */
export interface AgentConversations {
  get(counterpart: Agent | null): AgentConversation | undefined
  /** Gives all of them, oldest first. */
  values(): Iterable<AgentConversation>
}

/** A conversation of an agent, as steps of other packages may read it. */
export interface AgentConversation {
  readonly counterpart: Agent | null
  /** Frozen, oldest first. */
  readonly messages: readonly ChatMessage[]
  /** Consecutive auto replies to the counterpart. */
  readonly autoReplies: number
  /** How the last chat ended on this side; null while it runs. */
  readonly ended: TerminationReason | null
}

/** Reads the internals of an agent; they change as the agent works. An agent of another make has none: undefined. */
export const internalsOf = (agent: Agent): AgentInternals =>
  (agent as { readonly '~state'?: unknown })['~state'] as AgentInternals
