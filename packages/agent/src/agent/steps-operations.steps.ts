import type {
  Agent,
  CallInput,
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
  RunTracer,
  SharedVariables,
  TerminationReason,
  Tool,
  ToolCall,
  ToolContext,
  ToolResponse,
  ToolSchema,
} from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { initiateChat as chatOf } from '../chat/chat.steps.ts'
import { append as appendTo, broadcast as broadcastTo, leadMembers as leadOf } from '../chat/lead-members.steps.ts'
import { humanSpan } from '../human/ask-human.steps.ts'
import { clearHistory, openConversation, stateOf } from '../memory/state.ts'
import { withAllMembers } from '../memory/usage.ts'
import type {
  ConversationQuestion,
  ManagerRole,
  MappedFunction,
  ReplyAdditions,
  ReplyRequest,
} from '../options/operations.ts'
import { askAs as askOf } from '../reply/model.steps.ts'
import { generateReply as replyOf, generateReplyWith } from '../reply/reply.steps.ts'
import { callFor as callForOf } from '../reply/tools.steps.ts'
import { repeatCuts as repeatOf, viewMessages as viewOf } from '../reply/view.steps.ts'
import { externalCall as callOf } from '../run/external-call.steps.ts'
import { journalInside } from '../run/recorder.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { inReply, withSilence as silenceOf } from '../run/within.steps.ts'
import { mappedTool } from '../tool/tool.ts'

// Each function is declared here once more and not exported from where it is written: the declarations of an entry must not
// reach those of the state of an agent, which every editor of a user would read.

// Chats, replies and histories of any agent.

/**
 * Holds a chat of two as steps, from its first message to its summary and cost. `finish` goes on from its result to that of
 * the operation, inside the span of the chat. `before` restores what was said earlier, as a part of the run of the chat.
 */
export const initiateChat = <R extends ChatResult = ChatResult>(
  initiator: Agent,
  recipient: Agent,
  options: ChatOptions = {},
  around: { readonly before?: Steps<void> | undefined; readonly finish?: (result: ChatResult) => Steps<R> } = {},
): Steps<R> => chatOf(initiator, recipient, options, around)

/**
 * Asks the reply functions of an agent in order, as steps; returns the reply, or null to end the chat. `additions` hold for
 * this reply alone: other chats of the agent do not see them.
 */
export const generateReply = (agent: Agent, request: ReplyRequest, additions?: ReplyAdditions): Steps<Reply | null> =>
  additions ? generateReplyWith(stateOf(agent), request, additions) : replyOf(stateOf(agent), request)

/** The part of an agent's state that steps of other packages may read, beside its public attributes. */
export interface AgentInternals {
  readonly io: Io
  readonly logger: Logger | null
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
  /** Follows the operations that are not part of a run. */
  readonly tracer?: RunTracer
  /** The model that answers for the agent; null without one. */
  readonly model: Model | null
  /** True if a message of a sender ends a chat for the agent. */
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

/** Returns the live internals of an agent; undefined for an agent of another implementation. */
export const internalsOf = (agent: Agent): AgentInternals =>
  (agent as { readonly '~state'?: unknown })['~state'] as AgentInternals

/**
 * Chooses the messages that an agent's `history` leaves of a conversation, for a question that is not a reply of its model;
 * without a `history`, all messages. Sends cuts as events, and counts their usage as the agent's. Returns null if the
 * provider `refused` and nothing more can be cut.
 */
export const viewMessages = (
  agent: Agent,
  question: ConversationQuestion,
  options: { readonly refused?: boolean | undefined } = {},
): Steps<readonly ChatMessage[] | null> => viewOf(agent, question, options)

/** Repeats the cuts of a question that a journal has answered, so that the agent's `history` knows them. */
export const repeatCuts = (agent: Agent, question: ConversationQuestion): Steps<void> => repeatOf(agent, question)

// Managers of other agents, such as the manager of a group.

/** Makes an agent a manager of others, in all its chats from now on. */
export function setManagerRole(agent: Agent, role: ManagerRole): void {
  stateOf(agent).managerRole = role
}

/**
 * Runs steps in which a manager leads its members: in the scope of a reply of the manager, with the cache of the chat for
 * all members and their state in the journal. Refuses members that are in another chat with the manager
 * (`conversation-busy`). If the steps fail or are stopped, every open call gets an answer in every history.
 */
export const leadMembers = <T>(manager: Agent, steps: Steps<T>): Steps<T> => leadOf(manager, steps)

/** Adds a message to both sides of a conversation without a reply; returns the message that the receiver keeps. */
export const append = (from: Agent, reply: Reply, to: Agent, silent: boolean | null = null): Steps<ChatMessage> =>
  appendTo(from, reply, to, silent)

/**
 * Adds one message to the conversations of several agents, without replies or events. Histories share the message
 * object unless a hook changes it.
 */
export const broadcast = (from: Agent, message: ChatMessage, recipients: readonly Agent[]): Steps<void> =>
  broadcastTo(from, message, recipients)

/** Runs steps of which a console prints no event if they are `silent`; every other listener gets the events. */
export const withSilence = <T>(silent: boolean | null | undefined, steps: Steps<T>): Steps<T> =>
  silenceOf(silent, steps)

/** Sets the reason for the end of a chat on an agent's side of the conversation; the result of the chat has it. */
export function* endConversation(agent: Agent, counterpart: Agent | null, reason: TerminationReason): Steps<void> {
  const { chat } = scopeIn(yield* currentRun())
  openConversation(stateOf(agent), counterpart, chat).ended = reason
}

/** Forgets all but the newest `preserved` messages of each conversation of an agent; returns the event to send, if any. */
export const shortenHistory = (agent: Agent, preserved: number): EventBody | undefined =>
  clearHistory(stateOf(agent), null, preserved)

/** A question that an agent asks a model under another name. */
interface NamedQuestion {
  /** Name of the asker, in events and in the log. */
  readonly name: string
  readonly model: Model
  readonly messages: readonly ChatMessage[]
  /** Schema of the answer, for models with an option for it. */
  readonly answerSchema?: JsonSchema | undefined
}

/**
 * Asks a model for an agent, under another name: a journal keeps the answer, the budget of the run pays for it, and the
 * usage counts as the agent's. The cache of the chat is not read. Returns null for an empty answer.
 */
export const askAs = (agent: Agent, question: NamedQuestion): Steps<Reply | null> => askOf(agent, question)

/** A call of something outside the program's own logic. A journal keeps the answer. */
interface LabelledCall {
  readonly kind: JournalKind
  /** Description for people. */
  readonly label: string
  /** Shape that an answer from a journal must have. */
  readonly shape?: JsonSchema | undefined
  /** The agent whose reply makes the call. */
  readonly agent?: Agent | undefined
  /** The question to a person, for its span; default: no span. */
  readonly question?: { readonly agent: string; readonly prompt: string } | undefined
  /** Returns what the call asks; read if somebody takes it. */
  readonly asks?: (() => CallInput) | undefined
}

/** Asks something outside the program's own logic, or recalls the answer from the journal. The answer must be plain JSON. */
export const externalCall = <T>(
  { question, ...call }: LabelledCall,
  ask: (context: RunContext & { readonly run: Run }) => MaybePromise<T>,
): Steps<T> => callOf(question ? { ...call, span: humanSpan(question.agent, question.prompt) } : call, ask)

// Groups in which agents hand over to each other.

/** Context variables, and the map that holds them. */
interface VariableStore {
  readonly variables: SharedVariables
  readonly values: Map<string, unknown>
}

/**
 * Runs steps with context variables for the tools, hooks and reply functions inside. They replace the variables of the
 * `owner`, so that a journal stores them with that agent. Agents made in the steps may have names of agents outside.
 */
export function* withVariables<T>(owner: Agent, { variables, values }: VariableStore, steps: Steps<T>): Steps<T> {
  stateOf(owner).context = values
  const scope = scopeIn(yield* currentRun())
  return yield* inScope(scope.inner({ variables, journal: scope.journal && journalInside(scope.journal) }), steps)
}

/** Options of {@link callFor}. */
interface CallForOptions {
  /** The function to call; undefined: the result says that no function has the name. */
  readonly mapped: MappedFunction | undefined
  /** Name of the agent that makes the call, in events. */
  readonly recipient: string
}

/** Result of {@link callFor}. */
interface CallResult {
  readonly success: boolean
  /** The result as it is, or the text of the error. */
  readonly content: unknown
  readonly arguments: unknown
}

/**
 * Makes a call for the agent whose message asked for it, with the vetting, the approvals and the name of that agent. The
 * result is not converted to text; with a journal it must be plain JSON.
 */
export const callFor = (agent: Agent, call: ToolCall, { mapped, recipient }: CallForOptions): Steps<CallResult> =>
  callForOf(stateOf(agent), call, { mapped: mapped && rawOf(mapped), recipient })

/** Returns a function that leaves the result as it is. */
function rawOf(mapped: MappedFunction): MappedFunction {
  const { raw, needsApproval } = mapped
  return raw ? Object.assign((args: never, context: ToolContext) => raw(args, context), { needsApproval }) : mapped
}

/** Finds a function of an agent by name: in the function map, or among the tools of the model. */
export function functionOf(agent: Agent, name: string): MappedFunction | undefined {
  const { functionMap, tools } = stateOf(agent)
  const mapped = functionMap?.get(name)
  if (mapped) return mapped
  const tool = tools.find((candidate) => candidate.name === name)
  return tool && mappedTool(tool)
}

/** Lists the names of the tools of an agent's model. */
export function toolNamesOf(agent: Agent): readonly string[] {
  const { llmConfig, tools } = stateOf(agent)
  const configured = (llmConfig ? (llmConfig.config['tools'] ?? []) : []) as readonly {
    readonly function?: { readonly name?: string }
  }[]
  return [...tools.map(({ name }) => name), ...configured.flatMap((tool) => tool.function?.name ?? [])]
}

/** Lists the tools that the run around a question brings for an agent's model, beside those of its config. */
export function toolsInRun(agent: Agent, run: Run): readonly ToolSchema[] {
  const watch = scopeIn(run).chat?.watch
  return watch?.agent === agent ? watch.tools : []
}

/** Forgets the conversation of an agent with a counterpart, unless a chat uses it. */
export function forgetConversation(agent: Agent, counterpart: Agent): void {
  const { conversations } = stateOf(agent)
  if (!conversations.get(counterpart)?.chats) conversations.delete(counterpart)
}

/** Returns the function of a tool for a function map: it checks the arguments, and its `raw` form leaves the result as it is. */
export const functionOfTool = (tool: Tool): MappedFunction => mappedTool(tool)

/** Lists the models of agents and of their members, each model once. */
export const modelsOf = (agents: readonly Agent[]): readonly Model[] => [
  ...new Set(
    [...withAllMembers(agents.map(stateOf))].flatMap(({ model, managerRole }) => [
      ...(model ? [model] : []),
      ...(managerRole?.models() ?? []),
    ]),
  ),
]

/** Runs steps as part of a reply of an agent: their events have the agent in their path. */
export const inReplyOf = <T>(agent: Agent, steps: Steps<T>): Steps<T> => inReply(agent, steps)

/** Sets the responses so far to the calls of an agent's last message, in case the run is stopped; null once all are there. */
export function* noteAnswers(agent: Agent, counterpart: Agent, answered: ToolResponse[] | null): Steps<void> {
  const { chat } = scopeIn(yield* currentRun())
  openConversation(stateOf(agent), counterpart, chat).answered = answered
}

/** Tells whether a journal keeps the answers of the current run. */
export function* isRecorded(): Steps<boolean> {
  return scopeIn(yield* currentRun()).waits
}
