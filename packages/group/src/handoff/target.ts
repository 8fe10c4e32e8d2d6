import type { NestedChat } from '@x/agent'
import type { Agent, ChatMessage, MaybePromise, RunContext } from '@x/interfaces'

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
