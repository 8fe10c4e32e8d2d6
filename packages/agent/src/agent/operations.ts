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
  SteeringSource,
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
  FOREIGN_CHAT_WORDS,
  CHAT_MEANS_KINDS,
  rejectDuplicateNames,
} from '../chat/chat-options.ts'
import { chatsByPrerequisites, chatsInOrder, chatsOf } from '../chat/queue.steps.ts'
import { type RunStream, runStreamOf } from '../chat/run-stream.ts'
import type { RunResult } from '../chat/run-result.ts'
import { RunPromise } from '../chat/run-promise.ts'
import { runAgent } from '../chat/run.steps.ts'
import type { OutputOf, Parameters as Schema } from '../data/parameters.ts'
import { humanInput } from '../human/ask-human.steps.ts'
import { type State, stateOf } from '../memory/state.ts'
import { FOREIGN_RUN_WORDS } from './foreign-words.ts'
import { AGENT_KIND, type ForeignWords, JOURNAL_KIND, MESSAGES_KIND } from '../options/kinds.ts'
import {
  type Ag2RunOptions,
  type AskedReply,
  BUILT_IN,
  type ChatMeans,
  type ExecuteFunctionOptions,
  type FunctionOutcome,
  type GenerateReplyOptions,
  type ResultOptions,
  type RunChatOptions,
  type StepsReply,
} from '../options/operations.ts'
import { askBuiltIn, BUILT_INS, type BuiltInConfigs, type BuiltInName } from '../reply/built-in.steps.ts'
import { executeCodeBlocks, runCode } from '../reply/code.steps.ts'
import { processAllMessages, processLastReceived, updateAgentState } from '../reply/hooks.steps.ts'
import { generateReply } from '../reply/reply.steps.ts'
import { executeFunction } from '../reply/tools.steps.ts'
import { operate, operateStream, operateSync } from '../run/operate.ts'
import { endSteeringOf, type Steerable, Steering } from '../run/steering.ts'

/*
 * The asynchronous operations of an agent, each declared once. To add one:
 *
 * 1. declare its signature in `Operations`, with `In<F, …>` for the result and `For<F, …>` for the options;
 * 2. add its entry to `OPERATIONS`: the number of arguments before the options, the kinds of the options, and the steps;
 * 3. for an `…Stream` form, add its name to `STREAM_NAMES`.
 *
 * The methods `x`, `xSync` and `xStream`, with their checks and error texts, follow from that. A built-in reply function
 * becomes an operation by its entries in `BuiltInConfigs` and `BUILT_INS` of `../reply/built-in.steps.ts` alone.
 */

/** The form of an operation: `x` returns a promise, `xSync` blocks, `xStream` returns the events. */
type Form = 'promise' | 'blocking' | 'stream'

/** The result of an operation in a form. */
type In<F extends Form, T> = F extends 'promise' ? PromiseOf<T> : F extends 'blocking' ? T : StreamOf<T>

type PromiseOf<T> = [T] extends [RunResult<unknown>] ? Promise<T> & Steerable : Promise<T>

type StreamOf<T> = [T] extends [RunResult<unknown>] ? RunStream<T> : EventStream<T>

/** The options of an operation in a form: no signal stops a blocking call. */
type For<F extends Form, O> = F extends 'blocking' ? Omit<O, 'signal'> : O

/** The asynchronous operations of an agent in one form, by their signatures; {@link OPERATIONS} has their steps. */
interface Operations<F extends Form> extends BuiltInOperations<F> {
  /** Sends a message and, as long as replies are wanted, exchanges further messages. */
  send(message: Reply, recipient: Agent, options?: For<F, SendOptions>): In<F, void>
  /** Receives a message and, as long as replies are wanted, exchanges further messages. */
  receive(message: Reply, sender: Agent, options?: For<F, SendOptions>): In<F, void>
  /**
   * Asks the reply functions in order; returns the reply, or null to end the chat. The blocking form skips asynchronous
   * reply functions.
   */
  generateReply(options: For<F, GenerateReplyOptions>): In<F, Reply | null>
  /**
   * Holds a chat of two, from its first message to its summary and cost. The blocking form is refused with `async-in-sync`
   * if a reply function of the two is asynchronous.
   */
  initiateChat(recipient: Agent, options?: For<F, ChatOptions>): In<F, ChatResult>
  /**
   * Holds chats by `chatId`, each as soon as its `prerequisites` have ended. The blocking form holds them one after the
   * other, each with the summaries of the earlier ones, and returns a list.
   */
  initiateChats(
    queue: readonly QueuedChat[],
    options?: For<F, RunOptions & ChatMeans>,
  ): In<F, F extends 'blocking' ? ChatResult[] : Map<number, ChatResult>>
  /**
   * Asks the agent, and executes the tools that it calls until it has answered. The question is a text, a message, or a list
   * of messages that ends with it; of what a page sends, take a text alone, since messages speak for the system and for tools
   * too. Unless its options say so, a run knows nothing of other runs, asks nobody and prints nothing; one that needs a
   * decision ends as `suspended`, with what is `pending` and the `journal` to go on with. With a `result`, the answer is
   * checked against that schema; after `resultRepairs` failed repairs the run fails with `invalid-result`. With `...ag2Run`
   * it is the `run` of the Python library, and gives a chat.
   */
  run<P extends Schema | undefined = undefined, S extends 'ag2' | undefined = undefined>(
    message: Question,
    options?: AskOptions<P, S> & For<F, RunOptions>,
  ): In<F, Asked<P, S>>
  /** Asks the human and keeps the answer. */
  getHumanInput(prompt: string, options?: For<F, RunOptions>): In<F, string>
  /** Runs a piece of code with the code runner. */
  runCode(code: string, options?: For<F, RunCodeOptions>): In<F, [exitCode: number, logs: string, image: string | null]>
  /** Runs code blocks in order and stops at the first that fails. */
  executeCodeBlocks(blocks: readonly CodeBlock[], options?: For<F, RunOptions>): In<F, [number, string]>
  /** Calls a function of the function map. An error is returned as the content. */
  executeFunction(
    call: Partial<FunctionCall>,
    options?: ExecuteFunctionOptions & For<F, RunOptions>,
  ): In<F, FunctionOutcome>
  /** Returns a first message with its carryover. For a null message the human is asked. */
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

/** The options of a run by the schema of its result and by its style. One signature, so that a mistake is told where it is. */
interface AskOptions<P, S> extends RunChatOptions, Partial<ResultOptions<P>> {
  readonly style?: S
  /** Only with `...ag2Run`. */
  readonly msgTo?: S extends 'ag2' ? Ag2RunOptions['msgTo'] : undefined
  /** Only with `...ag2Run`. */
  readonly summaryMethod?: S extends 'ag2' ? Ag2RunOptions['summaryMethod'] : undefined
}

/** The result of a run by the schema of its result and by its style. */
type Asked<P, S> = S extends 'ag2'
  ? P extends Schema
    ? ChatResult & { readonly result: OutputOf<P> }
    : ChatResult
  : RunResult<P extends Schema ? OutputOf<P> : null>

/** The question of a run: a text, a message, or messages of which the last one is the question. */
type Question = Reply | readonly ChatMessage[]

type BuiltInOperations<F extends Form> = {
  [K in BuiltInName]: (options?: For<F, AskedReply<BuiltInConfigs[K]>>) => In<F, ReplyOutcome>
}

type Name = keyof Operations<'promise'>

/** Names of the operations that have a form as a stream. */
const STREAM_NAMES = ['generateReply', 'initiateChat', 'run'] as const

type StreamName = (typeof STREAM_NAMES)[number]

type BlockingForms = { [K in Name as `${K}Sync`]: Operations<'blocking'>[K] }

type StreamForms = { [K in StreamName as `${K}Stream`]: Operations<'stream'>[K] }

/**
 * The asynchronous operations of an agent, each in up to three forms: `x` returns a promise, `xSync` blocks, `xStream`
 * returns the events with a promise of the `result`. They cannot be overridden, since the other forms would differ. Extend
 * an agent by options, reply functions, hooks and `io`.
 */
export interface AgentOperations extends Operations<'promise'>, BlockingForms, StreamForms {}

type LastOf<A extends readonly unknown[]> = Required<A> extends readonly [...unknown[], infer L] ? L : never

type Result<T> = T extends Promise<infer R> ? R : never

/** The declaration of an operation, from which all forms and checks follow. */
interface Operation<K extends Name> {
  /** Number of arguments before the options. */
  readonly positional: 0 | 1 | 2
  readonly options: OptionKinds<LastOf<Parameters<Operations<'promise'>[K]>>>
  readonly steps: (
    agent: Agent,
    ...args: Required<Parameters<Operations<'promise'>[K]>>
  ) => Steps<Result<ReturnType<Operations<'promise'>[K]>>>
  /** The steps of the blocking form, if they differ. */
  readonly blockingSteps?: Operation<K>['steps']
  /** Words that other frameworks have for the options. */
  readonly foreignWords?: ForeignWords
}

/** Kinds of the options of a run, those of the Python library's included. */
const RUN_KINDS: OptionKinds<Partial<Ag2RunOptions> & Partial<ResultOptions<Schema>> & RunOptions> = {
  tools: { ...kind.object, expected: 'a tool or a list of tools', takes: (value) => typeof value === 'object' },
  maxTurns: kind.orNull(kind.limit(0)),
  maxMessages: kind.limit(1),
  silent: kind.orNull(kind.flag),
  userInput: {
    ...kind.flag,
    remedy: (value) => (typeof value === 'function' ? 'write `true`, and give the agent an `io` that asks' : undefined),
  },
  clearHistory: kind.flag,
  conversation: CONVERSATION_KIND,
  style: { ...kind.oneOf('ag2'), isQuiet: true },
  msgTo: { ...kind.oneOf('agent', 'user'), isQuiet: true },
  summaryMethod: { ...kind.any, isQuiet: true },
  executorKwargs: kind.object,
  result: { ...kind.either(kind.object, kind.call), expected: 'a schema' },
  resultRepairs: kind.whole(0),
  ...CHAT_MEANS_KINDS,
  journal: kind.orNull(JOURNAL_KIND),
  ...runOptionKinds,
}

/** The declarations of all operations but the built-in reply functions. */
const OPERATIONS: { readonly [K in Exclude<Name, BuiltInName>]: Operation<K> } = {
  send: {
    positional: 2,
    options: { requestReply: kind.orNull(kind.flag), silent: kind.orNull(kind.flag), ...runOptionKinds },
    steps: (agent, message, recipient, options) =>
      send(withOther(agent, recipient, 'send'), message, recipient, options),
  },
  receive: {
    positional: 2,
    options: { requestReply: kind.orNull(kind.flag), silent: kind.orNull(kind.flag), ...runOptionKinds },
    steps: (agent, message, sender, options) => receive(withOther(agent, sender, 'receive'), message, sender, options),
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
    foreignWords: FOREIGN_CHAT_WORDS,
    steps: (agent, recipient, options) => initiateChat(withOther(agent, recipient), recipient, options),
  },
  initiateChats: {
    positional: 1,
    options: { ...CHAT_MEANS_KINDS, ...runOptionKinds },
    steps: (agent, queue, options) => chatsOf(agent, queue, options, chatsByPrerequisites),
    blockingSteps: (agent, queue, options) => chatsOf(agent, queue, options, chatsInOrder) as Steps<never>,
  },
  run: {
    positional: 1,
    options: RUN_KINDS,
    foreignWords: FOREIGN_RUN_WORDS,
    steps: (agent, message, options) => runAgent(agent, message, options),
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

/** Kinds of the options of the built-in reply functions. Those without a `config` ignore one, as in the Python library. */
const BUILT_IN_KINDS: OptionKinds<AskedReply<unknown>> = {
  messages: kind.orNull(MESSAGES_KIND),
  sender: kind.orNull(AGENT_KIND),
  config: kind.any,
  ...runOptionKinds,
}

/** Returns an agent after the check that its counterpart has another name, and is an agent where no other check follows. */
function withOther(agent: Agent, other: Agent | undefined, operation?: 'send' | 'receive'): Agent {
  if (operation && !(other && stateOf(other))) {
    const role = operation === 'send' ? 'recipient' : 'sender'
    throw new XError(
      'invalid-argument',
      `cannot run \`${operation}\` of \`${agent.name}\`: its ${role} ${other ? 'is not an agent' : 'is missing'}; give the other agent behind the message, or ask this one with \`${agent.name}.run(question)\``,
    )
  }
  rejectDuplicateNames(agent, other)
  return agent
}

/** An operation without its types. */
interface AnyOperation {
  readonly positional: number
  readonly options: OptionKinds<object>
  readonly steps: (agent: Agent, ...args: unknown[]) => Steps<unknown>
  readonly blockingSteps?: AnyOperation['steps']
  readonly foreignWords?: ForeignWords
}

/** Makes the methods of an operation, one for each form. Their names are computed, so that stack traces show them. */
function formsOf(name: string, operation: AnyOperation): object {
  const { positional, options: kinds, steps, blockingSteps = steps, foreignWords } = operation
  const attempt = `run \`${name}\``
  const begin = (agent: Agent, args: unknown[], makeSteps: AnyOperation['steps']): BegunOperation => {
    const state = stateOf(agent)
    const options = args[positional] as RunOptions | undefined
    if (foreignWords) checkOptions(options, kinds, `${attempt} of \`${state.name}\``, foreignWords)
    else checkOptions(options, kinds, attempt, state.name)
    const positionalArgs = Array.from({ length: positional }, (_, index) => args[index])
    return { state, options, steps: makeSteps(agent, ...positionalArgs, options ?? {}) }
  }
  const asPromise = {
    async [name](this: Agent, ...args: unknown[]): Promise<unknown> {
      const { state, options, steps: made } = begin(this, args, steps)
      return await operate(made, state, options)
    },
  }
  return {
    ...asPromise,
    ...(name === 'run' && {
      run(this: Agent, ...args: unknown[]): Promise<unknown> {
        const { steering, args: steered } = withSteering(args, positional)
        return RunPromise.of(asPromise[name]!.apply(this, steered), stateOf(this), steering)
      },
    }),
    [`${name}Sync`](this: Agent, ...args: unknown[]): unknown {
      const { state, options, steps: made } = begin(this, args, blockingSteps)
      checkBlocking(name, options, state.name)
      return operateSync(made, state, options)
    },
    ...(STREAM_NAMES.some((each) => each === name) && {
      [`${name}Stream`](this: Agent, ...args: unknown[]): EventStream<unknown> {
        const { steering, args: given } =
          name === 'run' ? withSteering(args, positional) : { steering: undefined, args }
        const { state, options, steps: made } = begin(this, given, steps)
        const stream = operateStream(made, state, options)
        if (!steering) return stream
        endSteeringOf(stream, steering)
        return runStreamOf(stream, state.name, steering)
      },
    }),
  }
}

/** Gives a run what steers it, unless its options have that. Options that are none are refused later. */
function withSteering(
  args: readonly unknown[],
  at: number,
): { readonly steering: SteeringSource; readonly args: unknown[] } {
  const options = args[at]
  const given = (options as { readonly steering?: SteeringSource } | null | undefined)?.steering
  const steering = given ?? new Steering()
  const isReplaced = options === undefined || (typeof options === 'object' && options !== null && !given)
  const own = Array.from({ length: Math.max(args.length, at + 1) }, (_, index) => args[index])
  if (isReplaced) own[at] = { ...options, steering }
  return { steering, args: own }
}

/** A call of an operation after the check of its options. */
interface BegunOperation {
  readonly state: State
  readonly options: RunOptions | undefined
  readonly steps: Steps<unknown>
}

/** Refuses a `signal` without a `run`: it could not stop a blocking call. */
function checkBlocking(name: string, options: RunOptions | undefined, agent: string): void {
  // The signal of a run, passed without the `run`, ends that run here.
  if (options) checkRunOptions(options)
  if (!options?.signal || options.run) return
  throw new XError(
    'invalid-argument',
    `cannot run \`${name}Sync\` of \`${agent}\`: no \`signal\` can stop a blocking call; leave it out, or call \`${name}\``,
  )
}

/** The class with the methods of the interface above: all forms of all operations, made when the module is loaded. */
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
      // Lets `registerReply` and `replaceReplyFunc` take the method for the built-in reply function.
      if (builtIn) Object.defineProperty(value, BUILT_IN, { value: builtIn })
      Object.defineProperty(this.prototype, form, { value, writable: true, configurable: true })
    }
  }
}

/** Names of the forms of all operations. */
const FORM_NAMES: readonly string[] = Object.getOwnPropertyNames(AgentOperations.prototype).filter(
  (name) => name !== 'constructor',
)

/** Refuses an agent that overrides an operation: the other forms of the operation would differ. */
export function refuseOverrides(agent: Agent): void {
  const actual = agent as unknown as Readonly<Record<string, unknown>>
  const original = AgentOperations.prototype as unknown as typeof actual
  for (const name of FORM_NAMES) {
    if (actual[name] === original[name]) continue
    throw new XError(
      'invalid-argument',
      `\`${agent.constructor.name}\` overrides \`${name}\`, and the other forms of the operation would not do the same: use a reply function, a hook, an option or an \`io\``,
    )
  }
}
