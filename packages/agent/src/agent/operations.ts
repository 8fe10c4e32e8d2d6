import type {
  Agent,
  ChatMessage,
  ChatOptions,
  ChatResult,
  CodeBlock,
  CodeExecutionConfig,
  EventStream,
  FunctionCall,
  Model,
  QueuedChat,
  Reply,
  ReplyOutcome,
  RunCodeOptions,
  RunOptions,
  SendOptions,
} from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { initiateChat } from '../chat/chat.steps.ts'
import { generateInitMessage } from '../chat/first-message.steps.ts'
import { chatsByPrerequisites, chatsInOrder } from '../chat/queue.steps.ts'
import {
  runChat,
  runForResult,
  type ResultOptions,
  type RunChatOptions,
  type RunResult,
} from '../chat/run-chat.steps.ts'
import { receive, send } from '../chat/send.steps.ts'
import type { ChatMeans } from '../chat/chat-means.ts'
import { inRun } from '../chat/with-scope.steps.ts'
import { humanInput } from '../human/human-input.steps.ts'
import { stateOf, type State } from '../memory/state.ts'
import { BUILT_INS, type BuiltInName } from '../reply/built-in.ts'
import { executeCodeBlocks, generateCodeExecutionReply, runCode } from '../reply/code.steps.ts'
import type { ReplyRequest } from '../reply/reply-request.ts'
import { generateReply } from '../reply/generate-reply.steps.ts'
import { processAllMessages, processLastReceived, updateAgentState } from '../reply/hooks.steps.ts'
import { generateOaiReply } from '../reply/model-reply.steps.ts'
import { BUILT_IN } from '../reply/reply-list.ts'
import { checkTerminationAndHumanReply } from '../reply/termination.steps.ts'
import { operate, operateStream, operateSync } from '../run/operate.ts'
import type { OutputOf, Parameters } from '../schema/parameters.ts'
import type { ExecuteFunctionOptions, FunctionOutcome } from '../tool/function-outcome.ts'
import { executeFunction, generateFunctionCallReply, generateToolCallsReply } from '../tool/tool-calls.steps.ts'

/** Options of a built-in reply function that is called by hand. */
export interface AskedReply<C = never> extends RunOptions {
  /** Default: the stored history with the sender. */
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
  readonly config?: C | null | undefined
}

/** Options of asking for a reply. */
export type GenerateReplyOptions = ReplyRequest & RunOptions

/**
 * The asynchronous operations of an agent, each in up to three forms: `x` gives a promise, `xSync` blocks, `xStream` gives
 * the events with a promise of the `result`. They cannot be overridden: what one form does, the others would not. Extend
 * an agent by options, reply functions, hooks and `io`.
 */
export abstract class AgentOperations {
  /** The state of the agent; `stateOf` of `@x/agent/steps` reads it. */
  abstract readonly '~state': unknown

  /** Sends a message and, as long as replies are wanted, carries them to and fro. */
  async send(message: Reply, recipient: Agent, options: SendOptions = {}): Promise<void> {
    return await this.#async(send(this.#self, message, recipient, options), options)
  }

  /** {@link send}, blocking. */
  sendSync(message: Reply, recipient: Agent, options: SendOptions = {}): void {
    return this.#sync(send(this.#self, message, recipient, options), options)
  }

  /** Takes a message in and, as long as replies are wanted, carries them to and fro. */
  async receive(message: Reply, sender: Agent, options: SendOptions = {}): Promise<void> {
    return await this.#async(receive(this.#self, message, sender, options), options)
  }

  /** {@link receive}, blocking. */
  receiveSync(message: Reply, sender: Agent, options: SendOptions = {}): void {
    return this.#sync(receive(this.#self, message, sender, options), options)
  }

  /** Asks the reply functions in order; gives the reply, or null when the chat is to end. */
  async generateReply(options: GenerateReplyOptions): Promise<Reply | null> {
    return await this.#async(generateReply(this.#state, options ?? {}), options)
  }

  /** {@link generateReply}, blocking; async reply functions are left out. */
  generateReplySync(options: GenerateReplyOptions): Reply | null {
    return this.#sync(generateReply(this.#state, options ?? {}), options)
  }

  /** {@link generateReply}, as a stream of its events. */
  generateReplyStream(options: GenerateReplyOptions): EventStream<Reply | null> {
    return this.#stream(generateReply(this.#state, options ?? {}), options)
  }

  /** A chat of two, from its first message to its summary and cost. */
  async initiateChat(recipient: Agent, options: ChatOptions = {}): Promise<ChatResult> {
    return await this.#async(initiateChat(this.#self, recipient, options), options)
  }

  /** {@link initiateChat}, blocking; refused with `async-in-sync` when a reply function of the two is async. */
  initiateChatSync(recipient: Agent, options: ChatOptions = {}): ChatResult {
    return this.#sync(initiateChat(this.#self, recipient, options), options)
  }

  /** {@link initiateChat}, as a stream of its events with a promise of the `result`. */
  initiateChatStream(recipient: Agent, options: ChatOptions = {}): EventStream<ChatResult> {
    return this.#stream(initiateChat(this.#self, recipient, options), options)
  }

  /** Chats by `chatId`, each as soon as its `prerequisites` have ended; the results by `chatId`. */
  async initiateChats(
    queue: readonly QueuedChat[],
    options: RunOptions & ChatMeans = {},
  ): Promise<Map<number, ChatResult>> {
    const results = await this.#async(inRun(options, chatsByPrerequisites(queue, { sender: this.#self })), options)
    this.#state.finishedChats = results
    return results
  }

  /** Chats one after the other, blocking; each carries the summaries of the earlier ones on. */
  initiateChatsSync(
    queue: readonly QueuedChat[],
    options: Pick<RunOptions, 'run' | 'emit'> & ChatMeans = {},
  ): ChatResult[] {
    const results = this.#sync(inRun(options, chatsInOrder(queue, { sender: this.#self })), options)
    this.#state.finishedChats = results
    return results
  }

  /**
   * A chat with an agent that stands for the user and executes the tools. With a `result`, the answer is read as a value of
   * that shape and checked; one that does not fit after `resultRepairs` further attempts fails with `invalid-result`.
   */
  run<P extends Parameters>(
    message: Reply,
    options: RunChatOptions & ResultOptions<P> & RunOptions,
  ): Promise<RunResult<OutputOf<P>>>
  run(message: Reply, options?: RunChatOptions & RunOptions): Promise<ChatResult>
  async run(
    message: Reply,
    options: RunChatOptions & Partial<ResultOptions<Parameters>> & RunOptions = {},
  ): Promise<ChatResult> {
    return await this.#async(this.#run(message, options), options)
  }

  /** {@link run}, blocking. */
  runSync<P extends Parameters>(
    message: Reply,
    options: RunChatOptions & ResultOptions<P> & Pick<RunOptions, 'run' | 'emit'>,
  ): RunResult<OutputOf<P>>
  runSync(message: Reply, options?: RunChatOptions & Pick<RunOptions, 'run' | 'emit'>): ChatResult
  runSync(message: Reply, options: RunChatOptions & Partial<ResultOptions<Parameters>> & RunOptions = {}): ChatResult {
    return this.#sync(this.#run(message, options), options)
  }

  /** {@link run}, as a stream of its events with a promise of the `result`. */
  runStream<P extends Parameters>(
    message: Reply,
    options: RunChatOptions & ResultOptions<P> & RunOptions,
  ): EventStream<RunResult<OutputOf<P>>>
  runStream(message: Reply, options?: RunChatOptions & RunOptions): EventStream<ChatResult>
  runStream(
    message: Reply,
    options: RunChatOptions & Partial<ResultOptions<Parameters>> & RunOptions = {},
  ): EventStream<ChatResult> {
    return this.#stream(this.#run(message, options), options)
  }

  #run(message: Reply, options: RunChatOptions & Partial<ResultOptions<Parameters>>): Steps<ChatResult> {
    const { result } = options
    return result ? runForResult(this.#self, message, { ...options, result }) : runChat(this.#self, message, options)
  }

  /** Ends the chat, hands the human's answer on, or lets the next reply functions answer. */
  async checkTerminationAndHumanReply({ messages, sender = null, ...run }: AskedReply = {}): Promise<ReplyOutcome> {
    return await this.#async(checkTerminationAndHumanReply(this.#state, messages, sender), run)
  }

  /** {@link checkTerminationAndHumanReply}, blocking. */
  checkTerminationAndHumanReplySync({ messages, sender = null, ...run }: AskedReply = {}): ReplyOutcome {
    return this.#sync(checkTerminationAndHumanReply(this.#state, messages, sender), run)
  }

  /** Asks the model, or the one given as `config`. */
  async generateOaiReply({ messages, sender = null, config, ...run }: AskedReply<Model> = {}): Promise<ReplyOutcome> {
    return await this.#async(generateOaiReply(this.#state, messages, sender, config), run)
  }

  /** {@link generateOaiReply}, blocking. */
  generateOaiReplySync({ messages, sender = null, config, ...run }: AskedReply<Model> = {}): ReplyOutcome {
    return this.#sync(generateOaiReply(this.#state, messages, sender, config), run)
  }

  /** Answers the tool calls of the last message, at once; results in call order. */
  async generateToolCallsReply({ messages, sender = null, ...run }: AskedReply = {}): Promise<ReplyOutcome> {
    return await this.#async(generateToolCallsReply(this.#state, messages, sender), run)
  }

  /** {@link generateToolCallsReply}, blocking, one call after the other. */
  generateToolCallsReplySync({ messages, sender = null, ...run }: AskedReply = {}): ReplyOutcome {
    return this.#sync(generateToolCallsReply(this.#state, messages, sender), run)
  }

  /** Answers the function call of the last message. */
  async generateFunctionCallReply({ messages, sender = null, ...run }: AskedReply = {}): Promise<ReplyOutcome> {
    return await this.#async(generateFunctionCallReply(this.#state, messages, sender), run)
  }

  /** {@link generateFunctionCallReply}, blocking. */
  generateFunctionCallReplySync({ messages, sender = null, ...run }: AskedReply = {}): ReplyOutcome {
    return this.#sync(generateFunctionCallReply(this.#state, messages, sender), run)
  }

  /** Runs the code of the newest message that has some. */
  async generateCodeExecutionReply({
    messages,
    sender = null,
    config,
    ...run
  }: AskedReply<CodeExecutionConfig | false> = {}): Promise<ReplyOutcome> {
    return await this.#async(generateCodeExecutionReply(this.#state, messages, sender, config), run)
  }

  /** {@link generateCodeExecutionReply}, blocking. */
  generateCodeExecutionReplySync({
    messages,
    sender = null,
    config,
    ...run
  }: AskedReply<CodeExecutionConfig | false> = {}): ReplyOutcome {
    return this.#sync(generateCodeExecutionReply(this.#state, messages, sender, config), run)
  }

  /** Asks the human and keeps what was typed. */
  async getHumanInput(prompt: string, options: RunOptions = {}): Promise<string> {
    return await this.#async(humanInput(this.#state, prompt), options)
  }

  /** {@link getHumanInput}, blocking. */
  getHumanInputSync(prompt: string): string {
    return this.#sync(humanInput(this.#state, prompt), {})
  }

  /** Runs one piece of code by the code runner. */
  async runCode(
    code: string,
    options: RunCodeOptions = {},
  ): Promise<[exitCode: number, logs: string, image: string | null]> {
    return await this.#async(runCode(this.#state, code, options), options)
  }

  /** {@link runCode}, blocking. */
  runCodeSync(code: string, options: RunCodeOptions = {}): [exitCode: number, logs: string, image: string | null] {
    return this.#sync(runCode(this.#state, code, options), options)
  }

  /** Runs code blocks in order and stops at the first that fails. */
  async executeCodeBlocks(blocks: readonly CodeBlock[], options: RunOptions = {}): Promise<[number, string]> {
    return await this.#async(executeCodeBlocks(this.#state, blocks), options)
  }

  /** {@link executeCodeBlocks}, blocking. */
  executeCodeBlocksSync(
    blocks: readonly CodeBlock[],
    options: Pick<RunOptions, 'run' | 'emit'> = {},
  ): [number, string] {
    return this.#sync(executeCodeBlocks(this.#state, blocks), options)
  }

  /** Calls a function of the function map; what goes wrong comes back as the content. */
  async executeFunction(
    call: Partial<FunctionCall>,
    options: ExecuteFunctionOptions & RunOptions = {},
  ): Promise<FunctionOutcome> {
    return await this.#async(executeFunction(this.#state, call, options), options)
  }

  /** {@link executeFunction}, blocking. */
  executeFunctionSync(
    call: Partial<FunctionCall>,
    options: ExecuteFunctionOptions & Pick<RunOptions, 'run' | 'emit'> = {},
  ): FunctionOutcome {
    return this.#sync(executeFunction(this.#state, call, options), options)
  }

  /** A first message with its carryover; null asks the human. */
  async generateInitMessage(
    message: Reply | null,
    { carryover, ...run }: Pick<ChatOptions, 'carryover'> & RunOptions = {},
  ): Promise<Reply> {
    return await this.#async(generateInitMessage(this.#state, message, carryover), run)
  }

  /** {@link generateInitMessage}, blocking. */
  generateInitMessageSync(message: Reply | null, { carryover }: Pick<ChatOptions, 'carryover'> = {}): Reply {
    return this.#sync(generateInitMessage(this.#state, message, carryover), {})
  }

  /** Lets the `updateAgentState` hooks change the agent. */
  async updateAgentStateBeforeReply(messages: readonly ChatMessage[], options: RunOptions = {}): Promise<void> {
    return await this.#async(updateAgentState(this.#state, messages), options)
  }

  /** {@link updateAgentStateBeforeReply}, blocking. */
  updateAgentStateBeforeReplySync(messages: readonly ChatMessage[]): void {
    return this.#sync(updateAgentState(this.#state, messages), {})
  }

  /** Lets the hooks change the whole list of messages. */
  async processAllMessagesBeforeReply(
    messages: readonly ChatMessage[],
    options: RunOptions = {},
  ): Promise<readonly ChatMessage[]> {
    return await this.#async(processAllMessages(this.#state, messages), options)
  }

  /** {@link processAllMessagesBeforeReply}, blocking. */
  processAllMessagesBeforeReplySync(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    return this.#sync(processAllMessages(this.#state, messages), {})
  }

  /** Lets the hooks change the content of the last message, in a copy. */
  async processLastReceivedMessage<M extends readonly ChatMessage[] | null>(
    messages: M,
    options: RunOptions = {},
  ): Promise<M> {
    return await this.#async(processLastReceived(this.#state, messages), options)
  }

  /** {@link processLastReceivedMessage}, blocking. */
  processLastReceivedMessageSync<M extends readonly ChatMessage[] | null>(messages: M): M {
    return this.#sync(processLastReceived(this.#state, messages), {})
  }

  get #self(): Agent {
    return this as unknown as Agent
  }

  get #state(): State {
    return stateOf(this.#self)
  }

  #async<T>(steps: Steps<T>, options?: RunOptions): Promise<T> {
    return operate(steps, this.#state, options)
  }

  #sync<T>(steps: Steps<T>, options?: Pick<RunOptions, 'run' | 'emit'>): T {
    return operateSync(steps, this.#state, options)
  }

  #stream<T>(steps: Steps<T>, options?: RunOptions): EventStream<T> {
    return operateStream(steps, this.#state, options)
  }

  static {
    // Either operation of a built-in reply function names it.
    for (const [name, builtIn] of Object.entries(BUILT_INS) as [BuiltInName, object][]) {
      for (const operation of [name satisfies BuiltInOperation, `${name}Sync`] as const) {
        Object.defineProperty(this.prototype[operation], BUILT_IN, { value: builtIn })
      }
    }
  }
}

/** A built-in reply function has both operations; one without them is an error of this type. */
type BuiltInOperation = {
  [N in BuiltInName]: N extends keyof AgentOperations
    ? `${N}Sync` extends keyof AgentOperations
      ? N
      : { readonly 'a built-in reply function needs a blocking operation of its name': `${N}Sync` }
    : { readonly 'a built-in reply function needs an operation of its name': N }
}[BuiltInName]

/** Refuses an agent whose class overrides an operation: the other forms of the operation would not do the same. */
export function refuseOverrides(agent: Agent): void {
  for (const name of Object.getOwnPropertyNames(AgentOperations.prototype)) {
    if (name === 'constructor') continue
    const [own, original] = [agent, AgentOperations.prototype].map(
      (each) => (each as unknown as Record<string, unknown>)[name],
    )
    if (own === original) continue
    throw new XError(
      'invalid-argument',
      `\`${agent.constructor.name}\` overrides \`${name}\`, and the other forms of the operation would not do the same: use a reply function, a hook, an option or an \`io\``,
    )
  }
}
