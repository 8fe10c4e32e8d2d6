import type { NestedChat } from '@x/agent'
import type { Agent, ChatMessage, MaybePromise, RunContext } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { isAgent } from '../group/group.ts'

/** A target without options: the current agent, the user agent, or the choice of a person. */
export interface SimpleTarget {
  readonly '~target': 'stay' | 'revertToUser' | 'askUser'
}

/** The end of the chat. */
export interface TerminateTarget {
  readonly '~target': 'terminate'
  /** Reason of the end, for `terminationDetail`. */
  readonly reason?: string | undefined
}

/** Options of a choice by the model of the manager. */
export interface GroupManagerOptions {
  /** Last message of the request; `{agentlist}` and context variables are filled in. Default: built in. */
  readonly selectionMessage?: string | undefined
  /** Agents to choose from; default: all agents and the user agent. */
  readonly candidates?: readonly (Agent | string)[] | undefined
  /** Whether the last speaker may be chosen again; default true. */
  readonly allowRepeatSpeaker?: boolean | undefined
}

/** The agent that the model of the manager names. */
export interface GroupManagerTarget extends GroupManagerOptions {
  readonly '~target': 'groupManager'
}

/** A random one of some agents, never the current agent. */
export interface RandomAgentTarget {
  readonly '~target': 'randomAgent'
  readonly agents: readonly (Agent | string)[]
}

/** A queue of chats; a stand-in agent says its result. */
export interface NestedChatTarget {
  readonly '~target': 'nestedChat'
  readonly chatQueue: readonly NestedChat[]
}

/** Options of a group as a target. */
export interface GroupChatTargetOptions {
  /** Messages that begin the inner chat; default: the text beside the handoff, or else the last message before it. */
  readonly messages?: string | ChatMessage | readonly ChatMessage[] | undefined
  /** Most messages of the inner run; default 20. */
  readonly maxRounds?: number | undefined
}

/** An inner group; a stand-in agent says its summary. */
export interface GroupChatTarget extends GroupChatTargetOptions {
  readonly '~target': 'groupChat'
  /** A pattern. */
  readonly pattern: object
}

/** The answer of a tool that hands over, sets context variables, or both. */
export interface ReplyResult<C = Record<string, unknown>> {
  /** Text for the model; default: the text of the handoff. */
  readonly message?: string | undefined
  /** The next speaker; default: the agent that called the tool. */
  readonly target?: Target<C> | undefined
  /** Context variables to set. */
  readonly contextVariables?: Partial<C> | undefined
}

/** The input of a function that chooses the next speaker. */
export interface FunctionTargetInput<C> extends RunContext {
  /** The last message of the group. */
  readonly message: ChatMessage
  /** A copy of the current context variables. */
  readonly variables: Readonly<C>
}

/** The answer of a function that chooses the next speaker. */
export interface FunctionTargetResult<C> extends ReplyResult<C> {
  /** Messages for one agent each, which nobody else reads. */
  readonly messages?: readonly { readonly to: Agent | string; readonly content: string }[] | undefined
}

/** The target that a function returns; a journal keeps the answer. */
export interface FunctionTarget<C> {
  readonly '~target': 'function'
  readonly name: string
  readonly fn: (input: FunctionTargetInput<C>) => MaybePromise<FunctionTargetResult<C>>
}

/** The target of a handoff, which speaks next: an agent, its name, or a target such as `stay` or `groupManager()`. */
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

/** A target that is neither an agent nor a name. */
export type TargetObject = Exclude<Target, Agent | string>

/** The current agent: the last speaker, or the caller of the answered tool. */
export const stay: SimpleTarget = Object.freeze({ '~target': 'stay' })

/** The user agent of the pattern. */
export const revertToUser: SimpleTarget = Object.freeze({ '~target': 'revertToUser' })

/** The agent that a person chooses by number. */
export const askUser: SimpleTarget = Object.freeze({ '~target': 'askUser' })

/** The end of the chat, with a reason when it is called: `terminate('waiting for the user')`. */
export const terminate: TerminateTarget & ((reason: string) => TerminateTarget) = Object.freeze(
  Object.assign((reason: string): TerminateTarget => Object.freeze({ '~target': 'terminate', reason }), {
    '~target': 'terminate',
  } as const),
)

const GROUP_MANAGER_KINDS: OptionKinds<GroupManagerOptions> = {
  selectionMessage: kind.text,
  candidates: kind.list,
  allowRepeatSpeaker: kind.flag,
}

/** Leaves the choice to the model of the manager. */
export const groupManager = (options: GroupManagerOptions = {}): GroupManagerTarget => {
  checkOptions(options, GROUP_MANAGER_KINDS, 'make a `groupManager`')
  return Object.freeze({ ...options, '~target': 'groupManager' })
}

/** Picks one of some agents at random. */
export const randomAgent = (agents: readonly (Agent | string)[]): RandomAgentTarget => {
  checkOptions({ agents: agents ?? null }, { agents: kind.list }, 'make a `randomAgent`')
  return Object.freeze({ '~target': 'randomAgent', agents: [...agents] })
}

/** Runs a queue of chats; a stand-in says the summary of the last chat, and the agent that handed over speaks next. */
export const nestedChat = (chatQueue: readonly NestedChat[]): NestedChatTarget => {
  checkOptions({ chatQueue: chatQueue ?? null }, { chatQueue: kind.list }, 'make a `nestedChat`')
  return Object.freeze({ '~target': 'nestedChat', chatQueue: [...chatQueue] })
}

/** Lets a function choose the target. */
export const functionTarget = <C extends object>(
  fn: FunctionTarget<C>['fn'],
  options: { readonly name?: string | undefined } = {},
): FunctionTarget<C> => {
  checkOptions({ ...options, fn: fn ?? null }, { fn: kind.call, name: kind.text }, 'make a `functionTarget`')
  return Object.freeze({ '~target': 'function', name: options.name ?? (fn.name || 'function'), fn })
}

/** True if a value is a target that is neither an agent nor a name. */
export const isTargetObject = (value: unknown): value is TargetObject =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~target' in value

/** True if a value can be a target. */
export const isTarget = (value: unknown): value is Target =>
  (typeof value === 'string' && value !== '') || isAgent(value) || isTargetObject(value)

/** The description of a target in events. */
export interface TargetDescription {
  /** Kind of the target. */
  readonly target: string
  /** Name for people. */
  readonly to: string
}

const TARGET_LABELS = {
  stay: 'Stay',
  terminate: 'Terminate',
  revertToUser: 'Revert to User',
  askUser: 'Ask User',
  groupManager: 'the group manager',
  randomAgent: 'a random agent',
  nestedChat: 'a nested chat',
  groupChat: 'a group chat',
} as const

/** Describes a target by its kind and its name for people. */
export function describeTarget(target: Target): TargetDescription {
  if (typeof target === 'string') return { target: 'agentName', to: target }
  if (!isTargetObject(target)) return { target: 'agent', to: target.name }
  const kind = target['~target']
  return { target: kind, to: kind === 'function' ? target.name : TARGET_LABELS[kind] }
}

/** Returns the answer that a model reads to a handoff call. */
export function handoffText(target: Target): string {
  const { to } = describeTarget(target)
  if (!isTargetObject(target)) return `Transfer to ${to}`
  const kind = target['~target']
  if (kind === 'function') return `Transfer to tool ${to}`
  if (kind === 'stay') return 'Stay with agent'
  return kind === 'groupManager' ? `Transfer to ${to}` : to
}

const TARGET_TOOL_NAME_PARTS = {
  stay: 'stay',
  terminate: 'terminate',
  revertToUser: 'revert_to_user',
  askUser: 'ask_user',
  groupManager: 'group_manager',
  randomAgent: 'random',
  nestedChat: 'nested_chat',
  groupChat: 'group_chat',
} as const

/** Returns the part of a tool name that stands for a target. */
export function toolNamePart(target: Target): string {
  if (!isTargetObject(target)) return describeTarget(target).to
  const kind = target['~target']
  return kind === 'function' ? target.name : TARGET_TOOL_NAME_PARTS[kind]
}

const REPLY_RESULT_KINDS: OptionKinds<ReplyResult> = {
  message: kind.text,
  target: { expected: 'an agent, its name, or another target', takes: isTarget },
  contextVariables: kind.object,
}

const REPLY_RESULT_MARK = '~replyResult'

/** Refuses an answer of a function target that is a target alone, or has an unknown or wrong option. */
export function checkFunctionTargetResult(result: unknown, name: string): void {
  const attempt = `hand over by the function \`${name}\``
  if (typeof result !== 'object' || result === null || isTarget(result)) {
    const returned = isTarget(result) ? 'a target alone' : String(result)
    throw new XError('invalid-argument', `cannot ${attempt}: it returned ${returned}; return \`{ target: … }\``)
  }
  // It may be made by `replyResult`.
  const mark = { ...kind.any, isQuiet: true }
  const kinds = { ...REPLY_RESULT_KINDS, messages: kind.list, [REPLY_RESULT_MARK]: mark }
  checkOptions(result, kinds, attempt, { 'to next agent speaker': 'write `{ target: … }`' })
}

/** Makes the answer of a tool that hands over, sets context variables, or both. */
export function replyResult<C extends object = Record<string, unknown>>(result: ReplyResult<C>): ReplyResult<C> {
  checkOptions(result ?? null, REPLY_RESULT_KINDS as OptionKinds<ReplyResult<C>>, 'make a `replyResult`')
  return Object.freeze({ ...result, [REPLY_RESULT_MARK]: true })
}

/** True if a value was made by {@link replyResult}. */
export const isReplyResult = (value: unknown): value is ReplyResult =>
  typeof value === 'object' && value !== null && REPLY_RESULT_MARK in value
