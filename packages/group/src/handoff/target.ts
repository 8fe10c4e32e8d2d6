import type { NestedChat } from '@x/agent'
import type { Agent, ChatMessage, MaybePromise, RunContext } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** A target without options: the current agent, the user agent, or whoever a person chooses. */
export interface SimpleTarget {
  readonly '~target': 'stay' | 'revertToUser' | 'askUser'
}

/** The end of the chat. */
export interface TerminateTarget {
  readonly '~target': 'terminate'
  /** Why it ends, for `terminationDetail`. */
  readonly reason?: string | undefined
}

/** Options of leaving the choice to the manager's model. */
export interface GroupManagerOptions {
  /** The last message of its request; `{agentlist}` and context variables are filled in. Default: built in. */
  readonly selectionMessage?: string | undefined
  /** Those that may be chosen; default: all agents, and the user agent. */
  readonly candidates?: readonly (Agent | string)[] | undefined
  /** Whether who has spoken last may be chosen again; default true. */
  readonly allowRepeatSpeaker?: boolean | undefined
}

/** The target that the manager's model names. */
export interface GroupManagerTarget extends GroupManagerOptions {
  readonly '~target': 'groupManager'
}

/** The target that is drawn by chance of some agents; never the current one. */
export interface RandomAgentTarget {
  readonly '~target': 'randomAgent'
  readonly agents: readonly (Agent | string)[]
}

/** A queue of chats, whose result an agent says that stands for it. */
export interface NestedChatTarget {
  readonly '~target': 'nestedChat'
  readonly chatQueue: readonly NestedChat[]
}

/** Options of a group as a target. */
export interface GroupChatTargetOptions {
  /** What the group is told; default: the words beside the handoff, or else the last message before it. */
  readonly messages?: string | ChatMessage | readonly ChatMessage[] | undefined
  /** Messages of its run; default 20. */
  readonly maxRounds?: number | undefined
}

/** A further group, whose summary an agent says that stands for it. */
export interface GroupChatTarget extends GroupChatTargetOptions {
  readonly '~target': 'groupChat'
  /** A pattern. */
  readonly pattern: object
}

/** The answer of a tool of a group that is more than a plain result. */
export interface ReplyResult<C = Record<string, unknown>> {
  /** What the model reads; default: the text of the handoff. */
  readonly message?: string | undefined
  /** Who gets the floor; default: the agent whose tool it is. */
  readonly target?: Target<C> | undefined
  /** Context variables to set. */
  readonly contextVariables?: Partial<C> | undefined
}

/** The input of a function that decides who speaks. */
export interface FunctionTargetInput<C> extends RunContext {
  /** The last message of the group. */
  readonly message: ChatMessage
  /** A copy of the context variables, as they are now. */
  readonly variables: Readonly<C>
}

/** The answer of a function that decides who speaks. */
export interface FunctionTargetResult<C> extends ReplyResult<C> {
  /** Messages that one agent each reads, and nobody else. */
  readonly messages?: readonly { readonly to: Agent | string; readonly content: string }[] | undefined
}

/** The target that a function names; a journal keeps its answer. */
export interface FunctionTarget<C> {
  readonly '~target': 'function'
  readonly name: string
  readonly fn: (input: FunctionTargetInput<C>) => MaybePromise<FunctionTargetResult<C>>
}

/** The target of a handoff, which speaks next: an agent, its name, or what the functions and constants for targets give. */
export type Target<C = never> =
  | Agent
  | string
  | SimpleTarget
  | TerminateTarget
  | GroupManagerTarget
  | RandomAgentTarget
  | NestedChatTarget
  | GroupChatTarget
  | FunctionTarget<C>

/** A target with a kind of its own. */
export type TargetObject = Exclude<Target, Agent | string>

/** The current agent keeps the floor: who has spoken, or whose call was answered. */
export const stay: SimpleTarget = Object.freeze({ '~target': 'stay' })

/** The user agent of the pattern. */
export const revertToUser: SimpleTarget = Object.freeze({ '~target': 'revertToUser' })

/** The target that a person chooses by number. */
export const askUser: SimpleTarget = Object.freeze({ '~target': 'askUser' })

/** The end of the chat; called with a text it says why: `terminate('waiting for the user')`. */
export const terminate: TerminateTarget & ((reason: string) => TerminateTarget) = Object.freeze(
  Object.assign((reason: string): TerminateTarget => Object.freeze({ '~target': 'terminate', reason }), {
    '~target': 'terminate',
  } as const),
)

/** Leaves the choice to the model of the manager. */
export const groupManager = (options: GroupManagerOptions = {}): GroupManagerTarget =>
  Object.freeze({ ...options, '~target': 'groupManager' })

/** Draws one of some agents. */
export const randomAgent = (agents: readonly (Agent | string)[]): RandomAgentTarget =>
  Object.freeze({ '~target': 'randomAgent', agents: [...agents] })

/** Lets a queue of chats work; the summary of the last is said, and who handed over speaks next. */
export const nestedChat = (chatQueue: readonly NestedChat[]): NestedChatTarget =>
  Object.freeze({ '~target': 'nestedChat', chatQueue: [...chatQueue] })

/** Lets a function decide. */
export const functionTarget = <C extends object>(
  fn: FunctionTarget<C>['fn'],
  { name = fn.name || 'function' }: { readonly name?: string | undefined } = {},
): FunctionTarget<C> => Object.freeze({ '~target': 'function', name, fn })

/** Whether a value is an agent. */
export const isAgent = (value: unknown): value is Agent =>
  typeof value === 'object' && value !== null && '~state' in value

/** Whether a value is a target that is neither an agent nor the name of one. */
export const isTargetObject = (value: unknown): value is TargetObject =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~target' in value

/** Whether a value may be a target. */
export const isTarget = (value: unknown): value is Target =>
  (typeof value === 'string' && value !== '') || isAgent(value) || isTargetObject(value)

/** The description of a target in events. */
export interface TargetFacts {
  /** Kind of the target. */
  readonly target: string
  /** Name to show. */
  readonly to: string
}

const SHOWN = {
  stay: 'Stay',
  terminate: 'Terminate',
  revertToUser: 'Revert to User',
  askUser: 'Ask User',
  groupManager: 'the group manager',
  randomAgent: 'a random agent',
  nestedChat: 'a nested chat',
  groupChat: 'a group chat',
} as const

/** The kind of a target, and its name to show. */
export function targetFacts(target: Target): TargetFacts {
  if (typeof target === 'string') return { target: 'agentName', to: target }
  if (!isTargetObject(target)) return { target: 'agent', to: target.name }
  const kind = target['~target']
  return { target: kind, to: kind === 'function' ? target.name : SHOWN[kind] }
}

/** The text that a handoff to a target answers to a call. */
export function handoffText(target: Target): string {
  const { to } = targetFacts(target)
  if (!isTargetObject(target)) return `Transfer to ${to}`
  const kind = target['~target']
  if (kind === 'function') return `Transfer to tool ${to}`
  if (kind === 'stay') return 'Stay with agent'
  return kind === 'groupManager' ? `Transfer to ${to}` : to
}

const IN_TOOL_NAMES = {
  stay: 'stay',
  terminate: 'terminate',
  revertToUser: 'revert_to_user',
  askUser: 'ask_user',
  groupManager: 'group_manager',
  randomAgent: 'random',
  nestedChat: 'nested_chat',
  groupChat: 'group_chat',
} as const

/** The part of a tool's name that stands for a target. */
export function toolNamePart(target: Target): string {
  if (!isTargetObject(target)) return targetFacts(target).to
  const kind = target['~target']
  return kind === 'function' ? target.name : IN_TOOL_NAMES[kind]
}

const KINDS: OptionKinds<ReplyResult> = {
  message: kind.text,
  target: { expected: 'an agent, its name, or another target', takes: isTarget },
  contextVariables: kind.object,
}

const MARK = '~replyResult'

/** Makes the answer of a tool that hands over, sets context variables, or both. */
export function replyResult<C extends object = Record<string, unknown>>(result: ReplyResult<C>): ReplyResult<C> {
  checkOptions(result ?? null, KINDS as OptionKinds<ReplyResult<C>>, 'make a `replyResult`')
  return Object.freeze({ ...result, [MARK]: true })
}

/** Whether a value was made by {@link replyResult}. */
export const isReplyResult = (value: unknown): value is ReplyResult =>
  typeof value === 'object' && value !== null && MARK in value
