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
  ReplyFunction,
  ReplyFunctionRecord,
  TerminationReason,
  Tool,
  ToolCallToVet,
  ToolResponse,
  ToolSchema,
  Vet,
} from '@x/interfaces'
import { type Steps, XError } from '@x/kernel'
import { isConsole } from '../console/console-io.ts'
import type { ManagerRole, MappedFunction, StepsReply } from '../options/operations.ts'

/** One side of a chat: an agent, and its conversation with the other side. */
export class Side {
  readonly state: State
  /** The other side. */
  readonly peer: Side
  readonly #chat: Chat | null

  constructor(state: State, peer: State | Side, chat: Chat | null) {
    this.state = state
    this.#chat = chat
    this.peer = peer instanceof Side ? peer : new Side(peer, this, chat)
  }

  /** The conversation with the other side, looked up at each use: a function of a program may clear or load it. */
  get conversation(): Conversation {
    return openConversation(this.state, this.peer.state.agent, this.#chat)
  }
}

/**
 * A chat under way: its two sides, their conversations, the scope of everything in it, and how it ended. A manager that
 * leads its members outside of a chat has one with itself.
 */
export class Chat<S = unknown> {
  /** The side that starts the chat; `self.peer` is the other one. */
  readonly self: Side
  /** The chat around this one; null for the outermost. */
  readonly around: Chat | null
  /** Number of chats that are inside each other here, this one included. */
  readonly depth: number
  /** The scope of everything in the chat; set when it is opened. */
  scope!: S
  /** True if the chat was given a journal of its own. */
  hasJournal = false
  /** Cache of the questions in it; null: each model's own. */
  cache: CacheStore | null = null
  /** Watches the answers, in the chat of a `run`. */
  watch: AnswerWatch | null = null
  /** Conversations that the chat keeps to itself, of the two sides in turn; null: those of the agents are used. */
  own: readonly [self: Conversation, peer: Conversation] | null = null
  /** Position of the message that opens the chat among those that its summary is made of. */
  opening = 0
  /** How the chat ended; null while it runs. */
  end: TerminationReason | null = null

  constructor(self: State, peer: State, around: Chat | null) {
    this.self = new Side(self, peer, this)
    this.around = around
    this.depth = (around?.depth ?? 0) + 1
  }

  /** Keeps the messages of this chat apart from the conversations of the agents; each side has the limits that it has there. */
  keepApart(): void {
    const fresh = ({ state, peer }: Side): Conversation => {
      const made = newConversation(state)
      const { maxAutoReplies } = conversationOf(state, peer.state.agent) ?? made
      return { ...made, counterpart: peer.state.agent, maxAutoReplies }
    }
    this.own = [fresh(this.self), fresh(this.self.peer)]
  }

  /** The conversation that this chat, or one around it, keeps to itself; undefined where none does. */
  conversationOf(state: State, counterpart: Agent | null): Conversation | undefined {
    const { own, self } = this
    if (own && self.state === state && own[0].counterpart === counterpart) return own[0]
    if (own && self.peer.state === state && own[1].counterpart === counterpart) return own[1]
    return this.around?.conversationOf(state, counterpart)
  }
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
  chats: readonly Chat[] | null
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
export function openConversation(state: State, counterpart: Agent | null, chat?: Chat | null): Conversation {
  const own = chat?.conversationOf(state, counterpart)
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

/** A list that is empty: agents that are idle share it. */
export const EMPTY_LIST: readonly never[] = Object.freeze([])

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
  humanInput: EMPTY_LIST,
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

type Counterparts<C> = Map<Agent | null, C>

/** The conversations of an agent by counterpart, oldest first. The only one, which most agents have, needs no map. */
export class Conversations<C extends { readonly counterpart: Agent | null }> {
  #all: C | Counterparts<C> | null = null

  /** Number of conversations. */
  get size(): number {
    if (this.#all instanceof Map) return this.#all.size
    return this.#all ? 1 : 0
  }

  /** Gives the conversation with a counterpart. */
  get(counterpart: Agent | null): C | undefined {
    const all = this.#all
    if (all instanceof Map) return all.get(counterpart)
    return all?.counterpart === counterpart ? all : undefined
  }

  /** Adds a conversation, in place of one with the same counterpart. */
  add(conversation: C): void {
    const all = this.#all
    if (all instanceof Map) all.set(conversation.counterpart, conversation)
    else if (!all || all.counterpart === conversation.counterpart) this.#all = conversation
    else this.#all = new Map([all, conversation].map((each) => [each.counterpart, each]))
  }

  /** Removes the conversation with a counterpart. */
  delete(counterpart: Agent | null): void {
    if (this.#all instanceof Map) this.#all.delete(counterpart)
    else if (this.#all?.counterpart === counterpart) this.#all = null
  }

  /** Removes all conversations. */
  clear(): void {
    this.#all = null
  }

  /** Gives the conversations, oldest first. */
  values(): Iterable<C> {
    if (this.#all instanceof Map) return this.#all.values()
    return this.#all ? [this.#all] : []
  }
}

/** A reply function: a plain one, or one in steps. */
export type AnyReply = ReplyFunction<never, never> | StepsReply

/** An entry of the list of reply functions as it is kept: never changed, so that agents share the lists they are born with. */
export interface ReplyEntry extends ReplyFunctionRecord {
  readonly replyFunc: AnyReply
  readonly async: boolean
  /** Whether its trigger matches a sender. */
  readonly matches: (sender: Agent | null) => boolean
}

/** A literal position of the list: an entry, or the second position of a built-in that has two in the Python library. */
export type ReplySlot = ReplyEntry | null

/** Values that are compared before a new one is kept. */
const MAX_RECENT_VALUES = 8

/**
 * Makes a function that gives, for a value with the same fields as one of the last few, that one: the agents of equal
 * chats then hold one value and not one each. The values have to be frozen or never changed.
 */
export function sharesEqual<T extends object>(): (value: T) => T {
  const recent: T[] = []
  return (value) => {
    const known = recent.find((each) => sameFields(each, value))
    if (known) return known
    recent.unshift(value)
    if (recent.length > MAX_RECENT_VALUES) recent.pop()
    return value
  }
}

function sameFields<T extends object>(one: T, other: T): boolean {
  for (const key in one) if (one[key] !== other[key]) return false
  return Object.keys(one).length === Object.keys(other).length
}

/** Adds a message. A list that is frozen belongs to the result of a chat too: the conversation goes on with a copy. */
export function appendMessage(conversation: Conversation, message: ChatMessage): void {
  if (Object.isFrozen(conversation.messages)) conversation.messages = [...conversation.messages]
  conversation.messages.push(message)
}

/** Adds a message that an agent sent (`isOwn`) or received. */
export function addMessage(conversation: Conversation, message: ChatMessage, isOwn: boolean): void {
  appendMessage(conversation, message)
  conversation.begun = true
  conversation.saidLast = isOwn
}

/** The messages as a frozen list; once the chats have ended, the list that the conversation keeps. */
export const snapshotOf = ({ messages }: Conversation): ChatMessage[] =>
  Object.isFrozen(messages) ? messages : (Object.freeze([...messages]) as ChatMessage[])

/** The last message with an agent, or of the only conversation; null when there is none. */
export function lastMessage(state: State, agent: Agent | undefined): ChatMessage | null {
  if (agent && state.unbound?.has(agent.name)) openConversation(state, agent)
  const begun = [...state.conversations.values()].filter((conversation) => conversation.begun)
  if (agent) {
    const conversation = begun.find(({ counterpart }) => counterpart === agent)
    if (conversation) return conversation.messages.at(-1) ?? null
    throw new XError('unknown-conversation', `\`${state.agent.name}\` has no conversation with \`${agent.name}\``)
  }
  if (begun.length > 1) {
    const names = begun.map(({ counterpart }) => counterpart?.name ?? 'nobody').join(', ')
    throw new XError(
      'ambiguous-conversation',
      `\`${state.agent.name}\` has conversations with ${names}: say whose last message is meant`,
    )
  }
  return begun[0]?.messages.at(-1) ?? null
}

/** Forgets messages; gives the event that tells of it, if there is one. */
export function clearHistory(state: State, recipient: Agent | null, preserved: number): EventBody | undefined {
  const agent = state.agent.name
  if (recipient) {
    const conversation = openConversation(state, recipient)
    conversation.messages = []
    conversation.humanInput = EMPTY_LIST
    conversation.begun = true
    return preserved ? { type: 'clearConversableAgentHistoryWarning', agent, recipient: agent } : undefined
  }
  if (!preserved) {
    for (const conversation of state.conversations.values()) {
      conversation.messages = []
      conversation.humanInput = EMPTY_LIST
      conversation.begun = false
    }
    delete state.unbound
    return undefined
  }
  let further = 0
  for (const conversation of state.conversations.values()) {
    const { messages } = conversation
    const first = messages.at(-preserved)
    // Tool results are kept with the calls they answer.
    const more = first && 'tool_responses' in first ? 1 : 0
    further += more
    conversation.messages = messages.slice(-(preserved + more))
  }
  return { type: 'clearConversableAgentHistory', agent, noMessagesPreserved: further }
}

/** Lets go of the counterparts of which nothing is left to know, so that an agent that serves many does not keep them. */
export function forgetCounterparts({ conversations, maxConsecutiveAutoReply }: State): void {
  for (const { counterpart, chats, maxAutoReplies } of [...conversations.values()]) {
    if (!chats && maxAutoReplies === maxConsecutiveAutoReply) conversations.delete(counterpart)
  }
}

/** Notes in a conversation that a chat begins. */
export function addChat(conversation: Conversation, chat: Chat): void {
  conversation.chats = [...(conversation.chats ?? []), chat]
}

/** Notes in a conversation that a chat has ended, whatever others of the same two agents have begun or ended meanwhile. */
export function removeChat(conversation: Conversation, chat: Chat): void {
  const others = conversation.chats?.filter((each) => each !== chat) ?? []
  conversation.chats = others.length > 0 ? others : null
  // What the models saw can be made again, and a list that grew has room for more: an idle chat is not to keep either.
  conversation.seen = null
  if (!conversation.chats) conversation.messages = snapshotOf(conversation)
}

/**
 * The cache for a question in a conversation: that of the chat it is asked in (`around`), even when it has none, and
 * outside of chats the agent's own. A question that does not say in which run it is asked belongs to the newest chat.
 */
export function cacheFor(around: Chat | null, state: State, { chats }: Conversation): CacheStore | null {
  if (!chats) return state.clientCache ?? null
  return (around && chats.includes(around) ? around : chats.at(-1)!).cache
}
