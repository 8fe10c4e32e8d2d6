import type {
  Agent,
  ChatMessage,
  ChatOptions,
  ChatResult,
  EventBody,
  Io,
  JournalKind,
  JsonSchema,
  Logger,
  MaybePromise,
  Model,
  Reply,
  Run,
  RunContext,
  SharedVariables,
  TerminationReason,
  Tool,
  ToolCall,
  ToolContext,
  ToolResponse,
} from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { initiateChat as chatOf } from '../chat/chat.steps.ts'
import { leadMembers as leadOf } from '../chat/lead-members.steps.ts'
import { append as appendTo, broadcast as broadcastTo } from '../chat/lead-members.steps.ts'
import { clearHistory, openConversation, stateOf } from '../memory/state.ts'
import { withAllMembers } from '../memory/usage.ts'
import type {
  ConversationQuestion,
  ManagerRole,
  MappedFunction,
  ReplyAdditions,
  ReplyRequest,
} from '../options/operations.ts'
import { repeatCuts as repeatOf, viewMessages as viewOf } from '../reply/view.steps.ts'
import { askAs as askOf } from '../reply/model.steps.ts'
import { generateReply as replyOf, generateReplyWith } from '../reply/reply.steps.ts'
import { callFor as callForOf } from '../reply/tools.steps.ts'
import { externalCall as callOf } from '../run/external-call.steps.ts'
import { journalInside } from '../run/recorder.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { inReply } from '../run/within.steps.ts'
import { mappedTool } from '../tool/tool.ts'

/** A chat of two as steps, from its first message to its summary and cost. */
export const initiateChat = (initiator: Agent, recipient: Agent, options: ChatOptions = {}): Steps<ChatResult> =>
  chatOf(initiator, recipient, options)

/**
 * Asks the reply functions of an agent in order, as steps; gives the reply, or null when the chat is to end. Additions
 * hold for this reply alone, and are not seen by other chats of the agent.
 */
export const generateReply = (agent: Agent, request: ReplyRequest, additions?: ReplyAdditions): Steps<Reply | null> =>
  additions ? generateReplyWith(stateOf(agent), request, additions) : replyOf(stateOf(agent), request)

/** Gives an agent its part as a manager of others, in all its chats from now on. */
export function setManagerRole(agent: Agent, role: ManagerRole): void {
  stateOf(agent).managerRole = role
}

/**
 * Runs steps in which a manager leads its members: in the scope of a reply of its own, with the cache of the chat for all
 * of them, and with their state in the journal. Members that another chat with the manager has are refused with
 * `conversation-busy`. Steps that fail or are stopped leave no call without an answer, in no history.
 */
export const leadMembers = <T>(manager: Agent, steps: Steps<T>): Steps<T> => leadOf(manager, steps)

/** Adds a message to both sides of a conversation, without a reply; returns it as the receiver keeps it. */
export const append = (from: Agent, reply: Reply, to: Agent, silent: boolean | null = null): Steps<ChatMessage> =>
  appendTo(from, reply, to, silent)

/**
 * Adds one message to the conversations of several agents, without replies or events. Where no hook changes it, all
 * histories share it.
 */
export const broadcast = (from: Agent, message: ChatMessage, recipients: readonly Agent[]): Steps<void> =>
  broadcastTo(from, message, recipients)

/** Notes on an agent's side of a conversation why the chat ends; the result of the chat says so. */
export function* endConversation(agent: Agent, counterpart: Agent | null, reason: TerminationReason): Steps<void> {
  const { chat } = scopeIn(yield* currentRun())
  openConversation(stateOf(agent), counterpart, chat).ended = reason
}

/** Forgets all messages of an agent but the newest of each conversation; gives the event that tells of it, if there is one. */
export const shortenHistory = (agent: Agent, preserved: number): EventBody | undefined =>
  clearHistory(stateOf(agent), null, preserved)

/** A question that an agent asks a model under another name. */
interface NamedQuestion {
  /** Name of who asks, in events and in the log. */
  readonly name: string
  readonly model: Model
  readonly messages: readonly ChatMessage[]
  /** Shape that the answer should have, for models that can be told. */
  readonly answerSchema?: JsonSchema | undefined
}

/**
 * Asks a model for an agent under another name: a journal keeps the answer, the budget of the run pays for it, and what it
 * uses counts as the agent's. The cache of the chat is not asked. Gives null when the model said nothing.
 */
export const askAs = (agent: Agent, question: NamedQuestion): Steps<Reply | null> => askOf(agent, question)

/** A call of something outside the program's own logic, of which a journal keeps the answer. */
interface LabelledCall {
  readonly kind: JournalKind
  /** Names what is asked, for people. */
  readonly label: string
  /** Shape that a kept answer has to have. */
  readonly shape?: JsonSchema | undefined
  /** The agent in whose reply it is made. */
  readonly agent?: Agent | undefined
  /** Tells by events that a person is asked, and answers. */
  readonly span?: { readonly type: 'humanInput'; readonly agent: string } | undefined
}

/** Asks something outside the program's own logic, or the journal if it has answered before. The answer is plain JSON. */
export const externalCall = <T>(
  call: LabelledCall,
  ask: (context: RunContext & { readonly run: Run }) => MaybePromise<T>,
): Steps<T> => callOf<T, 'humanInput'>(call, ask)

/** Context variables, and the map that holds them. */
interface VariableStore {
  readonly variables: SharedVariables
  readonly values: Map<string, unknown>
}

/**
 * Runs steps with context variables of their own: tools, hooks and reply functions in them are given these. An `owner`
 * keeps them in place of its own, so that a journal keeps them with that agent. Agents that are made in the steps may have
 * the names of others outside.
 */
export function* withVariables<T>(owner: Agent, { variables, values }: VariableStore, steps: Steps<T>): Steps<T> {
  stateOf(owner).context = values
  const scope = scopeIn(yield* currentRun())
  return yield* inScope(scope.inner({ variables, journal: scope.journal && journalInside(scope.journal) }), steps)
}

/** How a call is made for an agent. */
interface CallForOptions {
  /** The function to call; without one the result says that there is none of the name. */
  readonly mapped: MappedFunction | undefined
  /** Name of who makes the call, in events. */
  readonly recipient: string
}

/** What came of a call that was made for an agent. */
interface CallResult {
  readonly success: boolean
  /** The result as it is, or the text of what went wrong. */
  readonly content: unknown
  readonly arguments: unknown
}

/**
 * Makes one call for the agent whose message asked for it, with the vetting, the approvals and the name of that agent.
 * The result is not made into text; with a journal it has to be plain JSON.
 */
export const callFor = (agent: Agent, call: ToolCall, { mapped, recipient }: CallForOptions): Steps<CallResult> =>
  callForOf(stateOf(agent), call, { mapped: mapped && rawOf(mapped), recipient })

/** A function with its result as it is. */
function rawOf(mapped: MappedFunction): MappedFunction {
  const { raw, needsApproval } = mapped
  return raw ? Object.assign((args: never, context: ToolContext) => raw(args, context), { needsApproval }) : mapped
}

/** The function that an agent has under a name: of its function map, or of a tool that its model is told of. */
export function functionOf(agent: Agent, name: string): MappedFunction | undefined {
  const { functionMap, tools } = stateOf(agent)
  const its = functionMap?.get(name)
  if (its) return its
  const tool = tools.find((each) => each.name === name)
  return tool && mappedTool(tool)
}

/** The names of the tools that an agent's model is told of. */
export function toolNamesOf(agent: Agent): readonly string[] {
  const { llmConfig, tools } = stateOf(agent)
  const told = (llmConfig ? (llmConfig.config['tools'] ?? []) : []) as readonly {
    readonly function?: { readonly name?: string }
  }[]
  return [...tools.map(({ name }) => name), ...told.flatMap((each) => each.function?.name ?? [])]
}

/** Forgets the conversation of an agent with another that takes part in nothing any more. */
export function forgetConversation(agent: Agent, counterpart: Agent): void {
  const { conversations } = stateOf(agent)
  if (!conversations.get(counterpart)?.chats) conversations.delete(counterpart)
}

/** The function that a call of a tool names: it checks the arguments, and its `raw` gives the result as it is. */
export const functionOfTool = (its: Tool): MappedFunction => mappedTool(its)

/** The models of some agents, and of those that they manage; each once. */
export const modelsOf = (agents: readonly Agent[]): readonly Model[] => [
  ...new Set(
    [...withAllMembers(agents.map(stateOf))].flatMap(({ model, managerRole }) => [
      ...(model ? [model] : []),
      ...(managerRole?.models() ?? []),
    ]),
  ),
]

/** Runs what happens in a reply of an agent in a scope of its own, so that its events say whose reply it is. */
export const inReplyOf = <T>(agent: Agent, steps: Steps<T>): Steps<T> => inReply(agent, steps)

/** Notes what the calls of an agent's last message have answered so far, for a run that is stopped; null when all are. */
export function* noteAnswers(agent: Agent, counterpart: Agent, answered: ToolResponse[] | null): Steps<void> {
  const { chat } = scopeIn(yield* currentRun())
  openConversation(stateOf(agent), counterpart, chat).answered = answered
}

/** Whether a journal keeps what is answered here. */
export function* isRecorded(): Steps<boolean> {
  return scopeIn(yield* currentRun()).isRecorded
}

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

/**
 * Chooses the messages that an agent's `history` leaves of a conversation, for a question that is not a reply of its model;
 * all of them without a `history`. Cuts are sent as events, and their usage counts as the agent's. After a refusal of the
 * provider (`refused`) it returns null when nothing more can be cut.
 */
export const viewMessages = (
  agent: Agent,
  question: ConversationQuestion,
  options: { readonly refused?: boolean | undefined } = {},
): Steps<readonly ChatMessage[] | null> => viewOf(agent, question, options)

/** Repeats the cuts that a journal has kept for a question that it has answered, so that the `history` knows them. */
export const repeatCuts = (agent: Agent, question: ConversationQuestion): Steps<void> => repeatOf(agent, question)
