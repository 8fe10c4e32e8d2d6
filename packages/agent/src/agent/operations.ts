import type {
  Agent,
  ChatMessage,
  ChatOptions,
  ChatResult,
  CodeBlock,
  EventStream,
  FunctionCall,
  QueuedChat,
  Reply,
  ReplyOutcome,
  RunCodeOptions,
  RunOptions,
  SendOptions,
} from '@x/interfaces'
import { type Steps, XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { checkRunOptions } from '@x/kernel/run'
import { generateInitMessage } from '../chat/begin.steps.ts'
import { initiateChat, receive, send } from '../chat/chat.steps.ts'
import {
  CARRYOVER_KIND,
  CHAT_KINDS,
  CONVERSATION_KIND,
  CHAT_MEANS_KINDS,
  rejectDuplicateNames,
} from '../chat/chat-options.ts'
import { chatsByPrerequisites, chatsInOrder, chatsOf } from '../chat/queue.steps.ts'
import { runChat } from '../chat/run.steps.ts'
import type { OutputOf, Parameters as Schema } from '../data/parameters.ts'
import { humanInput } from '../human/ask-human.steps.ts'
import { type State, stateOf } from '../memory/state.ts'
import { AGENT_KIND, MESSAGES_KIND } from '../options/kinds.ts'
import {
  type AskedReply,
  BUILT_IN,
  type ChatMeans,
  type ExecuteFunctionOptions,
  type FunctionOutcome,
  type GenerateReplyOptions,
  type ResultOptions,
  type RunChatOptions,
  type RunResult,
  type StepsReply,
} from '../options/operations.ts'
import { askBuiltIn, BUILT_INS, type BuiltInConfigs, type BuiltInName } from '../reply/built-in.steps.ts'
import { executeCodeBlocks, runCode } from '../reply/code.steps.ts'
import { processAllMessages, processLastReceived, updateAgentState } from '../reply/hooks.steps.ts'
import { generateReply } from '../reply/reply.steps.ts'
import { executeFunction } from '../reply/tools.steps.ts'
import { operate, operateStream, operateSync } from '../run/operate.ts'

/** The form of an operation: `x` gives a promise, `xSync` blocks, `xStream` gives its events. */
type Form = 'promise' | 'blocking' | 'stream'

/** The result of an operation in a form. */
type In<F extends Form, T> = F extends 'promise' ? Promise<T> : F extends 'blocking' ? T : EventStream<T>

/** The options of an operation in a form: no signal stops a blocking call. */
type For<F extends Form, O> = F extends 'blocking' ? Omit<O, 'signal'> : O

/** The operations of an agent that may wait, in a form. {@link OPERATIONS} has what each one does. */
interface Operations<F extends Form> extends BuiltInOperations<F> {
  /** Sends a message and, as long as replies are wanted, exchanges further messages. */
  send(message: Reply, recipient: Agent, options?: For<F, SendOptions>): In<F, void>
  /** Receives a message and, as long as replies are wanted, exchanges further messages. */
  receive(message: Reply, sender: Agent, options?: For<F, SendOptions>): In<F, void>
  /**
   * Asks the reply functions in order; gives the reply, or null when the chat is to end. The blocking form leaves
   * asynchronous reply functions out.
   */
  generateReply(options: For<F, GenerateReplyOptions>): In<F, Reply | null>
  /**
   * A chat of two, from its first message to its summary and cost. The blocking form is refused with `async-in-sync` when a
   * reply function of the two is asynchronous.
   */
  initiateChat(recipient: Agent, options?: For<F, ChatOptions>): In<F, ChatResult>
  /**
   * Chats by `chatId`, each as soon as its `prerequisites` have ended. The blocking form holds them one after the other, each
   * with the summaries of the earlier ones, and gives a list.
   */
  initiateChats(
    queue: readonly QueuedChat[],
    options?: For<F, RunOptions & ChatMeans>,
  ): In<F, F extends 'blocking' ? ChatResult[] : Map<number, ChatResult>>
  /**
   * A chat with an agent that stands for the user and executes the tools. With a `result`, the answer is read as a value of
   * that shape and checked; an answer that does not fit after `resultRepairs` further attempts fails with `invalid-result`.
   */
  run<P extends Schema>(
    message: Reply,
    options: RunChatOptions & ResultOptions<P> & For<F, RunOptions>,
  ): In<F, RunResult<OutputOf<P>>>
  run(message: Reply, options?: RunChatOptions & For<F, RunOptions>): In<F, ChatResult>
  /** Asks the human and keeps the answer. */
  getHumanInput(prompt: string, options?: For<F, RunOptions>): In<F, string>
  /** Runs one piece of code by the code runner. */
  runCode(code: string, options?: For<F, RunCodeOptions>): In<F, [exitCode: number, logs: string, image: string | null]>
  /** Runs code blocks in order and stops at the first that fails. */
  executeCodeBlocks(blocks: readonly CodeBlock[], options?: For<F, RunOptions>): In<F, [number, string]>
  /** Calls a function of the function map; an error comes back as the content. */
  executeFunction(
    call: Partial<FunctionCall>,
    options?: ExecuteFunctionOptions & For<F, RunOptions>,
  ): In<F, FunctionOutcome>
  /** A first message with its carryover; null asks the human. */
  generateInitMessage(
    message: Reply | null,
    options?: Pick<ChatOptions, 'carryover'> & For<F, RunOptions>,
  ): In<F, Reply>
  /** Lets the `updateAgentState` hooks change the agent. */
  updateAgentStateBeforeReply(messages: readonly ChatMessage[], options?: For<F, RunOptions>): In<F, void>
  /** Lets the hooks change the whole list of messages. */
  processAllMessagesBeforeReply(
    messages: readonly ChatMessage[],
    options?: For<F, RunOptions>,
  ): In<F, readonly ChatMessage[]>
  /** Lets the hooks change the content of the last message, in a copy. */
  processLastReceivedMessage<M extends readonly ChatMessage[] | null>(
    messages: M,
    options?: For<F, RunOptions>,
  ): In<F, M>
}

type BuiltInOperations<F extends Form> = {
  [K in BuiltInName]: (options?: For<F, AskedReply<BuiltInConfigs[K]>>) => In<F, ReplyOutcome>
}

type Name = keyof Operations<'promise'>

/** Names of the operations that have a form as a stream. */
type StreamName = 'generateReply' | 'initiateChat' | 'run'

type BlockingForms = { [K in Name as `${K}Sync`]: Operations<'blocking'>[K] }

type StreamForms = { [K in StreamName as `${K}Stream`]: Operations<'stream'>[K] }

/**
 * The asynchronous operations of an agent, each in up to three forms: `x` gives a promise, `xSync` blocks, `xStream` gives
 * the events with a promise of the `result`. They cannot be overridden: the other forms would not do the same. Extend an
 * agent by options, reply functions, hooks and `io`.
 */
export interface AgentOperations extends Operations<'promise'>, BlockingForms, StreamForms {}

type LastOf<A extends readonly unknown[]> = Required<A> extends readonly [...unknown[], infer L] ? L : never

type Result<T> = T extends Promise<infer R> ? R : never

/** The declaration of an operation: everything that its forms and their checks follow from. */
interface Operation<K extends Name> {
  /** Number of arguments before the options. */
  readonly positional: 0 | 1 | 2
  readonly options: OptionKinds<LastOf<Parameters<Operations<'promise'>[K]>>>
  readonly steps: (
    agent: Agent,
    ...args: Required<Parameters<Operations<'promise'>[K]>>
  ) => Steps<Result<ReturnType<Operations<'promise'>[K]>>>
  /** The steps of the blocking form, where they differ. */
  readonly blockingSteps?: Operation<K>['steps']
}

const OPERATIONS: { readonly [K in Exclude<Name, BuiltInName>]: Operation<K> } = {
  send: {
    positional: 2,
    options: { requestReply: kind.orNull(kind.flag), silent: kind.orNull(kind.flag), ...runOptionKinds },
    steps: (agent, message, recipient, options) => send(namedUnlike(agent, recipient), message, recipient, options),
  },
  receive: {
    positional: 2,
    options: { requestReply: kind.orNull(kind.flag), silent: kind.orNull(kind.flag), ...runOptionKinds },
    steps: (agent, message, sender, options) => receive(namedUnlike(agent, sender), message, sender, options),
  },
  generateReply: {
    positional: 0,
    options: {
      messages: kind.orNull(MESSAGES_KIND),
      sender: kind.orNull(AGENT_KIND),
      exclude: kind.list,
      ...runOptionKinds,
    },
    steps: (agent, options) => generateReply(stateOf(agent), options),
  },
  initiateChat: {
    positional: 1,
    options: CHAT_KINDS,
    steps: (agent, recipient, options) => initiateChat(namedUnlike(agent, recipient), recipient, options),
  },
  initiateChats: {
    positional: 1,
    options: { ...CHAT_MEANS_KINDS, ...runOptionKinds },
    steps: (agent, queue, options) => chatsOf(agent, queue, options, chatsByPrerequisites),
    blockingSteps: (agent, queue, options) => chatsOf(agent, queue, options, chatsInOrder) as Steps<never>,
  },
  run: {
    positional: 1,
    options: {
      tools: { ...kind.object, expected: 'a tool or a list of tools', takes: (value) => typeof value === 'object' },
      maxTurns: kind.orNull(kind.limit(0)),
      maxMessages: kind.limit(1),
      silent: kind.orNull(kind.flag),
      userInput: kind.flag,
      clearHistory: kind.flag,
      conversation: CONVERSATION_KIND,
      msgTo: kind.oneOf('agent', 'user'),
      summaryMethod: kind.any,
      executorKwargs: kind.object,
      ...{ result: { ...kind.either(kind.object, kind.call), expected: 'a schema' }, resultRepairs: kind.whole(0) },
      ...CHAT_MEANS_KINDS,
      ...runOptionKinds,
    },
    steps: runChat,
  },
  getHumanInput: {
    positional: 1,
    options: runOptionKinds,
    steps: (agent, prompt) => humanInput(stateOf(agent), prompt),
  },
  runCode: {
    positional: 1,
    options: {
      lang: kind.text,
      filename: kind.text,
      timeout: kind.positive,
      workDir: kind.text,
      useDocker: kind.either(kind.flag, kind.text),
      ...runOptionKinds,
    },
    steps: (agent, code, options) => runCode(stateOf(agent), code, options),
  },
  executeCodeBlocks: {
    positional: 1,
    options: runOptionKinds,
    steps: (agent, blocks) => executeCodeBlocks(stateOf(agent), blocks),
  },
  executeFunction: {
    positional: 1,
    options: { callId: kind.orNull(kind.text), verbose: kind.flag, ...runOptionKinds },
    steps: (agent, call, options) => executeFunction(stateOf(agent), call, options),
  },
  generateInitMessage: {
    positional: 1,
    options: { carryover: CARRYOVER_KIND, ...runOptionKinds },
    steps: (agent, message, { carryover }) => generateInitMessage(stateOf(agent), message, carryover),
  },
  updateAgentStateBeforeReply: {
    positional: 1,
    options: runOptionKinds,
    steps: (agent, messages) => updateAgentState(stateOf(agent), messages),
  },
  processAllMessagesBeforeReply: {
    positional: 1,
    options: runOptionKinds,
    steps: (agent, messages) => processAllMessages(stateOf(agent), messages),
  },
  processLastReceivedMessage: {
    positional: 1,
    options: runOptionKinds,
    steps: (agent, messages) => processLastReceived(stateOf(agent), messages),
  },
}

/** A built-in reply function that takes no `config` of its own ignores one, as in the Python library. */
const BUILT_IN_KINDS: OptionKinds<AskedReply<unknown>> = {
  messages: kind.orNull(MESSAGES_KIND),
  sender: kind.orNull(AGENT_KIND),
  config: kind.any,
  ...runOptionKinds,
}

/** The agent, which is about to talk with one of another name. */
function namedUnlike(agent: Agent, other: Agent): Agent {
  rejectDuplicateNames(agent, other)
  return agent
}

const STREAM_NAMES: ReadonlySet<string> = new Set<StreamName>(['generateReply', 'initiateChat', 'run'])

/** An operation without its types. */
interface AnyOperation {
  readonly positional: number
  readonly options: OptionKinds<object>
  readonly steps: (agent: Agent, ...args: unknown[]) => Steps<unknown>
  readonly blockingSteps?: AnyOperation['steps']
}

/** The functions that are the forms of an operation; an error shows them by their names. */
function formsOf(name: string, { positional, options: kinds, steps, blockingSteps = steps }: AnyOperation): object {
  const attempt = `run \`${name}\``
  const begin = (agent: Agent, args: unknown[], make: AnyOperation['steps']): Begun => {
    const state = stateOf(agent)
    const options = args[positional] as RunOptions | undefined
    checkOptions(options, kinds, attempt, state.name)
    const all = Array.from({ length: positional }, (_, index) => args[index])
    return { state, options, steps: make(agent, ...all, options ?? {}) }
  }
  return {
    async [name](this: Agent, ...args: unknown[]): Promise<unknown> {
      const { state, options, steps: made } = begin(this, args, steps)
      return await operate(made, state, options)
    },
    [`${name}Sync`](this: Agent, ...args: unknown[]): unknown {
      const { state, options, steps: made } = begin(this, args, blockingSteps)
      checkBlocking(name, options, state.name)
      return operateSync(made, state, options)
    },
    ...(STREAM_NAMES.has(name) && {
      [`${name}Stream`](this: Agent, ...args: unknown[]): EventStream<unknown> {
        const { state, options, steps: made } = begin(this, args, steps)
        return operateStream(made, state, options)
      },
    }),
  }
}

interface Begun {
  readonly state: State
  readonly options: RunOptions | undefined
  readonly steps: Steps<unknown>
}

/** Refuses a signal of the caller's, which could not stop a blocking call. */
function checkBlocking(name: string, options: RunOptions | undefined, agent: string): void {
  // A signal of a run without its `run` ends that run.
  if (options) checkRunOptions(options)
  if (!options?.signal || options.run) return
  throw new XError(
    'invalid-argument',
    `cannot run \`${name}Sync\` of \`${agent}\`: no \`signal\` can stop a blocking call; leave it out, or call \`${name}\``,
  )
}

/** The class behind the interface of the same name: its methods are the forms of the operations that are declared above. */
export abstract class AgentOperations {
  /** The state of the agent, opaque; `internalsOf` of `@x/agent/steps` reads what steps of other packages need of it. */
  abstract readonly '~state': unknown

  static {
    for (const [name, operation] of Object.entries(OPERATIONS)) this.#define(name, operation as unknown as AnyOperation)
    for (const [name, { reply }] of Object.entries(BUILT_INS)) {
      const steps: AnyOperation['steps'] = (agent, options) =>
        askBuiltIn(name as BuiltInName, agent, options as AskedReply)
      this.#define(name, { positional: 0, options: BUILT_IN_KINDS, steps }, reply)
    }
  }

  static #define(name: string, operation: AnyOperation, builtIn?: StepsReply): void {
    for (const [form, value] of Object.entries(formsOf(name, operation))) {
      // Each form names the built-in reply function that it asks.
      if (builtIn) Object.defineProperty(value, BUILT_IN, { value: builtIn })
      Object.defineProperty(this.prototype, form, { value, writable: true, configurable: true })
    }
  }
}

/** Refuses an agent whose class overrides an operation: the other forms of the operation would not do the same. */
export function refuseOverrides(agent: Agent): void {
  for (const name of Object.getOwnPropertyNames(AgentOperations.prototype)) {
    if (name === 'constructor') continue
    const [own, original] = [agent, AgentOperations.prototype] as unknown as readonly Record<string, unknown>[]
    if (own![name] === original![name]) continue
    throw new XError(
      'invalid-argument',
      `\`${agent.constructor.name}\` overrides \`${name}\`, and the other forms of the operation would not do the same: use a reply function, a hook, an option or an \`io\``,
    )
  }
}
