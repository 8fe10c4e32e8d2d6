import type { Agent, ChatMessage, Io, Model } from '@x/interfaces'

/** The part of an agent's state that steps of other packages may read, beside its public attributes. */
export interface AgentInternals {
  readonly io: Io
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
  /** The model that answers for the agent; null without one. */
  readonly model: Model | null
  /** The conversations by counterpart; those with null are without a sender. */
  readonly conversations: ReadonlyMap<Agent | null, AgentConversation>
}

/** A conversation of an agent, as steps of other packages may read it. */
export interface AgentConversation {
  readonly counterpart: Agent | null
  /** Frozen, oldest first. */
  readonly messages: readonly ChatMessage[]
  /** Consecutive auto replies to the counterpart. */
  readonly autoReplies: number
}

/** Reads the internals of an agent; they change as the agent works. */
export const internalsOf = (agent: Agent): AgentInternals =>
  (agent as { readonly '~state'?: unknown })['~state'] as AgentInternals
