import { ConversableAgent, type ConversableAgentOptions } from '@x/agent'
import type { Agent, ChatMessage, EventBody, HandoffCause, LlmConfig, Model, ReplyOutcome } from '@x/interfaces'
import type { Policy } from './policy.ts'
import type { GroupState } from '../group/group-state.ts'
import type { ContextVariables } from '../handoff/context-variables.ts'
import type { Guardrail } from '../handoff/guardrail.ts'
import type { HandoffLists, HandoffTool } from '../handoff/handoff.ts'
import type { Target } from '../handoff/target.ts'
import type { GroupPattern, Member } from './pattern.ts'
import { stepsReply } from '@x/agent/steps'
import type { Steps } from '@x/kernel'
import type { Group } from '../group/group.ts'

/** Name under which the calls of members are answered. */
export const EXECUTOR = '_Group_Tool_Executor'

/** Name of who says the first message of a group without a user agent. */
export const TEMPORARY_USER = '_User'

/** A member, and what holds for it in a run. */
export interface PreparedMember extends HandoffLists {
  readonly agent: ConversableAgent
  readonly tools: readonly HandoffTool[]
  readonly inputGuardrails: readonly Guardrail<never>[]
  readonly outputGuardrails: readonly Guardrail<never>[]
  readonly sees: Member['sees']
}

/** An agent that stands for chats or a group that are a target. */
export interface StandIn {
  readonly agent: ConversableAgent
  /** The agent that speaks after it. */
  readonly parent: ConversableAgent
}

/** A target that waits for its turn. */
export interface NextTarget {
  readonly target: Target
  readonly by: HandoffCause
}

/** A run of a pattern: what it is made of, and how it stands. */
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
  /** The stand-ins by who hands over, and by target. */
  readonly standInsOf: Map<Agent, Map<unknown, StandIn>>
  /** The targets of the pattern that are not plain, which answers may name in every process. */
  readonly targets: readonly Target[]
  /** Rules on what goes from one to another. */
  readonly policy: Policy
  /** The models that judge for rules in words; null without any. */
  readonly policyModel: LlmConfig | null
  /** Names of the tools that are handoffs. */
  readonly handoffNames: ReadonlySet<string>
  /** The tools of handoffs that the model of each member was offered last. */
  readonly offered: Map<Agent, readonly HandoffTool[]>
  /** Gives the models that were asked beside those of the members. */
  readonly otherModels: Set<() => readonly Model[]>
  /** Placeholders that were told to be without a variable. */
  readonly missing: Set<string>
  /** Events of what rules have found on the way to a model, until they are sent. */
  readonly findings: EventBody[]
  next: NextTarget | null
  /** The agent or stand-in that has spoken last; null before the first. */
  lastAgent: ConversableAgent | null
  /** Whether nobody has replied yet in this run. */
  isFirst: boolean
  /** Handoffs since somebody has said something. */
  handoffsInRow: number
  /** Whether the last message is only the notice of a handoff. */
  handoffNotice: boolean
  /** Words on why the chat ended. */
  detail: string | null
}

/** The variables as plain values, for tests and templates. */
export const valuesIn = (run: PatternRun): Readonly<never> => run.variables.toJSON() as Readonly<never>

/** The calls of a message that are to be answered. */
export const callsIn = ({ tool_calls: calls }: ChatMessage): NonNullable<ChatMessage['tool_calls']> => calls ?? []

/** Answers a message by a run. */
type RunMessage = (sender: Agent, message: ChatMessage) => Steps<ReplyOutcome>

/** The manager of one run of a pattern. */
export class PatternManager extends ConversableAgent {
  /** The group, as a manager that is a member of it finds it. */
  groupchat: Group | null = null
  /** Whether its run has ended. */
  isOver = false

  constructor({ name = 'chat_manager', ...options }: Partial<ConversableAgentOptions>, run: RunMessage) {
    super({
      maxConsecutiveAutoReply: Number.MAX_SAFE_INTEGER,
      humanInputMode: 'NEVER',
      systemMessage: 'Group chat manager.',
      ...options,
      // Whether messages are shown is a matter of the run.
      silent: null,
      name,
    })
    const reply = stepsReply('runChat', (_agent, { messages, sender }) => run(sender!, messages.at(-1)!))
    this.registerReply([ConversableAgent, null], reply)
  }
}

/** An agent that stands for chats or a group in one run. */
export class StandInAgent extends ConversableAgent {
  /** Whether its run has ended. */
  isOver = false
}
