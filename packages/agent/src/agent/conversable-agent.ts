import type {
  Agent,
  ChatMessage,
  ChatResult,
  FunctionSchema,
  HookName,
  Hooks,
  HumanInputMode,
  ModelClientClass,
  RegisterReplyOptions,
  ReplyFunction,
  Tool,
  ToolSchema,
  Trigger,
  UsageMode,
  UsageSummary,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { loadAgent, savedAgent } from '../durability/saved-agent.ts'
import {
  type AgentState,
  DEFAULT_CONFIG,
  DEFAULT_SUMMARY_METHOD,
  DEFAULT_SUMMARY_PROMPT,
  type MappedFunction,
  MAX_CONSECUTIVE_AUTO_REPLY,
  type NestedChat,
  type RegisterNestedChatsOptions,
  type StepsReply,
} from '../options/operations.ts'
import {
  ASSISTANT_SYSTEM_MESSAGE,
  messageText,
  saysTerminate,
  TERMINATION_REQUEST,
  TERMINATION_WORD,
} from '../data/message.ts'
import { checkAgentOptions, newState } from './new-agent.ts'
import { AgentAttributes } from './attributes.ts'
import { refuseOverrides } from './operations.ts'
import {
  clearHistory,
  type Conversation,
  allConversations,
  conversationOf,
  forgetCounterparts,
  isMuted,
  lastMessage,
  openConversation,
  report,
  stateOf,
} from '../memory/state.ts'
import { nestedReplyFunction } from '../chat/nested.steps.ts'
import { checkNestedChats } from '../chat/chat-options.ts'
import { AGENT_OPTION_KINDS, type ConversableAgentOptions } from './options.ts'
import { noFunction, withConfigsReset, withReplaced, withReply } from '../reply/reply-list.ts'
import {
  addFunctions,
  tellOfTools,
  updateFunctionSignature,
  updateToolSignature,
  useTools,
  warnOfTimeout,
} from '../tool/registration.ts'
import { mappedTool, type RegisterToolOptions, renamedTool, tool, toolList, toolSchema } from '../tool/tool.ts'

/**
 * An agent that sends and receives messages, with a history for each counterpart and an ordered list of reply functions.
 * Operations that never wait stand here; the asynchronous ones in `AgentOperations`.
 */
export class ConversableAgent extends AgentAttributes implements Agent {
  /** Consecutive auto replies to one other agent, unless it is told otherwise. */
  static readonly MAX_CONSECUTIVE_AUTO_REPLY: 100 = MAX_CONSECUTIVE_AUTO_REPLY
  /** Model of an agent that was given none. */
  static readonly DEFAULT_CONFIG: false = DEFAULT_CONFIG
  /** How a chat is summed up by default. */
  static readonly DEFAULT_SUMMARY_METHOD: 'last_msg' = DEFAULT_SUMMARY_METHOD
  /** Prompt of a summary by a model. */
  static readonly DEFAULT_SUMMARY_PROMPT: typeof DEFAULT_SUMMARY_PROMPT = DEFAULT_SUMMARY_PROMPT

  /**
   * Kinds of the options, for `checkOptions` of `@x/kernel/options`: a subclass with options of its own adds theirs, and
   * passes on what is left.
   */
  static readonly optionKinds: OptionKinds<ConversableAgentOptions> = AGENT_OPTION_KINDS

  /**
   * @internal Lives as long as the program, so that V8 keeps the layouts of agents, conversations and messages, and the code
   * compiled for them.
   */
  static readonly kept: ConversableAgent = new ConversableAgent({
    name: 'kept',
    chatMessages: new Map([[{ name: 'other' } as Agent, [{ content: '', role: 'user', name: 'other' }]]]),
  })

  /** The state of the agent, opaque; `internalsOf` of `@x/agent/steps` reads what steps of other packages need of it. */
  readonly '~state': unknown

  constructor(options: ConversableAgentOptions) {
    super()
    this['~state'] = newState(this, options, {
      createAgent: createExecutor,
      onFirstConversation: refuseOverrides,
    })
    if (!options.functions) return
    tellOfTools(stateOf(this), toolList(options.functions, `create the agent \`${options.name}\``))
  }

  /** Registers a reply function, asked before the earlier ones, unless a `position` is given. */
  registerReply<C = unknown>(
    trigger: Trigger,
    replyFunc: ReplyFunction<ConversableAgent, C> | StepsReply,
    options: RegisterReplyOptions<C> = {},
  ): void {
    checkOptions(options, REGISTER_REPLY_KINDS, 'run `registerReply`', this.name)
    const state = stateOf(this)
    state.replies = withReply(state.replies, trigger, replyFunc, options as unknown as RegisterReplyOptions<never>)
  }

  /** Replaces a reply function; name a built-in by its constant or by either of its operations. */
  replaceReplyFunc(oldReplyFunc: object, newReplyFunc: ReplyFunction<ConversableAgent> | StepsReply): void {
    const state = stateOf(this)
    state.replies = withReplaced(state.replies, oldReplyFunc, newReplyFunc)
  }

  /** Lets a queue of chats answer for this agent. */
  registerNestedChats(
    chatQueue: readonly NestedChat[],
    trigger: Trigger,
    options: RegisterNestedChatsOptions = {},
  ): void {
    checkOptions(options, REGISTER_NESTED_CHATS_KINDS, 'run `registerNestedChats`', this.name)
    checkNestedChats(chatQueue)
    const { position = 2, config, resetConfig } = options
    const { reply, async, ignoreAsyncInSyncChat } = nestedReplyFunction(chatQueue, options)
    const state = stateOf(this)
    state.replies = withReply(state.replies, trigger, reply, {
      position,
      config: config as never,
      resetConfig: resetConfig as never,
      async,
      ignoreAsyncInSyncChat,
    })
  }

  /** The agent that stands for the user in `run`; null before the first. */
  get runExecutor(): ConversableAgent | null {
    return (stateOf(this).runExecutor ?? null) as ConversableAgent | null
  }

  /** Sets the maximum of consecutive auto replies to one sender, or to everybody. */
  updateMaxConsecutiveAutoReply(value: number, sender?: Agent): void {
    checkOptions({ value: value ?? null }, MAXIMUM_KINDS, 'run `updateMaxConsecutiveAutoReply`', this.name)
    const state = stateOf(this)
    state.limitsAutoReplies = true
    if (sender) {
      openConversation(state, sender).maxAutoReplies = value
      return
    }
    state.maxConsecutiveAutoReply = value
    for (const conversation of allConversations(state)) conversation.maxAutoReplies = value
  }

  /** Most consecutive auto replies to one sender, or in general. */
  maxConsecutiveAutoReply(sender?: Agent): number {
    const state = stateOf(this)
    return (sender && conversationOf(state, sender)?.maxAutoReplies) ?? state.maxConsecutiveAutoReply
  }

  /** Resets the count of consecutive auto replies, to one sender or to everybody. */
  resetConsecutiveAutoReplyCounter(sender?: Agent): void {
    for (const conversation of this.#conversations(sender)) conversation.autoReplies = 0
  }

  /** Stops replying by itself, to one sender or to everybody. */
  stopReplyAtReceive(sender?: Agent): void {
    for (const conversation of this.#conversations(sender)) conversation.replyAtReceive = false
  }

  #conversations(sender: Agent | undefined): Iterable<Conversation> {
    return sender ? [openConversation(stateOf(this), sender)] : allConversations(stateOf(this))
  }

  /** The messages that a summary of the conversation with an agent is made of. */
  chatMessagesForSummary(agent: Agent): readonly ChatMessage[] {
    return conversationOf(stateOf(this), agent)?.messages ?? []
  }

  /** The last message with an agent, or of the only conversation; null when there is none. */
  lastMessage(agent?: Agent): ChatMessage | null {
    return lastMessage(stateOf(this), agent)
  }

  /** Forgets one conversation, or all but the newest `nrMessagesToPreserve` messages of each. */
  clearHistory(recipient?: Agent | null, options: { nrMessagesToPreserve?: number | undefined } = {}): void {
    checkOptions(options, CLEAR_HISTORY_KINDS, 'run `clearHistory`', this.name)
    const event = clearHistory(stateOf(this), recipient ?? null, options.nrMessagesToPreserve ?? 0)
    if (event && !isMuted(stateOf(this))) report(stateOf(this), event)
  }

  /** Forgets conversations, counters and usage, and restores the configs of the reply functions. */
  reset(): void {
    const state = stateOf(this)
    this.clearHistory()
    this.resetConsecutiveAutoReplyCounter()
    this.stopReplyAtReceive()
    forgetCounterparts(state)
    state.model?.clearUsageSummary()
    state.replies = withConfigsReset(state.replies)
  }

  /** Saves the state of the agent as plain JSON: conversations, context variables, system message, counters, usage. */
  saveState(): AgentState {
    return savedAgent(stateOf(this))
  }

  /**
   * Puts saved state in place of what the agent keeps. A conversation waits for an agent of its counterpart's name; those
   * with `agents` are there at once. A version that is not known is refused with `unknown-state-version`, a broken shape
   * with `invalid-state` and its path.
   */
  loadState(saved: unknown, options: { agents?: Iterable<Agent> | undefined } = {}): void {
    checkOptions(options, LOAD_STATE_KINDS, 'run `loadState`', this.name)
    loadAgent(stateOf(this), saved, options.agents ?? [])
  }

  /** The result of one finished chat of `initiateChats`, or all of them. */
  getChatResults(): readonly ChatResult[] | ReadonlyMap<number, ChatResult>
  getChatResults(chatIndex: number): ChatResult | undefined
  getChatResults(chatIndex?: number): readonly ChatResult[] | ReadonlyMap<number, ChatResult> | ChatResult | undefined {
    const { finishedChats = [] } = stateOf(this)
    if (chatIndex === undefined) return finishedChats
    return finishedChats instanceof Map
      ? finishedChats.get(chatIndex)
      : (finishedChats as readonly ChatResult[]).at(chatIndex)
  }

  /** Adds functions that calls can name; null takes one out. */
  registerFunction(functionMap: Readonly<Record<string, MappedFunction | null>>): void {
    addFunctions(stateOf(this), functionMap)
  }

  /** Tells whether calls can name all of these functions. */
  canExecuteFunction(name: string | readonly string[]): boolean {
    return [name].flat().every((each) => stateOf(this).functionMap?.has(each))
  }

  /** Tells the model of a function in the older style, or takes one back by name. Deprecated: use tools. */
  updateFunctionSignature(signature: string | FunctionSchema, options: { isRemove?: boolean } = {}): void {
    checkOptions(options, UPDATE_SIGNATURE_KINDS, 'run `updateFunctionSignature`', this.name)
    updateFunctionSignature(stateOf(this), signature, options.isRemove)
  }

  /** Tells the model of a tool, or takes one back by name or by its signature. */
  updateToolSignature(signature: string | ToolSchema, options: { isRemove?: boolean } = {}): void {
    checkOptions(options, UPDATE_SIGNATURE_KINDS, 'run `updateToolSignature`', this.name)
    updateToolSignature(stateOf(this), signature, options.isRemove)
  }

  /** Tells the model of a tool, and gives the tool as it was registered. */
  registerForLlm<T extends Tool>(
    definition: T,
    options: RegisterToolOptions & { readonly apiStyle?: 'function' | 'tool' | undefined } = {},
  ): T {
    checkOptions(options, REGISTER_FOR_LLM_KINDS, 'run `registerForLlm`', this.name)
    const { apiStyle = 'tool', ...names } = options
    const named = renamedTool(definition, names)
    if (apiStyle === 'function') this.updateFunctionSignature(toolSchema(named).function)
    else this.updateToolSignature(toolSchema(named))
    stateOf(this).tools = [...stateOf(this).tools, named]
    return named
  }

  /** Lets calls name a tool, and gives the tool as it was registered. */
  registerForExecution<T extends Tool>(definition: T, names: RegisterToolOptions = {}): T {
    checkOptions(names, REGISTER_TOOL_KINDS, 'run `registerForExecution`', this.name)
    const named = renamedTool(definition, names)
    warnOfTimeout(stateOf(this), named)
    this.registerFunction({ [named.name]: mappedTool(named) })
    return named
  }

  /**
   * Gives the agent tools: its model, if it has one, is told of them, and its calls of them are executed by whoever gets
   * them, the agent itself in a group. A tool whose name another one has is refused.
   */
  use(tools: Tool | readonly Tool[]): this {
    useTools(stateOf(this), toolList(tools, `run \`use\` of \`${this.name}\``))
    return this
  }

  /**
   * Makes a tool of the agent, for another one that asks it when it wants to. A call is a `run` of the agent, as a part of the
   * caller's run: its signal, budget, cost and journal hold for both. Names default to those of the agent.
   */
  asTool(names: RegisterToolOptions = {}): Tool<Record<string, unknown>, Promise<string> | string> {
    checkOptions(names, REGISTER_TOOL_KINDS, 'run `asTool`', this.name)
    const { name = this.name, description = this.description } = names
    return tool({
      name,
      description,
      parameters: QUESTION_SCHEMA,
      execute: ({ question }, { run }) =>
        run?.face === 'sync'
          ? this.runSync(String(question), { run }).text
          : this.run(String(question), { run }).then(({ text }) => text),
    })
  }

  /** Takes a tool back from the model. */
  removeToolForLlm(tool: Tool): void {
    const { tools } = stateOf(this)
    const index = tools.findIndex((known) => known === tool || known.name === tool.name)
    if (index === -1) {
      throw new XError('unknown-tool', `the tool \`${tool.name}\` is not registered with the model of \`${this.name}\``)
    }
    this.updateToolSignature(tool.name, { isRemove: true })
    stateOf(this).tools = tools.toSpliced(index, 1)
  }

  /** Gives a class of one's own to the config entries that wait for it. */
  registerModelClient(modelClientCls: ModelClientClass, options: Record<string, unknown> = {}): void {
    const { model } = stateOf(this)
    if (!model) {
      throw new XError('invalid-state', `\`${this.name}\` has no model: give it an \`llmConfig\` before a model client`)
    }
    model.registerModelClient(modelClientCls, options)
  }

  /** Adds a hook at one of the four places. */
  registerHook<N extends HookName>(hookableMethod: N, hook: Hooks[N]): void {
    const state = stateOf(this)
    const hooks: readonly Hooks[N][] | undefined = state.hooks[hookableMethod]
    if (!hooks) {
      const known = Object.keys(state.hooks).join(', ')
      throw new XError('unknown-hook', `there are no hooks at \`${hookableMethod}\`: choose one of ${known}`)
    }
    if (typeof hook !== 'function') throw noFunction(`the hook at \`${hookableMethod}\` of \`${state.name}\``)
    if (hooks.includes(hook)) {
      throw new XError('duplicate-hook', `the hook \`${hook.name}\` is registered at \`${hookableMethod}\` already`)
    }
    state.hooks = { ...state.hooks, [hookableMethod]: [...hooks, hook] }
  }

  /** Sends what the agent's model has used to the `io`. */
  printUsageSummary(mode: UsageMode | readonly UsageMode[] = ['actual', 'total']): void {
    const { model } = stateOf(this)
    if (!model) {
      report(stateOf(this), {
        type: 'conversableAgentUsageSummaryNoCostIncurred',
        agent: this.name,
        recipient: this.name,
      })
      return
    }
    report(stateOf(this), { type: 'conversableAgentUsageSummary', agent: this.name, recipient: this.name })
    model.printUsageSummary(mode)
  }

  /** Usage of the calls that were really made; null without a model or before the first. */
  getActualUsage(): UsageSummary | null {
    return stateOf(this).model?.actualUsageSummary ?? null
  }

  /** Usage including cache hits; null without a model or before the first call. */
  getTotalUsage(): UsageSummary | null {
    return stateOf(this).model?.totalUsageSummary ?? null
  }
}

function createExecutor(options: ConversableAgentOptions): ConversableAgent {
  const agent = new ConversableAgent(options)
  // Its class is this one: it overrides nothing.
  stateOf(agent).isChecked = true
  return agent
}

/** A negative position counts from the end, as in the Python library. */
const POSITION_KIND = { ...kind.whole(Number.NEGATIVE_INFINITY), expected: 'a whole number' }

const REGISTER_REPLY_KINDS: OptionKinds<RegisterReplyOptions> = {
  position: { ...kind.either(POSITION_KIND, kind.object), expected: 'a whole number, { before } or { after }' },
  config: kind.any,
  resetConfig: kind.orNull(kind.call),
  ignoreAsyncInSyncChat: kind.flag,
  removeOtherReplyFuncs: kind.flag,
  async: kind.flag,
}

const REGISTER_NESTED_CHATS_KINDS: OptionKinds<RegisterNestedChatsOptions> = {
  // One that is neither a function nor known is refused with the queue.
  replyFuncFromNestedChats: kind.any,
  position: POSITION_KIND,
  useAsync: kind.orNull(kind.flag),
  config: kind.any,
  resetConfig: kind.orNull(kind.call),
  ignoreAsyncInSyncChat: kind.flag,
}

const QUESTION_SCHEMA = {
  type: 'object',
  properties: { question: { type: 'string' } },
  required: ['question'],
  additionalProperties: false,
}

const REGISTER_TOOL_KINDS: OptionKinds<RegisterToolOptions> = { name: kind.text, description: kind.text }

const UPDATE_SIGNATURE_KINDS = { isRemove: kind.flag }

const REGISTER_FOR_LLM_KINDS = { ...REGISTER_TOOL_KINDS, apiStyle: kind.oneOf('tool', 'function') }

const MAXIMUM_KINDS = { value: kind.limit(0) }

const CLEAR_HISTORY_KINDS = { nrMessagesToPreserve: kind.whole(0) }

const LOAD_STATE_KINDS = { agents: { ...kind.object, takes: isIterable, expected: 'agents' } }

function isIterable(value: unknown): boolean {
  return typeof (value as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] === 'function'
}

const ASSISTANT_DESCRIPTION = 'A general-purpose assistant with strong language, Python and Linux command-line skills.'

/** An agent that solves tasks with a model; by default it asks no human and runs no code. */
export class AssistantAgent extends ConversableAgent {
  /** Default system message. */
  static readonly DEFAULT_SYSTEM_MESSAGE: string = ASSISTANT_SYSTEM_MESSAGE
  /** Description of an assistant with the default system message. */
  static readonly DEFAULT_DESCRIPTION: string = ASSISTANT_DESCRIPTION
  /** @internal Lives as long as the program, so that V8 keeps the layout of agents and the code compiled for it. */
  static override readonly kept: AssistantAgent = new AssistantAgent({ name: 'kept' })

  constructor(options: ConversableAgentOptions) {
    checkAgentOptions(options)
    const { systemMessage = ASSISTANT_SYSTEM_MESSAGE, humanInputMode = 'NEVER', description } = options
    const own = systemMessage === ASSISTANT_SYSTEM_MESSAGE ? ASSISTANT_DESCRIPTION : undefined
    super({ ...options, systemMessage, humanInputMode, description: description ?? own })
  }
}

const USER_PROXY_DESCRIPTIONS: Readonly<Record<HumanInputMode, string>> = {
  ALWAYS: 'An attentive human user who answers questions about the task and can run code and report what it printed.',
  TERMINATE: 'A user who runs Python code and Linux commands and reports what they printed.',
  NEVER: 'A terminal that runs the Python and shell scripts it is given in fenced blocks, and does nothing else.',
}

/**
 * An agent that stands for a user: it asks its human, executes tools and code, and by default has no model. Without an
 * `isTerminationMsg` of its own it also ends a chat at a message that ends with `TERMINATE`, if the system message of the
 * other agent asks for that word, as the default one of an assistant does.
 */
export class UserProxyAgent extends ConversableAgent {
  /** Descriptions of a user proxy for others, by when it asks its human. */
  static readonly DEFAULT_USER_PROXY_AGENT_DESCRIPTIONS: Readonly<Record<HumanInputMode, string>> =
    USER_PROXY_DESCRIPTIONS

  /** @internal As that of an assistant. */
  static override readonly kept: UserProxyAgent = new UserProxyAgent({ name: 'kept' })

  constructor(options: ConversableAgentOptions) {
    checkAgentOptions(options)
    const { humanInputMode = 'ALWAYS', systemMessage = '', llmConfig = false, description } = options
    super({
      ...options,
      humanInputMode,
      systemMessage,
      llmConfig,
      description: description ?? USER_PROXY_DESCRIPTIONS[humanInputMode],
    })
    if (!options.isTerminationMsg) stateOf(this).isTerminationMsg = endsForUser
  }
}

/**
 * True if a message ends a chat for an agent that stands for a user: it says so, or it ends with the word that the system
 * message of its sender asks for by the default sentence.
 */
function endsForUser(message: ChatMessage, sender: Agent | null): boolean {
  if (saysTerminate(message)) return true
  if (!messageText(message).trimEnd().endsWith(TERMINATION_WORD)) return false
  const system = sender ? stateOf(sender)?.systemMessage.content : null
  return typeof system === 'string' && system.includes(TERMINATION_REQUEST)
}
