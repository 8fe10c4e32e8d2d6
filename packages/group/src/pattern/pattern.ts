import type { ConversableAgent, ConversableAgentOptions } from '@x/agent'
import type { Agent, ChatMessage, SummaryMethod } from '@x/interfaces'
import type { ContextVariables } from '../handoff/context-variables.ts'
import type { Guardrail } from '../handoff/guardrail.ts'
import type { Handoff } from '../handoff/handoff.ts'
import {
  askUser,
  groupManager,
  isTarget,
  randomAgent,
  type GroupChatTarget,
  type GroupChatTargetOptions,
  type Target,
} from '../handoff/target.ts'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

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

const KINDS: OptionKinds<PatternOptions> = {
  initialAgent: { ...kind.either(kind.text, kind.object), expected: 'an agent, or the name of one' },
  agents: kind.list,
  userAgent: kind.object,
  contextVariables: kind.object,
  groupAfterWork: { expected: 'an agent, its name, or another target', takes: isTarget },
  until: kind.call,
  targets: kind.list,
  excludeTransitMessage: kind.flag,
  summaryMethod: kind.either(kind.text, kind.call),
  groupManagerArgs: kind.object,
  random: kind.call,
}

/** Makes a pattern of checked options; what a pattern sets itself comes behind them. */
function patternOf<C extends object>(options: object, own: Partial<GroupPattern<C>> = {}): GroupPattern<C> {
  checkOptions(options ?? null, KINDS as never, 'make a pattern')
  return Object.freeze({ ...options, ...own } as GroupPattern<C>)
}

/** A group in which handoffs alone decide; without one the chat ends. */
export const defaultPattern = <C extends object = Record<string, unknown>>(
  options: PatternOptions<C>,
): GroupPattern<C> => patternOf(options)

/** Options of a pattern whose manager's model chooses. */
type AutoOptions<C extends object> = Omit<PatternOptions<C>, 'groupAfterWork'> & {
  /** The last message of the model's request; `{agentlist}` and context variables are filled in. Default: built in. */
  readonly selectionMessage?: string | undefined
}

/** A group in which the manager's model chooses whenever no handoff does. */
export const autoPattern = <C extends object = Record<string, unknown>>({
  selectionMessage,
  ...options
}: AutoOptions<C>): GroupPattern<C> => patternOf(options, { groupAfterWork: groupManager({ selectionMessage }) })

/** A group in which the agents speak in turn: the initial agent, the others in their order, the user agent last. */
export const roundRobinPattern = <C extends object = Record<string, unknown>>(
  options: Omit<PatternOptions<C>, 'groupAfterWork'>,
): GroupPattern<C> => {
  const { initialAgent } = options
  const isInitial = (agent: ConversableAgent): boolean => agent === initialAgent || agent.name === initialAgent
  const next = ({ speaker, agents, userAgent }: PatternTurn): ConversableAgent => {
    const first = agents.filter(isInitial)
    const order = [...first, ...agents.filter((agent) => !isInitial(agent)), ...(userAgent ? [userAgent] : [])]
    return order[(order.indexOf(speaker) + 1) % order.length]!
  }
  return patternOf(options, { next })
}

/** A group in which chance chooses among all others, the user agent included. */
export const randomPattern = <C extends object = Record<string, unknown>>(
  options: Omit<PatternOptions<C>, 'groupAfterWork'>,
): GroupPattern<C> => {
  const next = ({ agents, userAgent }: PatternTurn) => randomAgent(userAgent ? [...agents, userAgent] : agents)
  return patternOf(options, { next })
}

/** A group in which a person chooses, by number, whenever no handoff does. */
export const manualPattern = <C extends object = Record<string, unknown>>(
  options: Omit<PatternOptions<C>, 'groupAfterWork'>,
): GroupPattern<C> => patternOf(options, { groupAfterWork: askUser })

/** Lets a further group work; its summary is said, and who handed over speaks next. */
export const groupChat = <C extends object>(
  pattern: GroupPattern<C>,
  options: GroupChatTargetOptions = {},
): GroupChatTarget => Object.freeze({ ...options, '~target': 'groupChat', pattern })
