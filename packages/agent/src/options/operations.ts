import type {
  Agent,
  Budget,
  ChatMessage,
  Journal,
  JournalEntry,
  Limits,
  MaybePromise,
  Model,
  OpenCall,
  QueuedChat,
  Reply,
  ReplyInput,
  ReplyOutcome,
  Run,
  RunContext,
  RunOptions,
  SteeringSource,
  SummaryArgs,
  SummaryMethod,
  TerminationReason,
  Tool,
  ToolContext,
  ToolSchema,
  UsageSummary,
} from '@x/interfaces'
import type { Steps } from '@x/kernel'

/** Options of a chat that hold for everything inside it. */
export interface ChatMeans {
  /** Limits the spending of the chat and everything inside it; when it is used up, the chat ends with `budget`. */
  readonly budget?: Budget | undefined
  /** Keeps what is answered in the chat and inside it; with one from before, the chat goes on. */
  readonly journal?: Journal | undefined
  /** Names the run in the whole world, with a `journal` only; default: a random one, kept there. */
  readonly runId?: string | undefined
  /** Version of the program, kept in the `journal`; a chat of another version is refused first. */
  readonly version?: string | undefined
  /** Messages for the run under way, such as a `Steering`; the next call of a model in it takes them. */
  readonly steering?: SteeringSource | undefined
}

/** Options of `run`. */
export interface RunChatOptions extends Omit<ChatMeans, 'journal'> {
  /**
   * Keeps what is answered in the run and inside it; with one from before, such as that of a suspended run, the run goes on.
   * Default, and null: one in memory if the run may need a decision, so that it can wait for it.
   */
  readonly journal?: Journal | null | undefined
  /** Tools for this run: told to the model beside those of the agent, executed by the user's side, gone afterwards. */
  readonly tools?: Tool | readonly Tool[] | undefined
  /** Options of the agent that stands for the user, beside its name and mode. */
  readonly executorKwargs?: Readonly<Record<string, unknown>> | undefined
  /** Most round trips of a message and its answer; default: none, and 10 with a `result`. The run ends at its answer anyway. */
  readonly maxTurns?: number | null | undefined
  /** Most messages of a run that nothing else limits; see `maxMessages` of a chat. */
  readonly maxMessages?: number | undefined
  /** True: asks a human, by the `io` of the agent, for approvals, answers and the user's replies; default false: nobody is asked. */
  readonly userInput?: boolean | undefined
  /**
   * Where the messages are kept: in the result only (`own`, the default), so that runs of one agent know nothing of each other
   * and any number may go on at once, or with the agents (`shared`), where the next run goes on from them.
   */
  readonly conversation?: 'own' | 'shared' | undefined
  /** True: forgets the earlier messages of a `shared` conversation; default false. */
  readonly clearHistory?: boolean | undefined
  /**
   * True: prints nothing of the run but warnings that concern money or correctness; default true, and with `userInput` the
   * setting of the agent. An `io` of the caller's own still gets the events.
   */
  readonly silent?: boolean | null | undefined
}

/** Options of a `run` as the Python library has it: see `ag2Run`. */
export interface Ag2RunOptions extends RunChatOptions {
  /** The chat goes on to a second answer in a row if there are no tools, and its `ChatResult` is the result. */
  readonly style: 'ag2'
  /** Receiver of the first message; default `agent`. */
  readonly msgTo?: 'agent' | 'user' | undefined
  readonly summaryMethod?: SummaryMethod | null | undefined
}

/**
 * The options of a `run` as the Python library has it, for `agent.run(question, { ...ag2Run })`: the conversation is kept with
 * the agents, a person is asked for the user's replies, messages are printed, and a run without tools goes on to the second
 * answer in a row. The result is that of a chat.
 */
export const ag2Run: {
  readonly style: 'ag2'
  readonly conversation: 'shared'
  readonly userInput: boolean
  readonly silent: null
} = Object.freeze({ style: 'ag2', conversation: 'shared', userInput: true, silent: null } as const)

/** Options of a `run` that gives a checked value. */
export interface ResultOptions<P> {
  /** Shape of the result: zod, any Standard Schema with a JSON Schema, or plain JSON Schema. */
  readonly result: P
  /** Times the agent may try again when its answer does not fit; default 2. */
  readonly resultRepairs?: number | undefined
}

/** The messages and the options that a reply is generated from. */
export interface ReplyRequest {
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
  /** Reply functions to leave out. */
  readonly exclude?: readonly object[] | undefined
}

/** Options of asking for a reply. */
export type GenerateReplyOptions = ReplyRequest & RunOptions

/** Options of a built-in reply function that is called by hand. */
export interface AskedReply<C = never> extends RunOptions {
  /** Default: the stored history with the sender. */
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
  readonly config?: C | null | undefined
}

/** The input of a built-in reply function, and the run it is asked in. */
export interface AskedInRun<C = unknown> {
  /** Null: the stored history with the sender. */
  readonly messages: readonly ChatMessage[] | null
  readonly sender: Agent | null
  readonly config: C | null
  readonly run: Run
}

/** The way in which the outer chat is told to the first chat of a nested queue. */
export interface NestedCarryover {
  /** All its messages, the last one, a summary by a model, or what a function makes of them. */
  readonly summaryMethod:
    | 'all'
    | 'last_msg'
    | 'reflection_with_llm'
    | ((
        agent: Agent,
        messages: readonly ChatMessage[],
        args: SummaryArgs,
        context: RunContext,
      ) => MaybePromise<string | ChatMessage[]>)
  readonly summaryArgs?: SummaryArgs | null | undefined
}

/** The input of the functions of nested chats, beside the agent they answer for. */
export interface NestedInput extends ReplyInput {
  readonly recipient: Agent
}

/** A chat of a nested queue; a function computes its message from the outer chat. */
export type NestedChat = Omit<QueuedChat, 'message'> & {
  // The type of a method, so that a function may name the class of its agent.
  message?: Reply | null | { call(recipient: Agent, input: ReplyInput): MaybePromise<Reply | null> }['call'] | undefined
  /** Carryover from the outer chat; only for the first chat of a queue. */
  carryoverConfig?: NestedCarryover | undefined
}

/** Answers for an agent by a queue of chats. */
export type NestedReply = (chatQueue: readonly NestedChat[], input: NestedInput) => MaybePromise<ReplyOutcome>

/** Options of registering nested chats. */
export interface RegisterNestedChatsOptions {
  /** The function that answers from the queue; default: the summary of the last chat. */
  readonly replyFuncFromNestedChats?: 'summary_from_nested_chats' | NestedReply | undefined
  /** Place in the list of reply functions; default 2, behind the termination check. */
  readonly position?: number | undefined
  /** True: runs the chats by their prerequisites, in asynchronous chats only; every chat then needs a `chatId`. */
  readonly useAsync?: boolean | null | undefined
  readonly config?: unknown
  readonly resetConfig?: ((config: never) => void) | null | undefined
  /** Skips an async function in blocking chats instead of refusing the chat. */
  readonly ignoreAsyncInSyncChat?: boolean | undefined
}

/** A function of the function map: it takes one arguments object. */
export interface MappedFunction {
  (args: never, context: ToolContext): MaybePromise<unknown>
  /** True, or a function that returns true, if somebody must approve a call. */
  readonly needsApproval?: Tool['needsApproval']
  /** The same function, with its result as it is and not as text. */
  readonly raw?: ((args: never, context: ToolContext) => MaybePromise<unknown>) | undefined
}

/** Options of one call. */
export interface ExecuteFunctionOptions {
  /** Identifier of the call. */
  readonly callId?: string | null | undefined
  /** True: sends an `executedFunction` event after the call; default false. */
  readonly verbose?: boolean | undefined
}

/** The outcome of a call: whether it succeeded, and the message that says so. */
export type FunctionOutcome = [success: boolean, result: { name: string; role: 'function'; content: unknown }]

/** The error of a call in a run. */
export interface RunToolError {
  /** `tool-failed`, `unknown-tool`, `invalid-argument` for arguments that are not JSON; null for a call that was denied. */
  readonly code: 'tool-failed' | 'unknown-tool' | 'invalid-argument' | null
  /** Message of the error, or the reason why the call was denied. */
  readonly message: string
}

/** Consecutive auto replies of an agent to one other, unless it is told otherwise. */
export const MAX_CONSECUTIVE_AUTO_REPLY: Limits['MAX_CONSECUTIVE_AUTO_REPLY'] = 100

/** Messages of a chat that nothing else limits: one that goes on for ever ends with an error, and not with the memory. */
export const MAX_MESSAGES = 10_000

/** Model of an agent that was given none. */
export const DEFAULT_CONFIG: Limits['DEFAULT_CONFIG'] = false

/** The default way of summing a chat up. */
export const DEFAULT_SUMMARY_METHOD: Limits['DEFAULT_SUMMARY_METHOD'] = 'last_msg'

/** Prompt of a summary by a model. */
export const DEFAULT_SUMMARY_PROMPT: Limits['DEFAULT_SUMMARY_PROMPT'] =
  'Summarize the takeaway from the conversation. Do not add any introductory phrases.'

/** System message of an agent that was given none. */
export const DEFAULT_SYSTEM_MESSAGE = 'You are a helpful AI Assistant.'

/** Chats inside each other: one that starts itself again ends with an error, and not with the process. */
export const MAX_CHAT_DEPTH = 100

/** Version of the saved state of an agent; one that is not known is refused. */
export const AGENT_VERSION = 2

/** Version of the saved state of a chat; one that is not known is refused. */
export const CHAT_VERSION = 3

/** Version of the value of an entry of kind `checkpoint`; one that is not known is refused. */
export const CHECKPOINT_VERSION = 1

/** Settings and counters of an agent, beside its conversations, as plain JSON. */
export interface SavedSettings {
  readonly name: string
  readonly systemMessage: string
  readonly maxConsecutiveAutoReply: number
  /** Those that are plain JSON; others, such as connections, belong to the process. */
  readonly contextVariables: Readonly<Record<string, unknown>>
  readonly humanInput: readonly string[]
  readonly usage: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }
}

/** The conversation of an agent with one counterpart, as plain JSON. */
export interface SavedConversation {
  /** Name of the counterpart; null for none. */
  readonly with: string | null
  readonly messages: readonly ChatMessage[]
  readonly autoReplies: number
  readonly maxAutoReplies: number
  readonly replyAtReceive: boolean
  readonly begun: boolean
  readonly humanInput: readonly string[]
  readonly ended: TerminationReason | null
  /** State of the agent's `history` for this conversation: its last cut. */
  readonly history?: unknown
}

/** The saved state of an agent, as plain JSON; its code (models, tools, functions, hooks) is not part of it. */
export interface AgentState extends SavedSettings {
  readonly version: typeof AGENT_VERSION
  readonly kind: 'agent'
  readonly conversations: readonly SavedConversation[]
  /** Further state of a manager, such as the messages of its group; absent for other agents. */
  readonly managed?: unknown
  /**
   * Checksum of the rest, eight hexadecimal digits, whatever the order of keys: finds accidents. State without one is
   * loaded unchecked; leave it out of state that you change.
   */
  readonly checksum?: string | undefined
}

/** A chat as it stands, as plain JSON. */
export interface ChatState {
  readonly version: typeof CHAT_VERSION
  readonly kind: 'chat'
  /** The answers of the chat so far. */
  readonly entries: readonly JournalEntry[]
}

/** The role of an agent that manages other agents, such as the manager of a group. */
export interface ManagerRole {
  /** The agents it manages: a chat with the manager prepares them, counts what they use, and refuses to disturb them. */
  members(): readonly Agent[]
  /** Models beside the manager's own whose usage is part of the cost of a chat. */
  models(): readonly Model[]
  /** Forgets what the manager keeps beside its conversations: a chat begins that clears the history. */
  clear(): void
  /** The messages that a summary of a chat with `sender` is made of; null for those of their conversation. */
  summaryMessages(sender: Agent, method: SummaryMethod): readonly ChatMessage[] | null
  /** False if a summary by `last_msg` is empty, since nobody has answered; default: true. */
  isAnswered?(): boolean
  /** Returns the further state of the manager as plain JSON; a journal stores it when the manager begins to lead. */
  save(): unknown
  /** Puts saved state back in its place. */
  load(saved: unknown): void
  /** Adds the answer to the last message that the manager keeps, if `answer` gives one: its calls were stopped. */
  closeCalls(answer: (last: ChatMessage) => ChatMessage | undefined): void
}

/** Additions to an agent for one reply; they leave no trace on the agent. */
export interface ReplyAdditions {
  /** Changes the messages of one reply, behind the agent's own hooks; the history stays. */
  readonly sees?: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined
  /** Is asked behind the hooks of the agent and before its reply functions; a final outcome is the reply. */
  readonly begin?: ((messages: readonly ChatMessage[]) => Steps<ReplyOutcome>) | undefined
  /** Tools that the model is told of beside the agent's own; read when the model is asked. */
  readonly tools?: (() => readonly ToolSchema[]) | undefined
}

/** Additions, and the reply that they belong to. */
export interface AddedToReply extends ReplyAdditions {
  readonly agent: Agent
  readonly sender: Agent | null
}

/** A reply function that works in every face: it answers in steps. */
export interface StepsReply {
  /** Its name in the log. */
  readonly name: string
  readonly steps: (agent: Agent, input: ReplyInput & { readonly run: Run }) => Steps<ReplyOutcome>
  /** Returns false at once if it has nothing to say, so that no steps are taken; default: it may always have something. */
  readonly applies?: ((input: ReplyInput, agent: Agent) => boolean) | undefined
  /** Gives the outcome at once where that takes no steps; undefined: the steps are asked. */
  readonly atOnce?: ((agent: Agent, input: ReplyInput & { readonly run: Run }) => ReplyOutcome | undefined) | undefined
  /** True for a function that agents have by themselves: it replies by what the agent was given, and else says nothing. */
  readonly isBuiltIn?: boolean | undefined
}

/** Makes a reply function of steps, for packages that bring one in all faces. */
export function stepsReply(
  name: string,
  steps: StepsReply['steps'],
  { applies, atOnce, isBuiltIn }: Pick<StepsReply, 'applies' | 'atOnce' | 'isBuiltIn'> = {},
): StepsReply {
  return Object.freeze({ name, steps, applies, atOnce, isBuiltIn })
}

/** Tells a reply function in steps from a plain one. */
export const isStepsReply = (reply: unknown): reply is StepsReply =>
  typeof reply === 'object' && reply !== null && 'steps' in reply

/** The property by which an operation names its reply function. */
export const BUILT_IN: unique symbol = Symbol.for('@x/agent/built-in') as never

/** A question of an agent that has a conversation in it, and is no reply of its model: see `viewMessages`. */
export interface ConversationQuestion {
  readonly sender: Agent | null
  /** The conversation as the question would have it, oldest first. */
  readonly messages: readonly ChatMessage[]
  /** The call that the question is asked in: a journal keeps cuts as parts of it. Undefined where nothing is kept. */
  readonly open: OpenCall | undefined
}
