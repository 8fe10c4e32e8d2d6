import type {
  Agent,
  CacheStore,
  ChatMessage,
  ChatResult,
  CodeExecutionConfig,
  CodeToVet,
  EventBody,
  HistoryView,
  Hooks,
  HumanInputMode,
  Io,
  JsonSchema,
  LlmConfig,
  Logger,
  Model,
  Reply,
  TerminationReason,
  Tool,
  ToolCallToVet,
  ToolResponse,
  ToolSchema,
  Vet,
} from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { MappedFunction } from '../options/operations.ts'
import type { ManagerRole } from '../options/manager-role.ts'
import type { Conversations } from './conversations.ts'
import { isConsole } from './printing.ts'
import type { ReplySlot } from './reply-slot.ts'

/** A chat under way, as the conversations of its two sides know it. */
export interface ActiveChat {
  /** Its cache; null: each model's own. */
  cache: CacheStore | null
  /** Looks at the answers, in the chat of a `run`. */
  watch?: AnswerWatch | undefined
  /** The conversations that it, or a chat around it, keeps to itself; null: those of the agents. */
  own: OwnConversations | null
}

/** The two sides of a chat that leaves the conversations of its agents alone, and those of chats around it. */
export interface OwnConversations {
  readonly sides: readonly [readonly [State, Conversation], readonly [State, Conversation]]
  readonly outer: OwnConversations | null
}

/** Looks at the answers of the agent of a `run`, and says when there are enough. */
export interface AnswerWatch {
  /** The agent that answers. */
  readonly agent: Agent
  /** The agent that stands for the user. */
  readonly user: Agent
  /** Shape of the answer, for the agent's model. */
  readonly answerSchema: JsonSchema | undefined
  /** Tells whether the newest message ends the run, before anybody is asked for a reply to it; null: none does. */
  readonly isLast: ((messages: readonly ChatMessage[]) => Steps<boolean>) | null
  /** Gives the user's reply where nothing on that side has one but the default; null ends the run. */
  readonly replyByDefault: (reply: Reply) => Reply | null
}

/** The conversation of an agent with one counterpart. */
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
  /** What humans typed in this conversation since it was cleared; replaced, never changed. */
  humanInput: readonly string[]
  /** How the last chat ended on this side; null while it runs. */
  ended: TerminationReason | null
  /** The messages as a model sees them, as far as they were asked for. */
  seen: { readonly of: readonly ChatMessage[]; count: number; readonly list: ChatMessage[] } | null
  /** The chats under way, oldest first; null when there are none. */
  chats: readonly ActiveChat[] | null
  /** Whether the newest message is one's own. */
  saidLast: boolean
  /** What the calls of the newest message have answered so far; null when none are under way. */
  answered: ToolResponse[] | null
  /** What the history of the agent knew of it when it was saved; taken when the model is asked next. */
  savedHistory?: unknown
}

/** What an agent is given for good. Agents that are given the same share it. */
export interface Settings {
  readonly description: string
  readonly defaultAutoReply: Reply
  /** Makes a further agent, such as the one that stands for the user in `run`. */
  readonly createAgent: (options: { readonly name: string } & Readonly<Record<string, unknown>>) => Agent
  /** Looks the agent over before its first conversation: a class field comes after the constructor. */
  readonly onFirstConversation: (agent: Agent) => void
}

/**
 * All state of an agent; the steps work on it, the public methods do not. What few agents have is a field that is left
 * out: an idle agent costs no room for it.
 */
export interface State {
  readonly agent: Agent
  readonly name: string
  readonly settings: Settings
  readonly io: Io
  readonly logger: Logger | null
  systemMessage: ChatMessage
  isTerminationMsg: (message: ChatMessage, sender: Agent | null) => boolean
  readonly conversations: Conversations<Conversation>
  maxConsecutiveAutoReply: number
  /** Whether that maximum was given, to one counterpart or in general, and is not the default. */
  limitsAutoReplies: boolean
  humanInputMode: HumanInputMode
  silent?: boolean | null
  /** Replaced, never changed, as are the hooks: agents that have the same share them. */
  replies: readonly ReplySlot[]
  hooks: { readonly [N in keyof Hooks]: readonly Hooks[N][] }
  functionMap?: Map<string, MappedFunction>
  /** Replaced, never changed. */
  tools: readonly Tool[]
  /** Functions of tools that the agent brings along: whoever gets its calls executes them. */
  ownTools?: Map<string, MappedFunction>
  llmConfig: LlmConfig | false
  model: Model | null
  /** Chooses what the model sees; without it, everything. */
  history?: HistoryView
  clientCache?: CacheStore | null
  codeExecution?: CodeExecutionConfig
  beforeToolCall?: Vet<ToolCallToVet>
  beforeCodeExecution?: Vet<CodeToVet>
  /** Docker image that a run of code gave back; it is used from then on. */
  dockerImage?: string | undefined
  humanInput: readonly string[]
  finishedChats?: readonly ChatResult[] | ReadonlyMap<number, ChatResult>
  /** Context variables. */
  context?: Map<string, unknown>
  /** Conversations that were loaded and wait for an agent of their counterpart's name. */
  unbound?: Map<string | null, Conversation>
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
  runExecutor?: Agent
  /** Its part as a manager of others. */
  managerRole?: ManagerRole
  /** Tools of runs under way that the model was told of, by name. */
  runTools?: Map<string, { readonly schema: ToolSchema; readonly runs: number }>
}

/** The state of an agent; `undefined` for an agent of another make. */
export const stateOf = (agent: Agent): State => (agent as { readonly '~state'?: unknown })['~state'] as State

/** The conversation with a counterpart, as far as there is one. */
export const conversationOf = (state: State, counterpart: Agent | null): Conversation | undefined =>
  state.conversations.get(counterpart) ?? state.unbound?.get(counterpart?.name ?? null)

/**
 * The conversation with a counterpart: the one that the `chat` keeps to itself, the one under way, the one that was loaded
 * for its name, or a new one.
 */
export function openConversation(state: State, counterpart: Agent | null, chat?: ActiveChat | null): Conversation {
  const own = chat?.own && ownConversation(chat.own, state, counterpart)
  if (own) return own
  const known = state.conversations.get(counterpart)
  if (known) return known
  if (state.conversations.size === 0) state.settings.onFirstConversation(state.agent)
  const name = counterpart?.name ?? null
  const conversation: Conversation = { ...(state.unbound?.get(name) ?? newConversation(state)), counterpart }
  state.unbound?.delete(name)
  state.conversations.add(conversation)
  return conversation
}

function ownConversation(own: OwnConversations, state: State, counterpart: Agent | null): Conversation | undefined {
  for (let each: OwnConversations | null = own; each; each = each.outer) {
    for (const [its, conversation] of each.sides)
      if (its === state && conversation.counterpart === counterpart) return conversation
  }
  return undefined
}

/** A list that is empty: agents that are idle share it. */
export const NONE: readonly never[] = Object.freeze([])

/** The context variables of an agent, to write to. */
export const openContext = (state: State): Map<string, unknown> => (state.context ??= new Map())

/** A conversation that has not begun. */
export const newConversation = ({ maxConsecutiveAutoReply }: Pick<State, 'maxConsecutiveAutoReply'>): Conversation => ({
  counterpart: null,
  messages: [],
  autoReplies: 0,
  maxAutoReplies: maxConsecutiveAutoReply,
  replyAtReceive: false,
  begun: false,
  humanInput: NONE,
  ended: null,
  seen: null,
  chats: null,
  saidLast: false,
  answered: null,
})

/** Whether an agent keeps what it is told: its own setting wins over the option. */
export const isSilent = (state: State, silent: boolean | null | undefined): boolean => state.silent ?? silent ?? false

/** Sends an event of an agent that no run sends: an operation that never waits reports to the agent's own `io`. */
export function report({ io }: Pick<State, 'io'>, event: EventBody): void {
  if (io.takes && !io.takes.has(event.type)) return
  const agentPath = event.agent === null ? null : [event.agent]
  void io.send({ ...event, chatId: null, agentPath })
}

/** Whether what an agent reports is not to be printed. */
export const isMuted = ({ silent, io }: Pick<State, 'silent' | 'io'>): boolean => silent === true && isConsole(io)

/** Warns by the agent's own `io`. */
export function warn(state: State, text: string): void {
  if (isMuted(state)) return
  report(state, { type: 'warning', agent: state.name, topic: 'agent', text: `${state.name}: ${text}` })
}
