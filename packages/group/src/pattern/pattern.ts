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

/** An agent in a group, with its rules there. */
export interface Member<C = Record<string, unknown>> {
  readonly agent: ConversableAgent
  /** Rules by which it hands over, in the order of evaluation. */
  readonly handoffs?: readonly Handoff<C>[] | undefined
  /** Checks of the messages that it reads, before it replies. */
  readonly inputGuardrails?: readonly Guardrail<C>[] | undefined
  /** Checks of its replies. */
  readonly outputGuardrails?: readonly Guardrail<C>[] | undefined
  /** Changes the messages for its model, which hold no handoff calls; it has to be pure. */
  readonly sees?: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined
}

const MEMBER_KINDS: OptionKinds<Member<never>> = {
  agent: kind.object,
  handoffs: kind.list,
  inputGuardrails: kind.list,
  outputGuardrails: kind.list,
  sees: kind.call,
}

/** Words of other libraries for the rules of a member. */
const WORDS_FOR_RULES: Readonly<Record<string, string>> = {
  'guardrails guardrail': 'write `inputGuardrails` or `outputGuardrails`',
  'after afterWork afterWorks': 'write it as a handoff, as in `handoffs: [{ to, after: true }]`',
  'transitions targets to': 'write `handoffs: [{ to, when }]`',
}

/** Refuses a member with a rule that is unknown or of another kind: it would be left out in silence. */
export function checkMember(member: Member<never>, attempt: string): void {
  checkOptions(member, MEMBER_KINDS, attempt, WORDS_FOR_RULES)
}

/** The state of a run after a message. */
interface RunStanding<C> {
  readonly messages: readonly ChatMessage[]
  readonly variables: Readonly<C>
  readonly lastSpeaker: string
  /** Messages of the run so far. */
  readonly rounds: number
}

/** Options of a pattern. */
interface PatternOptions<C extends object = Record<string, unknown>> {
  /** The agent that replies first. */
  readonly initialAgent: Agent | string
  /** The members: agents, or agents with their rules. */
  readonly agents: readonly (ConversableAgent | Member<NoInfer<C>>)[]
  /** The agent that stands for the user; default: none, and `_User` says the first message. */
  readonly userAgent?: ConversableAgent | Member<NoInfer<C>> | undefined
  /** Variables that tests, tools and hooks share; a plain object is copied for each chat. */
  readonly contextVariables?: C | ContextVariables<C> | undefined
  /** The next speaker when nothing else decides; default: the chat ends. */
  readonly groupAfterWork?: Target<NoInfer<C>> | undefined
  /** Nested chats, groups and functions that only answers of tools name as targets; a journal needs them listed. */
  readonly targets?: readonly Target<NoInfer<C>>[] | undefined
  /** Ends the chat when it returns a text, the reason; false and undefined let it go on. It has to be pure. */
  readonly until?: ((standing: RunStanding<NoInfer<C>>) => string | false | undefined) | undefined
  /** Whether the calls of handoffs are hidden from models; default true. */
  readonly excludeTransitMessage?: boolean | undefined
  /** Method of the summary; default `last_msg`. */
  readonly summaryMethod?: SummaryMethod | undefined
  /** Options of the manager, such as `llmConfig`, `isTerminationMsg`, `name` (default `chat_manager`) and `io`. */
  readonly groupManagerArgs?: Partial<ConversableAgentOptions> | undefined
  /** Returns a random number in [0, 1) that picks one of the given agents; default: the platform's. */
  readonly random?: ((agents: readonly Agent[]) => number) | undefined
}

/** The current speaker, for a pattern that chooses the next one. */
interface PatternTurn {
  /** The last speaker among the members and the user agent. */
  readonly speaker: ConversableAgent
  readonly agents: readonly ConversableAgent[]
  readonly userAgent: ConversableAgent | null
}

/** A pattern: plain options, and a function that replaces the after-works of members. It changes no agent. */
export interface GroupPattern<C extends object = Record<string, unknown>> extends PatternOptions<C> {
  /** Returns the next speaker, in place of all after-works of members. It has to be pure. */
  readonly next?: ((turn: PatternTurn) => Target<C>) | undefined
}

const PATTERN_KINDS: OptionKinds<PatternOptions> = {
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

/** Words of other libraries for the options of a pattern. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  'members participants team workers nodes': 'write `agents`',
  'initial startAgent startingAgent firstAgent entryAgent entryPoint defaultActiveAgent': 'write `initialAgent`',
  'user userProxy human': 'write `userAgent`',
  'maxRounds maxRound maxTurns maxSteps maxIterations':
    'give it to the run: `initiateGroupChat(pattern, messages, { maxRounds: 20 })`',
  'silent signal budget journal cache emit':
    'give it to the run, as in `initiateGroupChat(pattern, messages, { silent: true, signal, budget })`',
  'messages message task prompt': 'give them second: `initiateGroupChat(pattern, messages)`',
  'llmConfig llm manager supervisor': 'write `groupManagerArgs: { llmConfig }`',
  model: 'write `groupManagerArgs: { llmConfig: llmConfig(model) }`',
  'handoffs transitions': 'write it at a member, as in `agents: [{ agent, handoffs: [{ to, when }] }]`',
  'afterWork afterWorks fallback': 'write `groupAfterWork`',
  'context state variables': 'write `contextVariables`',
  'isTerminationMsg terminationCondition stopWhen': 'write `until`',
}

/** Makes a pattern from checked options and the settings of its own kind. */
function createPattern<C extends object>(options: object, own: Partial<GroupPattern<C>> = {}): GroupPattern<C> {
  checkOptions(options ?? null, PATTERN_KINDS as never, 'make a pattern', FOREIGN_WORDS)
  return Object.freeze({ ...options, ...own } as GroupPattern<C>)
}

/** Makes a group in which handoffs alone decide; without one the chat ends. */
export const defaultPattern = <C extends object = Record<string, unknown>>(
  options: PatternOptions<C>,
): GroupPattern<C> => createPattern(options)

/** Options of `autoPattern`. */
type AutoOptions<C extends object> = Omit<PatternOptions<C>, 'groupAfterWork'> & {
  /** Last message of the request to the model; `{agentlist}` and context variables are filled in. Default: built in. */
  readonly selectionMessage?: string | undefined
}

/** Makes a group in which the model of the manager chooses whenever no handoff decides. */
export const autoPattern = <C extends object = Record<string, unknown>>({
  selectionMessage,
  ...options
}: AutoOptions<C>): GroupPattern<C> => createPattern(options, { groupAfterWork: groupManager({ selectionMessage }) })

/** Makes a group in which the agents speak in turn: the initial agent, the others in their order, the user agent last. */
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
  return createPattern(options, { next })
}

/** Makes a group in which all others, with the user agent, are drawn at random. */
export const randomPattern = <C extends object = Record<string, unknown>>(
  options: Omit<PatternOptions<C>, 'groupAfterWork'>,
): GroupPattern<C> => {
  const next = ({ agents, userAgent }: PatternTurn) => randomAgent(userAgent ? [...agents, userAgent] : agents)
  return createPattern(options, { next })
}

/** Makes a group in which a person chooses by number whenever no handoff decides. */
export const manualPattern = <C extends object = Record<string, unknown>>(
  options: Omit<PatternOptions<C>, 'groupAfterWork'>,
): GroupPattern<C> => createPattern(options, { groupAfterWork: askUser })

/** Runs an inner group as a target; a stand-in says its summary, and the agent that handed over speaks next. */
export const groupChat = <C extends object>(
  pattern: GroupPattern<C>,
  options: GroupChatTargetOptions = {},
): GroupChatTarget => {
  checkOptions({ ...options, pattern: pattern ?? null }, GROUP_CHAT_KINDS, 'make a `groupChat`')
  return Object.freeze({ ...options, '~target': 'groupChat', pattern })
}

const GROUP_CHAT_KINDS: OptionKinds<GroupChatTargetOptions & { pattern: object }> = {
  pattern: {
    expected: 'a pattern, such as `defaultPattern({ … })`',
    takes: (value) => typeof value === 'object' && value !== null && 'initialAgent' in value,
  },
  messages: {
    expected: 'a text, a message, or a list of messages',
    takes: (value) => kind.text.takes(value as string) || typeof value === 'object',
  },
  maxRounds: kind.limit(1),
}
