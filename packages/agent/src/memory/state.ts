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
  RunTracer,
  TerminationReason,
  Tool,
  ToolCallToVet,
  ToolResponse,
  ToolSchema,
  Vet,
} from '@x/interfaces'
import { type Steps, XError } from '@x/kernel'
import { eventOutside } from '@x/kernel/run'
import { isConsole, UNSILENCED_TOPICS } from '../console/console-io.ts'
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

  /** The conversation with the other side. Looked up at each use: a function of the program may clear or load it. */
  get conversation(): Conversation {
    return openConversation(this.state, this.peer.state.agent, this.#chat)
  }
}

/**
 * A chat under way: its two sides, their conversations, the scope of everything inside, and how it ended. A manager that
 * leads its members outside of a chat has a chat with itself.
 */
export class Chat<S = unknown> {
  /** Lives as long as the program, with its sides, so that V8 keeps their layouts and the code compiled for them. */
  static readonly kept: Chat = new Chat(null as unknown as State, null as unknown as State, null)
  /** The side that starts the chat; `self.peer` is the other one. */
  readonly self: Side
  /** The chat around this one; null for the outermost. */
  readonly around: Chat | null
  /** Depth of nesting: 1 for an outermost chat. */
  readonly depth: number
  /** The scope of everything in the chat; set when it is opened. */
  scope!: S
  /** True if the chat was given a journal of its own. */
  hasJournal = false
  /** Cache for the models in the chat; null: each model uses its own. */
  cache: CacheStore | null = null
  /** Watches the answers, in the chat of a `run`. */
  watch: AnswerWatch | null = null
  /** The chat's own conversations, one for each side; null: the chat uses the conversations of the agents. */
  own: readonly [self: Conversation, peer: Conversation] | null = null
  /** Index of the opening message among the messages to summarize. */
  opening = 0
  /** How the chat ended; null while it runs. */
  end: TerminationReason | null = null
  /** Number of messages that events have told; below 0 once the history has a message that no event told. */
  #told = 0
  #lastTold: ChatMessage | undefined

  constructor(self: State, peer: State, around: Chat | null) {
    this.self = new Side(self, peer, this)
    this.around = around
    this.depth = (around?.depth ?? 0) + 1
  }

  /** Gives this chat its own conversations, with the limits of those of the agents and with `earlier` messages. */
  keepApart({ ofSelf, ofPeer }: EarlierMessages = NO_EARLIER_MESSAGES): void {
    const fresh = ({ state, peer }: Side, messages: readonly ChatMessage[]): Conversation => {
      checkOnce(state)
      const conversation = newConversation(state)
      const { maxAutoReplies } = conversationOf(state, peer.state.agent) ?? conversation
      return { ...conversation, counterpart: peer.state.agent, maxAutoReplies, messages: [...messages] }
    }
    this.own = [fresh(this.self, ofSelf), fresh(this.self.peer, ofPeer)]
  }

  /** Notes that an event tells the newest message of a conversation as it is kept. */
  noteTold({ conversation }: Side): void {
    const { self } = this
    if (conversation !== self.conversation && conversation !== self.peer.conversation) return
    const { messages } = self.conversation
    this.#told = messages.length === this.#told + 1 && this.#endsWithTold(messages) ? this.#told + 1 : -1
    this.#lastTold = messages.at(-1)
  }

  /** True if events have told the whole history of the chat. */
  get isTold(): boolean {
    const { messages } = this.self.conversation
    return messages.length === this.#told && this.#endsWithTold(messages)
  }

  /** True if the last message that was told is still where it was: a member of a group may clear histories. */
  #endsWithTold(messages: readonly ChatMessage[]): boolean {
    return this.#told === 0 || messages[this.#told - 1] === this.#lastTold
  }

  /** Returns the own conversation of this chat or of a chat around it; undefined if they use those of the agents. */
  conversationOf(state: State, counterpart: Agent | null): Conversation | undefined {
    const { own, self } = this
    if (own && self.state === state && own[0].counterpart === counterpart) return own[0]
    if (own && self.peer.state === state && own[1].counterpart === counterpart) return own[1]
    return this.around?.conversationOf(state, counterpart)
  }
}

/** Messages that a chat with conversations of its own begins with, as each side keeps them. */
export interface EarlierMessages {
  readonly ofSelf: readonly ChatMessage[]
  readonly ofPeer: readonly ChatMessage[]
}

const NO_EARLIER_MESSAGES: EarlierMessages = { ofSelf: [], ofPeer: [] }

/** Watches the answers of the agent of a `run`, and ends the run when there are enough. */
export interface AnswerWatch {
  /** The agent that answers. */
  readonly agent: Agent
  /** The agent that stands for the user. */
  readonly user: Agent
  /** Schema of the answer, for the agent's model. */
  readonly answerSchema: JsonSchema | undefined
  /** Tools of the run, for the agent's model beside its own. */
  readonly tools: readonly ToolSchema[]
  /** True if the agent is not to ask for the end of the chat: the run ends by itself. */
  readonly endsByItself: boolean
  /** Tells before the reply functions are asked whether the newest message ends the run; null: no message does. */
  readonly isLast: ((messages: readonly ChatMessage[]) => Steps<boolean>) | null
  /** Returns the user's reply when only the default reply is left; null ends the run. */
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
  /** True if a message was exchanged or a chat begun since all conversations were cleared. */
  begun: boolean
  /** Texts that the human typed since the conversation was cleared. The list is replaced, never changed. */
  humanInput: readonly string[]
  /** How the last chat ended on this side; null while it runs. */
  ended: TerminationReason | null
  /**
   * Cache of the messages as a model sees them: the first `count` messages of the list `of`; `list` is null as long as a
   * model sees them as they are.
   */
  seen: { readonly of: readonly ChatMessage[]; count: number; list: ChatMessage[] | null } | null
  /** The chats under way, oldest first; null if there are none. */
  chats: readonly Chat[] | null
  /** True if the agent sent the newest message. */
  saidLast: boolean
  /** Responses to the calls of the newest message so far; null if no calls are under way. */
  answered: ToolResponse[] | null
  /** Saved state of the agent's `history` for this conversation; loaded when the model is asked next. */
  savedHistory?: unknown
}

/** The settings of an agent that never change. Agents with equal settings share one object. */
export interface Settings {
  readonly description: string
  readonly defaultAutoReply: Reply
  /** Makes another agent, such as the executor of `run`. */
  readonly createAgent: (options: { readonly name: string } & Readonly<Record<string, unknown>>) => Agent
  /** Checks the agent before its first conversation: fields of a subclass are set only after the constructor of this class. */
  readonly onFirstConversation: (agent: Agent) => void
}

/**
 * All state of an agent. Fields that few agents use are left out until they are set, so that an idle agent takes little
 * memory.
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
  /** True if the program has set this maximum, in general or for one counterpart. */
  limitsAutoReplies: boolean
  humanInputMode: HumanInputMode
  /** True if the program has set this mode; else it is the default of the class. */
  choosesHumanInputMode: boolean
  silent: boolean | null | undefined
  /** Replaced, never changed, as are the hooks: agents share equal lists. */
  replies: readonly ReplySlot[]
  hooks: { readonly [N in keyof Hooks]: readonly Hooks[N][] }
  functionMap?: Map<string, MappedFunction>
  /** Replaced, never changed. */
  tools: readonly Tool[]
  /** Names of the functions of its own that it has called in vain, and was warned of. */
  warnedFunctions?: ReadonlySet<string>
  /** Functions of the agent's own tools, for whoever executes the agent's calls. */
  ownTools?: Map<string, MappedFunction>
  llmConfig: LlmConfig | false
  model: Model | null
  /** Chooses the messages that the model sees; without it the model sees all messages. */
  history?: HistoryView
  clientCache?: CacheStore | null
  codeExecution?: CodeExecutionConfig
  beforeToolCall?: Vet<ToolCallToVet>
  beforeCodeExecution?: Vet<CodeToVet>
  /** Docker image that the code runner returned; later runs use it. */
  dockerImage?: string | undefined
  humanInput: readonly string[]
  finishedChats?: readonly ChatResult[] | ReadonlyMap<number, ChatResult>
  /** Context variables. */
  context?: Map<string, unknown>
  /** Loaded conversations by the name of their counterpart, until an agent with this name is met. */
  unbound?: Map<string | null, Conversation>
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
  /** Follows the operations that are not part of a run. */
  tracer?: RunTracer
  /** The executor that the runs of the agent share. */
  runExecutor?: Agent
  /** True once the agent was checked before its first conversation. */
  isChecked: boolean
  /** True once it was said that the result of a run was lost. */
  warnedOfForgottenRun?: boolean
  /** Set if the agent manages others. */
  managerRole?: ManagerRole
}

/** Returns the state of an agent; undefined for an agent of another implementation. */
export const stateOf = (agent: Agent): State => (agent as { readonly '~state'?: unknown })['~state'] as State

/** Returns the conversation with a counterpart, if there is one. */
export function conversationOf(state: State, counterpart: Agent | null): Conversation | undefined {
  if (counterpart) requireAgent(state, counterpart)
  return state.conversations.get(counterpart) ?? state.unbound?.get(counterpart?.name ?? null)
}

/**
 * Returns the conversation with a counterpart: the `chat`'s own, or else the agent's, or else one that was loaded for the
 * counterpart's name, or else a new one.
 */
export function openConversation(state: State, counterpart: Agent | null, chat?: Chat | null): Conversation {
  const own = chat?.conversationOf(state, counterpart)
  if (own) return own
  const known = state.conversations.get(counterpart)
  if (known) return known
  checkOnce(state)
  if (counterpart) requireAgent(state, counterpart)
  const name = counterpart?.name ?? null
  const conversation: Conversation = { ...(state.unbound?.get(name) ?? newConversation(state)), counterpart }
  state.unbound?.delete(name)
  state.conversations.add(conversation)
  return conversation
}

/** Refuses what is no agent, such as a name or options: nothing would happen, and nobody would see it. */
function requireAgent({ name }: State, other: Agent): void {
  if (typeof other.name === 'string') return
  const given = typeof other === 'object' ? 'options' : `a ${typeof other}`
  throw new XError(
    'invalid-argument',
    `\`${name}\` was given ${given} in place of another agent: give that agent, or null, and options behind it`,
  )
}

/** Returns all conversations of an agent, those that were loaded and wait for their counterparts included. */
export const allConversations = ({ conversations, unbound }: State): readonly Conversation[] => [
  ...conversations.values(),
  ...(unbound?.values() ?? []),
]

/** Checks an agent before its first conversation. */
function checkOnce(state: State): void {
  if (state.isChecked) return
  state.settings.onFirstConversation(state.agent)
  state.isChecked = true
}

/** An empty list, which idle agents share. */
export const EMPTY_LIST: readonly never[] = Object.freeze([])

/** Returns the context variables of an agent for writing. */
export const openContext = (state: State): Map<string, unknown> => (state.context ??= new Map())

/** Makes a conversation that has not begun. */
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

/** True if received messages are not shown; the setting of the agent wins over the option. */
export const isSilent = (state: State, silent: boolean | null | undefined): boolean => state.silent ?? silent ?? false

/** Sends an event of a synchronous operation, which has no run, to the `io` of the agent. */
export function report({ io, now }: Pick<State, 'io' | 'now'>, event: EventBody): void {
  if (io.takes && !io.takes.has(event.type)) return
  void io.send(eventOutside(event, now()))
}

/** True if the reports of an agent are not printed. */
export const isMuted = ({ silent, io }: Pick<State, 'silent' | 'io'>): boolean => silent === true && isConsole(io)

/** Sends a warning to the `io` of the agent, where it is not silent or the topic concerns money or correctness. */
export function warn(state: State, text: string, topic = 'agent'): void {
  if (!UNSILENCED_TOPICS.has(topic) && isMuted(state)) return
  report(state, { type: 'warning', agent: state.name, topic, text: `${state.name}: ${text}` })
}

type Counterparts<C> = Map<Agent | null, C>

/** The conversations of an agent by counterpart, oldest first. Most agents have only one, which needs no map. */
export class Conversations<C extends { readonly counterpart: Agent | null }> {
  #all: C | Counterparts<C> | null = null

  /** Number of conversations. */
  get size(): number {
    if (this.#all instanceof Map) return this.#all.size
    return this.#all ? 1 : 0
  }

  /** Returns the conversation with a counterpart. */
  get(counterpart: Agent | null): C | undefined {
    const all = this.#all
    if (all instanceof Map) return all.get(counterpart)
    return all?.counterpart === counterpart ? all : undefined
  }

  /** Adds a conversation; replaces one with the same counterpart. */
  add(conversation: C): void {
    const all = this.#all
    if (all instanceof Map) all.set(conversation.counterpart, conversation)
    else if (!all || all.counterpart === conversation.counterpart) this.#all = conversation
    else this.#all = new Map([all, conversation].map((member) => [member.counterpart, member]))
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

  /** Yields the conversations, oldest first. */
  values(): Iterable<C> {
    if (this.#all instanceof Map) return this.#all.values()
    return this.#all ? [this.#all] : []
  }
}

/** A reply function: a plain one, or one in steps. */
export type AnyReply = ReplyFunction<never, never> | StepsReply

/** An entry of the list of reply functions. Never changed: agents share their initial lists. */
export interface ReplyEntry extends ReplyFunctionRecord {
  readonly replyFunc: AnyReply
  readonly async: boolean
  /** True if the trigger of the entry matches a sender. */
  readonly matches: (sender: Agent | null) => boolean
}

/** A position of the list: an entry, or null for the extra position of a built-in that takes two in the Python library. */
export type ReplySlot = ReplyEntry | null

/** Number of recent values that a new one is compared with. */
const MAX_RECENT_VALUES = 8

/**
 * Makes a function that replaces a value by a recent one with equal fields, so that agents of equal chats share one value.
 * All values have the same keys, and must never be changed.
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
  return true
}

/** Adds a message. Copies a frozen list first: it belongs to the result of a chat. */
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

/** Returns the messages as a frozen list: the list of the conversation itself once its chats have ended. */
export const snapshotOf = ({ messages }: { readonly messages: readonly ChatMessage[] }): ChatMessage[] =>
  (Object.isFrozen(messages) ? messages : Object.freeze([...messages])) as ChatMessage[]

/** Returns the last message with an agent, or of the only conversation; null if there is none. */
export function lastMessage(state: State, agent: Agent | undefined): ChatMessage | null {
  if (agent) requireAgent(state, agent)
  if (agent && state.unbound?.has(agent.name)) openConversation(state, agent)
  const begun = allConversations(state).filter((conversation) => conversation.begun)
  if (agent) {
    const conversation = begun.find(({ counterpart }) => counterpart === agent)
    if (conversation) return conversation.messages.at(-1) ?? null
    throw new XError('unknown-conversation', `\`${state.agent.name}\` has no conversation with \`${agent.name}\``)
  }
  if (begun.length > 1) {
    const waiting = new Map([...(state.unbound ?? [])].map(([name, conversation]) => [conversation, name]))
    const nameOf = (each: Conversation): string => each.counterpart?.name ?? waiting.get(each) ?? 'nobody'
    const names = begun.map(nameOf).join(', ')
    throw new XError(
      'ambiguous-conversation',
      `\`${state.agent.name}\` has conversations with ${names}: say whose last message is meant`,
    )
  }
  return begun[0]?.messages.at(-1) ?? null
}

/** Forgets messages of one conversation, or all but the newest `preserved` messages of each; returns the event to send, if any. */
export function clearHistory(state: State, recipient: Agent | null, preserved: number): EventBody | undefined {
  const agent = state.agent.name
  if (recipient) {
    const conversation = openConversation(state, recipient)
    conversation.messages = []
    conversation.begun = true
    return preserved ? { type: 'clearConversableAgentHistoryWarning', agent, recipient: agent } : undefined
  }
  // The executor of the agent's runs has the other side of them, and nobody else can clear it.
  if (state.runExecutor) clearHistory(stateOf(state.runExecutor), null, preserved)
  if (!preserved) {
    for (const conversation of state.conversations.values()) {
      conversation.messages = []
      conversation.begun = false
    }
    delete state.unbound
    return undefined
  }
  let extra = 0
  for (const conversation of allConversations(state)) {
    const { messages } = conversation
    const first = messages.at(-preserved)
    // Tool results stay with the calls that they answer.
    const kept = first && 'tool_responses' in first ? 1 : 0
    extra += kept
    conversation.messages = messages.slice(-(preserved + kept))
  }
  return { type: 'clearConversableAgentHistory', agent, noMessagesPreserved: extra }
}

/** Deletes idle conversations without settings of their own, so that an agent with many counterparts does not keep them all. */
export function forgetCounterparts({ conversations, maxConsecutiveAutoReply }: State): void {
  for (const { counterpart, chats, maxAutoReplies } of [...conversations.values()]) {
    if (!chats && maxAutoReplies === maxConsecutiveAutoReply) conversations.delete(counterpart)
  }
}

/** Adds a chat to those under way in a conversation. */
export function addChat(conversation: Conversation, chat: Chat): void {
  conversation.chats = [...(conversation.chats ?? []), chat]
}

/** Removes a chat from those under way in a conversation. */
export function removeChat(conversation: Conversation, chat: Chat): void {
  const others = conversation.chats?.filter((other) => other !== chat) ?? []
  conversation.chats = others.length > 0 ? others : null
  // Saves memory of idle conversations: drops the cache, and trims the list by a copy.
  conversation.seen = null
  if (!conversation.chats) conversation.messages = snapshotOf(conversation)
}

/**
 * Returns the cache for a question in a conversation: that of the chat `around` the question, even if it is null; outside of
 * chats the agent's own. A question without its run counts as one of the newest chat.
 */
export function cacheFor(around: Chat | null, state: State, { chats }: Conversation): CacheStore | null {
  if (!chats) return state.clientCache ?? null
  return (around && chats.includes(around) ? around : chats.at(-1)!).cache
}
