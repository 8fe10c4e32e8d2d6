import { ConversableAgent, type ConversableAgentOptions } from '@x/agent'
import { stepsReply } from '@x/agent/steps'
import type { Agent, ChatMessage, EventBody, LlmConfig, Model, ReplyOutcome } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { Group } from '../group/group.ts'
import type { GroupState } from '../group/group-state.ts'
import type { ContextVariables } from '../handoff/context-variables.ts'
import type { Guardrail } from '../handoff/guardrail.ts'
import type { HandoffLists, HandoffTool } from '../handoff/handoff.ts'
import type { GroupChatTarget, NestedChatTarget, Target } from '../handoff/target.ts'
import type { GroupPattern, Member } from './pattern.ts'
import type { Policy } from './policy.ts'

/** Name of the speaker that answers the calls of members. */
export const TOOL_EXECUTOR_NAME = '_Group_Tool_Executor'

/** Name of the agent that says the first message of a group without a user agent. */
export const TEMPORARY_USER_NAME = '_User'

/** A run of a pattern: its parts and its progress. */
export interface PatternRun {
  readonly pattern: GroupPattern<never>
  readonly manager: ConversableAgent
  /** The group with its messages. */
  readonly group: GroupState
  readonly agents: readonly ConversableAgent[]
  readonly userAgent: ConversableAgent | null
  readonly initialAgent: ConversableAgent
  /** The agents and the user agent. */
  readonly members: ReadonlyMap<Agent, PreparedMember>
  readonly variables: ContextVariables
  readonly maxRounds: number
  readonly silent: boolean
  /** The stand-ins so far, by their agents. */
  readonly standIns: Map<Agent, StandIn>
  /** The targets of the pattern that are not plain data, which answers may name in every process. */
  readonly targets: readonly Target[]
  /** Rules on messages between agents, tools, models and people. */
  readonly policy: Policy
  /** The models that check rules in words; null without any. */
  readonly policyModel: LlmConfig | null
  /** Names of the tools that are handoffs. */
  readonly handoffNames: ReadonlySet<string>
  /** The handoff tools that the model of each member was offered last. */
  readonly offeredTools: Map<Agent, readonly HandoffTool[]>
  /** Functions that return the models that were called beside those of the members. */
  readonly otherModels: Set<() => readonly Model[]>
  /** Placeholders without a variable that were found so far. */
  readonly missingVariables: Set<string>
  /** Events of rules that found something on the way to a model, until they are sent. */
  readonly safeguardEvents: EventBody[]
  next: NextTarget | null
  /** The agent or stand-in that spoke last; null before the first reply. */
  lastAgent: ConversableAgent | null
  /** True until somebody has replied in this run. */
  isFirst: boolean
  /** Number of handoffs since somebody has said something, or called a tool that does more. */
  handoffsInRow: number
  /** True if the last message is only the notice of a handoff. */
  handoffNotice: boolean
  /** Reason of the end, from `until` or `terminate`. */
  terminationDetail: string | null
}

/** A member, prepared for a run. */
export interface PreparedMember extends HandoffLists {
  readonly agent: ConversableAgent
  readonly tools: readonly HandoffTool[]
  readonly inputGuardrails: readonly Guardrail<never>[]
  readonly outputGuardrails: readonly Guardrail<never>[]
  readonly sees: Member['sees']
}

/** An agent that stands for nested chats or an inner group, which are a target. */
export interface StandIn {
  readonly agent: ConversableAgent
  /** The agent that hands over, and speaks after the stand-in. */
  readonly parent: ConversableAgent
  readonly target: NestedChatTarget | GroupChatTarget
}

/** The target that speaks next, and the cause. */
export interface NextTarget {
  readonly target: Target
  readonly by: Extract<EventBody, { type: 'handoff' }>['by']
}

/** Returns the context variables as plain values, for tests and templates. */
export const readVariables = (run: PatternRun): Readonly<never> => run.variables.toJSON() as Readonly<never>

/** Returns the tool calls of a message, which need answers. */
export const toolCallsOf = ({ tool_calls: calls }: ChatMessage): NonNullable<ChatMessage['tool_calls']> => calls ?? []

/** Runs the group and returns the reply of the manager. */
type ReplyByRun = (sender: Agent, message: ChatMessage) => Steps<ReplyOutcome>

/** The manager of one run of a pattern. */
export class PatternManager extends ConversableAgent {
  /** The group, which an outer group looks up when this manager is a member. */
  groupchat: Group | null = null
  /** True once the run has ended. */
  isOver = false

  constructor({ name = 'chat_manager', ...options }: Partial<ConversableAgentOptions>, replyByRun: ReplyByRun) {
    super({
      maxConsecutiveAutoReply: Number.MAX_SAFE_INTEGER,
      humanInputMode: 'NEVER',
      systemMessage: 'Group chat manager.',
      ...options,
      // The run decides whether messages are shown.
      silent: null,
      name,
    })
    const reply = stepsReply('runChat', (_agent, { messages, sender }) => replyByRun(sender!, messages.at(-1)!))
    this.registerReply([ConversableAgent, null], reply)
  }
}

/** The agent of a stand-in, for one run. */
export class StandInAgent extends ConversableAgent {
  /** True once the run has ended. */
  isOver = false
}
