import type {
  Agent,
  CacheStore,
  ChatMessage,
  ChatResult,
  CodeExecutionConfig,
  CodeToVet,
  Hooks,
  HumanInputMode,
  Io,
  LlmConfig,
  Logger,
  MaybePromise,
  Model,
  Reply,
  TerminationReason,
  Tool,
  ToolCallToVet,
  ToolContext,
  ToolResponse,
  Vet,
} from '@x/interfaces'
import type { ChatUnderWay } from '../chat/chat-cache.ts'
import type { ConversableAgent } from '../conversable-agent.ts'
import type { ConversableAgentOptions } from '../options.ts'
import type { Place } from '../reply/reply-list.ts'
import { loadConversation, type SavedConversation } from '../resume/saved-conversation.ts'

/** What an agent has in common with one counterpart. */
export interface Conversation {
  readonly counterpart: Agent | null
  /** Frozen, oldest first; a new array when it is cleared. */
  messages: ChatMessage[]
  /** Consecutive auto replies. */
  autoReplies: number
  maxAutoReplies: number
  replyAtReceive: boolean
  /** Whether a message was exchanged, or a chat prepared, since everything was last cleared. */
  begun: boolean
  /** What humans typed in this conversation since it was cleared. */
  humanInput: string[]
  /** How the last chat ended on this side; null while it runs. */
  ended: TerminationReason | null
  /** The messages as a model sees them, as far as they were asked for. */
  seen: { readonly of: readonly ChatMessage[]; count: number; readonly list: ChatMessage[] } | null
  /** The chats under way, oldest first; null when there are none. */
  chats: readonly ChatUnderWay[] | null
  /** Whether the newest message is one's own. */
  saidLast: boolean
  /** What the calls of the newest message have answered so far; null when none are under way. */
  answered: ToolResponse[] | null
}

/** A function of the function map: it takes one arguments object. */
export interface MappedFunction {
  (args: never, context: ToolContext): MaybePromise<unknown>
  /** Whether somebody has to approve of a call, with these arguments. */
  readonly needsApproval?: Tool['needsApproval']
}

/** Everything an agent keeps; the rooms work on it, the doors do not. */
export interface State {
  readonly agent: ConversableAgent
  readonly name: string
  readonly description: string
  readonly io: Io
  readonly logger: Logger | null
  systemMessage: ChatMessage
  readonly isTerminationMsg: (message: ChatMessage) => boolean
  readonly defaultAutoReply: Reply
  readonly conversations: Map<Agent | null, Conversation>
  maxConsecutiveAutoReply: number
  humanInputMode: HumanInputMode
  silent: boolean | null
  /** Replaced, never changed, as are the hooks: agents that have the same share them. */
  replies: readonly Place[]
  hooks: { readonly [N in keyof Hooks]: readonly Hooks[N][] }
  /** Null until there is one. */
  functionMap: Map<string, MappedFunction> | null
  readonly tools: Tool[]
  llmConfig: LlmConfig | false
  model: Model | null
  clientCache: CacheStore | null
  readonly codeExecution: CodeExecutionConfig | false
  readonly beforeToolCall: Vet<ToolCallToVet> | null
  readonly beforeCodeExecution: Vet<CodeToVet> | null
  /** Docker image that a run of code gave back; it is used from then on. */
  dockerImage: string | null
  humanInput: string[]
  finishedChats: ChatResult[] | Map<number, ChatResult>
  readonly context: Map<string, unknown>
  /** Conversations that were loaded and wait for an agent of their counterpart's name. */
  unbound: Map<string | null, SavedConversation> | null
  readonly createAgent: (options: ConversableAgentOptions) => ConversableAgent
  runExecutor: ConversableAgent | null
  /** Looks the agent over before its first conversation: a class field comes after the constructor. */
  readonly onFirstConversation: (agent: ConversableAgent) => void
}

/** The state of an agent; `undefined` for an agent of another make. */
export const stateOf = (agent: ConversableAgent): State => agent['~state']

/** The conversation with a counterpart; it begins empty. */
export function conversationWith(state: State, counterpart: Agent | null): Conversation {
  const known = state.conversations.get(counterpart)
  if (known) return known
  if (state.conversations.size === 0) state.onFirstConversation(state.agent)
  const conversation: Conversation = {
    counterpart,
    messages: [],
    autoReplies: 0,
    maxAutoReplies: state.maxConsecutiveAutoReply,
    replyAtReceive: false,
    begun: false,
    humanInput: [],
    ended: null,
    seen: null,
    chats: null,
    saidLast: false,
    answered: null,
  }
  state.conversations.set(counterpart, conversation)
  const saved = state.unbound?.get(counterpart?.name ?? null)
  if (saved) {
    loadConversation(conversation, saved)
    state.unbound!.delete(saved.with)
  }
  return conversation
}

/** Whether an agent keeps what it is told: its own setting wins over the option. */
export const isSilent = (state: State, silent: boolean | null | undefined): boolean => state.silent ?? silent ?? false
