import type { ConversableAgent, ConversableAgentOptions } from '@x/agent'
import type { Agent, ChatMessage, SummaryMethod } from '@x/interfaces'
import type { ContextVariables } from '../handoff/context-variables.ts'
import type { Guardrail } from '../handoff/guardrail.ts'
import type { Handoff } from '../handoff/handoff.ts'
import type { Target } from '../handoff/target.ts'

/** An agent in a group, and what holds for it there. */
export interface Member<C = Record<string, unknown>> {
  readonly agent: ConversableAgent
  /** How it gives the floor away, in the order in which they are looked at. */
  readonly handoffs?: readonly Handoff<C>[] | undefined
  /** Guard what it reads, before it replies. */
  readonly inputGuardrails?: readonly Guardrail<C>[] | undefined
  /** Guard what it says. */
  readonly outputGuardrails?: readonly Guardrail<C>[] | undefined
  /** Makes the messages that its model is shown, from those without handoffs; it has to be pure. */
  readonly sees?: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined
}

/** The state of a run after a message. */
export interface RunStanding<C> {
  readonly messages: readonly ChatMessage[]
  readonly variables: Readonly<C>
  readonly lastSpeaker: string
  /** Messages of the run so far. */
  readonly rounds: number
}

/** Options of a pattern. */
export interface PatternOptions<C extends object = Record<string, unknown>> {
  /** Who replies first. */
  readonly initialAgent: Agent | string
  /** The members; an agent alone is one. */
  readonly agents: readonly (ConversableAgent | Member<NoInfer<C>>)[]
  /** The agent that stands for the user; default: the group has none, and a first message is that of `_User`. */
  readonly userAgent?: ConversableAgent | Member<NoInfer<C>> | undefined
  /** Variables that conditions, tools and hooks share; a plain object is copied for each chat. */
  readonly contextVariables?: C | ContextVariables<C> | undefined
  /** Who gets the floor when nothing else decides; default: the chat ends. */
  readonly groupAfterWork?: Target<NoInfer<C>> | undefined
  /** Nested chats, groups and functions that answers name as targets and that no handoff has, for a journal to know. */
  readonly targets?: readonly Target<NoInfer<C>>[] | undefined
  /** Ends the chat with the text that it gives; false and undefined let it go on. It has to be pure. */
  readonly until?: ((standing: RunStanding<NoInfer<C>>) => string | false | undefined) | undefined
  /** Whether models are not shown the calls of handoffs; default true. */
  readonly excludeTransitMessage?: boolean | undefined
  /** How the chat is summed up; default `last_msg`. */
  readonly summaryMethod?: SummaryMethod | undefined
  /** Options of the manager, such as `llmConfig`, `isTerminationMsg`, `name` (default `chat_manager`) and `io`. */
  readonly groupManagerArgs?: Partial<ConversableAgentOptions> | undefined
  /** Makes random numbers in [0, 1) for a choice among agents; default: the platform's. */
  readonly random?: ((agents: readonly Agent[]) => number) | undefined
}

/** The current speaker, for a pattern that decides on the next one. */
export interface PatternTurn {
  /** Who has spoken last, of the members and the user agent. */
  readonly speaker: ConversableAgent
  readonly agents: readonly ConversableAgent[]
  readonly userAgent: ConversableAgent | null
}

/** A pattern: plain options, and a rule on who follows in place of the members' after-works. It changes no agent. */
export interface GroupPattern<C extends object = Record<string, unknown>> extends PatternOptions<C> {
  /** Gives who follows, in place of all after-works of members. It has to be pure. */
  readonly next?: ((turn: PatternTurn) => Target<C>) | undefined
}
