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
import { initiateChat, receive, send } from '../chat/chat.steps.ts'
import { generateInitMessage } from '../chat/message.steps.ts'
import { chatsByPrerequisites, chatsInOrder, queueSteps } from '../chat/queue.steps.ts'
import { runChat, runForResult } from '../chat/run.steps.ts'
import {
  type AskedInRun,
  type AskedReply,
  BUILT_IN,
  type ChatMeans,
  type ExecuteFunctionOptions,
  type FunctionOutcome,
  type GenerateReplyOptions,
  type ResultOptions,
  type RunChatOptions,
  type RunResult,
} from '../options/operations.ts'
import { refuseHomonyms } from '../chat/chat-options.ts'
import { humanInput } from '../human/ask-human.steps.ts'
import { type State, stateOf } from '../memory/state.ts'
import { askBuiltIn } from '../reply/ask-built-in.steps.ts'
import { BUILT_INS, type BuiltInName } from '../reply/built-in.ts'
import { executeCodeBlocks, generateCodeExecutionReply, runCode } from '../reply/code.steps.ts'
import { generateReply } from '../reply/reply.steps.ts'
import { processAllMessages, processLastReceived, updateAgentState } from '../reply/hooks.steps.ts'
import { generateOaiReply } from '../reply/model.steps.ts'
import { checkTerminationAndHumanReply } from '../reply/person.steps.ts'
import { checkBlocking, checkOperation, type OperationName } from './operation-options.ts'
import { operate, operateStream, operateSync } from '../run/operate.ts'
import type { OutputOf, Parameters } from '../data/parameters.ts'
import { executeFunction, generateFunctionCallReply, generateToolCallsReply } from '../reply/tools.steps.ts'

/**
 * The asynchronous operations of an agent, each in up to three forms: `x` gives a promise, `xSync` blocks, `xStream` gives
 * the events with a promise of the `result`. They cannot be overridden: what one form does, the others would not. Extend
 * an agent by options, reply functions, hooks and `io`.
 */
export abstract class AgentOperations {
  /** The state of the agent, opaque; `internalsOf` of `@x/agent/steps` reads what steps of other packages need of it. */
  abstract readonly '~state': unknown

  /** Sends a message and, as long as replies are wanted, carries them to and fro. */
  async send(message: Reply, recipient: Agent, options: SendOptions = {}): Promise<void> {
    return await this.#async('send', send(this.#with(recipient), message, recipient, options), options)
  }

  /** {@link send}, blocking. */
  sendSync(message: Reply, recipient: Agent, options: SendOptions = {}): void {
    return this.#sync('send', send(this.#with(recipient), message, recipient, options), options)
  }

  /** Takes a message in and, as long as replies are wanted, carries them to and fro. */
  async receive(message: Reply, sender: Agent, options: SendOptions = {}): Promise<void> {
    return await this.#async('receive', receive(this.#with(sender), message, sender, options), options)
  }

  /** {@link receive}, blocking. */
  receiveSync(message: Reply, sender: Agent, options: SendOptions = {}): void {
    return this.#sync('receive', receive(this.#with(sender), message, sender, options), options)
  }

  /** Asks the reply functions in order; gives the reply, or null when the chat is to end. */
  async generateReply(options: GenerateReplyOptions): Promise<Reply | null> {
    return await this.#async('generateReply', generateReply(this.#state, options ?? {}), options)
  }

  /** {@link generateReply}, blocking; async reply functions are left out. */
  generateReplySync(options: GenerateReplyOptions): Reply | null {
    return this.#sync('generateReply', generateReply(this.#state, options ?? {}), options)
  }

  /** {@link generateReply}, as a stream of its events. */
  generateReplyStream(options: GenerateReplyOptions): EventStream<Reply | null> {
    return this.#stream('generateReply', generateReply(this.#state, options ?? {}), options)
  }

  /** A chat of two, from its first message to its summary and cost. */
  async initiateChat(recipient: Agent, options: ChatOptions = {}): Promise<ChatResult> {
    return await this.#async('initiateChat', this.#chat(recipient, options), options)
  }

  /** {@link initiateChat}, blocking; refused with `async-in-sync` when a reply function of the two is async. */
  initiateChatSync(recipient: Agent, options: ChatOptions = {}): ChatResult {
    return this.#sync('initiateChat', this.#chat(recipient, options), options)
  }

  /** {@link initiateChat}, as a stream of its events with a promise of the `result`. */
  initiateChatStream(recipient: Agent, options: ChatOptions = {}): EventStream<ChatResult> {
    return this.#stream('initiateChat', this.#chat(recipient, options), options)
  }

  /** Chats by `chatId`, each as soon as its `prerequisites` have ended; the results by `chatId`. */
  async initiateChats(
    queue: readonly QueuedChat[],
    options: RunOptions & ChatMeans = {},
  ): Promise<Map<number, ChatResult>> {
    const results = await this.#async(
      'initiateChats',
      queueSteps(queue, options, chatsByPrerequisites, this.#self),
      options,
    )
    this.#state.finishedChats = results
    return results
  }

  /** Chats one after the other, blocking; each carries the summaries of the earlier ones on. */
  initiateChatsSync(
    queue: readonly QueuedChat[],
    options: Pick<RunOptions, 'run' | 'emit'> & ChatMeans = {},
  ): ChatResult[] {
    const results = this.#sync('initiateChats', queueSteps(queue, options, chatsInOrder, this.#self), options)
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
    return await this.#async('run', this.#run(message, options), options)
  }

  /** {@link run}, blocking. */
  runSync<P extends Parameters>(
    message: Reply,
    options: RunChatOptions & ResultOptions<P> & Pick<RunOptions, 'run' | 'emit'>,
  ): RunResult<OutputOf<P>>
  runSync(message: Reply, options?: RunChatOptions & Pick<RunOptions, 'run' | 'emit'>): ChatResult
  runSync(message: Reply, options: RunChatOptions & Partial<ResultOptions<Parameters>> & RunOptions = {}): ChatResult {
    return this.#sync('run', this.#run(message, options), options)
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
    return this.#stream('run', this.#run(message, options), options)
  }

  #chat(recipient: Agent, options: ChatOptions): Steps<ChatResult> {
    return initiateChat(this.#with(recipient), recipient, options)
  }

  /** The agent itself, which talks with one of another name. */
  #with(other: Agent): Agent {
    refuseHomonyms(this.#self, other)
    return this.#self
  }

  #run(message: Reply, options: RunChatOptions & Partial<ResultOptions<Parameters>>): Steps<ChatResult> {
    checkOperation('run', options, this.#state.name)
    const { result, resultRepairs } = options
    if (!result && resultRepairs !== undefined) {
      throw new XError(
        'invalid-argument',
        'cannot run `run`: `resultRepairs` comes without a `result`; give its schema',
      )
    }
    return result ? runForResult(this.#self, message, { ...options, result }) : runChat(this.#self, message, options)
  }

  /** Ends the chat, hands the human's answer on, or lets the next reply functions answer. */
  async checkTerminationAndHumanReply(options: AskedReply = {}): Promise<ReplyOutcome> {
    return await this.#async(
      'checkTerminationAndHumanReply',
      this.#asked(checkTerminationAndHumanReply, options),
      options,
    )
  }

  /** {@link checkTerminationAndHumanReply}, blocking. */
  checkTerminationAndHumanReplySync(options: AskedReply = {}): ReplyOutcome {
    return this.#sync('checkTerminationAndHumanReply', this.#asked(checkTerminationAndHumanReply, options), options)
  }

  /** Asks the model, or the one given as `config`. */
  async generateOaiReply(options: AskedReply<Model> = {}): Promise<ReplyOutcome> {
    return await this.#async('generateOaiReply', this.#asked(generateOaiReply, options), options)
  }

  /** {@link generateOaiReply}, blocking. */
  generateOaiReplySync(options: AskedReply<Model> = {}): ReplyOutcome {
    return this.#sync('generateOaiReply', this.#asked(generateOaiReply, options), options)
  }

  /** Answers the tool calls of the last message, at once; results in call order. */
  async generateToolCallsReply(options: AskedReply = {}): Promise<ReplyOutcome> {
    return await this.#async('generateToolCallsReply', this.#asked(generateToolCallsReply, options), options)
  }

  /** {@link generateToolCallsReply}, blocking, one call after the other. */
  generateToolCallsReplySync(options: AskedReply = {}): ReplyOutcome {
    return this.#sync('generateToolCallsReply', this.#asked(generateToolCallsReply, options), options)
  }

  /** Answers the function call of the last message. */
  async generateFunctionCallReply(options: AskedReply = {}): Promise<ReplyOutcome> {
    return await this.#async('generateFunctionCallReply', this.#asked(generateFunctionCallReply, options), options)
  }

  /** {@link generateFunctionCallReply}, blocking. */
  generateFunctionCallReplySync(options: AskedReply = {}): ReplyOutcome {
    return this.#sync('generateFunctionCallReply', this.#asked(generateFunctionCallReply, options), options)
  }

  /** Runs the code of the newest message that has some. */
  async generateCodeExecutionReply(options: AskedReply<CodeExecutionConfig | false> = {}): Promise<ReplyOutcome> {
    return await this.#async('generateCodeExecutionReply', this.#asked(generateCodeExecutionReply, options), options)
  }

  /** {@link generateCodeExecutionReply}, blocking. */
  generateCodeExecutionReplySync(options: AskedReply<CodeExecutionConfig | false> = {}): ReplyOutcome {
    return this.#sync('generateCodeExecutionReply', this.#asked(generateCodeExecutionReply, options), options)
  }

  #asked<C>(
    reply: (state: State, asked: AskedInRun<C>) => Steps<ReplyOutcome>,
    options: AskedReply<C>,
  ): Steps<ReplyOutcome> {
    return askBuiltIn(reply, this.#state, options)
  }

  /** Asks the human and keeps what was typed. */
  async getHumanInput(prompt: string, options: RunOptions = {}): Promise<string> {
    return await this.#async('getHumanInput', humanInput(this.#state, prompt), options)
  }

  /** {@link getHumanInput}, blocking. */
  getHumanInputSync(prompt: string): string {
    return this.#sync('getHumanInput', humanInput(this.#state, prompt), {})
  }

  /** Runs one piece of code by the code runner. */
  async runCode(
    code: string,
    options: RunCodeOptions = {},
  ): Promise<[exitCode: number, logs: string, image: string | null]> {
    return await this.#async('runCode', runCode(this.#state, code, options), options)
  }

  /** {@link runCode}, blocking. */
  runCodeSync(code: string, options: RunCodeOptions = {}): [exitCode: number, logs: string, image: string | null] {
    return this.#sync('runCode', runCode(this.#state, code, options), options)
  }

  /** Runs code blocks in order and stops at the first that fails. */
  async executeCodeBlocks(blocks: readonly CodeBlock[], options: RunOptions = {}): Promise<[number, string]> {
    return await this.#async('executeCodeBlocks', executeCodeBlocks(this.#state, blocks), options)
  }

  /** {@link executeCodeBlocks}, blocking. */
  executeCodeBlocksSync(
    blocks: readonly CodeBlock[],
    options: Pick<RunOptions, 'run' | 'emit'> = {},
  ): [number, string] {
    return this.#sync('executeCodeBlocks', executeCodeBlocks(this.#state, blocks), options)
  }

  /** Calls a function of the function map; what goes wrong comes back as the content. */
  async executeFunction(
    call: Partial<FunctionCall>,
    options: ExecuteFunctionOptions & RunOptions = {},
  ): Promise<FunctionOutcome> {
    return await this.#async('executeFunction', executeFunction(this.#state, call, options), options)
  }

  /** {@link executeFunction}, blocking. */
  executeFunctionSync(
    call: Partial<FunctionCall>,
    options: ExecuteFunctionOptions & Pick<RunOptions, 'run' | 'emit'> = {},
  ): FunctionOutcome {
    return this.#sync('executeFunction', executeFunction(this.#state, call, options), options)
  }

  /** A first message with its carryover; null asks the human. */
  async generateInitMessage(
    message: Reply | null,
    options: Pick<ChatOptions, 'carryover'> & RunOptions = {},
  ): Promise<Reply> {
    return await this.#async(
      'generateInitMessage',
      generateInitMessage(this.#state, message, options.carryover),
      options,
    )
  }

  /** {@link generateInitMessage}, blocking. */
  generateInitMessageSync(message: Reply | null, options: Pick<ChatOptions, 'carryover' | 'run' | 'emit'> = {}): Reply {
    return this.#sync('generateInitMessage', generateInitMessage(this.#state, message, options.carryover), options)
  }

  /** Lets the `updateAgentState` hooks change the agent. */
  async updateAgentStateBeforeReply(messages: readonly ChatMessage[], options: RunOptions = {}): Promise<void> {
    return await this.#async('updateAgentStateBeforeReply', updateAgentState(this.#state, messages), options)
  }

  /** {@link updateAgentStateBeforeReply}, blocking. */
  updateAgentStateBeforeReplySync(messages: readonly ChatMessage[]): void {
    return this.#sync('updateAgentStateBeforeReply', updateAgentState(this.#state, messages), {})
  }

  /** Lets the hooks change the whole list of messages. */
  async processAllMessagesBeforeReply(
    messages: readonly ChatMessage[],
    options: RunOptions = {},
  ): Promise<readonly ChatMessage[]> {
    return await this.#async('processAllMessagesBeforeReply', processAllMessages(this.#state, messages), options)
  }

  /** {@link processAllMessagesBeforeReply}, blocking. */
  processAllMessagesBeforeReplySync(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    return this.#sync('processAllMessagesBeforeReply', processAllMessages(this.#state, messages), {})
  }

  /** Lets the hooks change the content of the last message, in a copy. */
  async processLastReceivedMessage<M extends readonly ChatMessage[] | null>(
    messages: M,
    options: RunOptions = {},
  ): Promise<M> {
    return await this.#async('processLastReceivedMessage', processLastReceived(this.#state, messages), options)
  }

  /** {@link processLastReceivedMessage}, blocking. */
  processLastReceivedMessageSync<M extends readonly ChatMessage[] | null>(messages: M): M {
    return this.#sync('processLastReceivedMessage', processLastReceived(this.#state, messages), {})
  }

  get #self(): Agent {
    return this as unknown as Agent
  }

  get #state(): State {
    return stateOf(this.#self)
  }

  #async<T>(operation: OperationName, steps: Steps<T>, options?: RunOptions): Promise<T> {
    checkOperation(operation, options, this.#state.name)
    return operate(steps, this.#state, options)
  }

  #sync<T>(operation: OperationName, steps: Steps<T>, options?: RunOptions): T {
    checkBlocking(operation, options, this.#state.name)
    return operateSync(steps, this.#state, options)
  }

  #stream<T>(operation: OperationName, steps: Steps<T>, options?: RunOptions): EventStream<T> {
    checkOperation(operation, options, this.#state.name)
    return operateStream(steps, this.#state, options)
  }

  static {
    // Either operation of a built-in reply function names it; the check below finds one that is missing.
    for (const operation of Object.getOwnPropertyNames(this.prototype)) {
      const name = operation.replace(/Sync$/, '')
      if (!Object.hasOwn(BUILT_INS, name)) continue
      const value = BUILT_INS[name as BuiltInName]
      Object.defineProperty(this.prototype[operation as keyof AgentOperations], BUILT_IN, { value })
    }
  }
}

type MissingOperation = Exclude<BuiltInName | `${BuiltInName}Sync`, keyof AgentOperations>

'complete' satisfies [MissingOperation] extends [never]
  ? 'complete'
  : `a built-in reply function needs two operations: add \`${MissingOperation}\` to AgentOperations`
