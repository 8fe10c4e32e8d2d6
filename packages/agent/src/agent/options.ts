import type {
  Agent,
  ChatMessage,
  CodeExecutionConfig,
  CodeToVet,
  HistoryView,
  Hooks,
  HumanInputMode,
  Io,
  LlmConfig,
  Logger,
  Reply,
  RunContext,
  RunTracer,
  Tool,
  ToolCallToVet,
  Vet,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { fillTemplate } from '../data/message.ts'
import { REPLY_KIND, VARIABLES_KIND } from '../options/kinds.ts'
import type { MappedFunction } from '../options/operations.ts'
import type { AgentAttributes } from './attributes.ts'
import { llmRemedy } from './model-remedy.ts'

/** Changes an agent before it replies. */
export type StateUpdate =
  | UpdateSystemMessage
  // The type of a method, so that a function may name the class of its agent.
  | {
      call(agent: AgentAttributes, messages: readonly ChatMessage[], context: RunContext): void | PromiseLike<void>
    }['call']

/** Options of an agent. */
export interface ConversableAgentOptions {
  /** Name, unique among those it talks with. */
  name: string
  /** System message of the model; default: `You are a helpful AI Assistant.` */
  systemMessage?: string | undefined
  /** Tells whether a received message ends the chat; default: its content is `TERMINATE`; `UserProxyAgent` has a wider one. */
  isTerminationMsg?: ((message: ChatMessage) => boolean) | undefined
  /** Consecutive auto replies to one other agent; default 100. */
  maxConsecutiveAutoReply?: number | undefined
  /** When a human is asked; default `TERMINATE`. */
  humanInputMode?: HumanInputMode | undefined
  /** Functions that calls of a model can name; each takes one arguments object. */
  functionMap?: Readonly<Record<string, MappedFunction>> | undefined
  /** Where code in received messages runs, and in a `run` that of the agent's own answers; default false: nowhere. */
  codeExecutionConfig?: CodeExecutionConfig | false | undefined
  /** Decides on every call before it is made: allow, ask the human, or deny with a reason that the model sees. */
  beforeToolCall?: Vet<ToolCallToVet> | undefined
  /** Decides on code before it runs, in the same way. */
  beforeCodeExecution?: Vet<CodeToVet> | undefined
  /** The models to ask; default false: none. */
  llmConfig?: LlmConfig | false | undefined
  /** Cuts long conversations for the model, made by `fit` of `@x/history`; default: the model sees all messages. */
  history?: HistoryView | undefined
  /** The reply if no reply function returns a final one; default: an empty text. */
  defaultAutoReply?: Reply | undefined
  /** Description for other agents; default: the system message. */
  description?: string | undefined
  /** Earlier conversations, by counterpart. */
  chatMessages?: ReadonlyMap<Agent, readonly ChatMessage[]> | undefined
  /** True: prints nothing of what the agent does but warnings of money and correctness; default null: the option of each operation decides. */
  silent?: boolean | null | undefined
  /** Values that fill templates of the system message; hooks and tools have them by `getContext` and `setContext` of the agent. */
  contextVariables?: Readonly<Record<string, unknown>> | undefined
  /** Tools to tell the model of; another agent executes them. */
  functions?: Tool | readonly Tool[] | undefined
  /** Functions that change the agent before each reply. */
  updateAgentStateBeforeReply?: StateUpdate | readonly StateUpdate[] | undefined
  /** Where events go and human input comes from; default: the console. */
  io?: Io | undefined
  /** Keeps log records; none are made without it. */
  logger?: Logger | undefined
  /** Follows the operations of the agent that are not part of a run as traces, such as `traceRuns()`; default: none. */
  tracer?: RunTracer | undefined
  /** Gives the time of events, in milliseconds since 1970; default `Date.now`. */
  now?: (() => number) | undefined
}

/** Makes a system message: a template of context variables, as in `Hello {name}`, or a function, whose `context` has them. */
export type SystemMessageUpdater =
  | string
  // The type of a method, so that a function may name the class of its agent.
  | { call(agent: AgentAttributes, messages: readonly ChatMessage[], context: RunContext): string }['call']

/** Renews an agent's system message before each reply. */
export class UpdateSystemMessage {
  readonly contentUpdater: SystemMessageUpdater

  constructor(contentUpdater: SystemMessageUpdater) {
    if (typeof contentUpdater !== 'string' && typeof contentUpdater !== 'function') {
      throw new XError(
        'invalid-argument',
        `a system message is made of a template or a function, not a ${typeof contentUpdater}`,
      )
    }
    this.contentUpdater = contentUpdater
  }

  /** The hook that renews the system message. */
  hook(): Hooks['updateAgentState'] {
    return (agent: AgentAttributes, messages: readonly ChatMessage[], context: RunContext) => {
      const updater = this.contentUpdater
      // The variables of the chat go before those of the agent, null too; a placeholder without a variable stays.
      const valueOf = (name: string): unknown => {
        const shared = context.contextVariables?.get(name)
        return shared === undefined ? agent.getContext(name, `{${name}}`) : shared
      }
      const isText = typeof updater === 'string'
      agent.updateSystemMessage(isText ? fillTemplate(updater, valueOf) : updater(agent, messages, context))
    }
  }
}

/** The kind of a value that makes models, or of false for none. */
const LLM_CONFIG_KIND: OptionKinds<{ llmConfig: LlmConfig | false | null }>['llmConfig'] = {
  ...kind.orNull(kind.either(kind.oneOf(false), kind.having('models', 'createModel'))),
  expected: 'a value of `llmConfig({ providers, configList })` of `@x/model`, or false',
  remedy: (value) => llmRemedy(value),
}

/** Says how to write a limit of tokens, a view without `fit`, or `fit` itself. */
function historyRemedy(value: unknown): string | undefined {
  if (typeof value === 'number') {
    // A small number counts messages.
    const view = value < 200 ? 'limitMessages' : 'limitTokens'
    return `write \`history: fit(${view}(${value}))\`, with \`fit\` and \`${view}\` of \`@x/history\``
  }
  if (typeof value === 'function' || value === true) return 'write `history: fit()`, with `fit` of `@x/history`'
  if (typeof (value as { name?: unknown } | null)?.name !== 'string') return undefined
  return 'put the view into `fit`: give what `fit(…)` of `@x/history` returns, as in `history: fit(limitTokens(8000))`'
}

/** Says how to write instructions that change, and those that are no single text. */
function instructionsRemedy(value: unknown): string | undefined {
  if (typeof value === 'function') {
    return 'for a text that changes, write `updateAgentStateBeforeReply: new UpdateSystemMessage((agent) => …)`, with `UpdateSystemMessage` of `@x/agent`'
  }
  if (Array.isArray(value)) return "give one text, such as `lines.join('\\n')`"
  return typeof (value as { content?: unknown } | null)?.content === 'string'
    ? 'give the `content` of that message alone'
    : undefined
}

/** The kind of a system message. */
const INSTRUCTIONS_KIND: OptionKinds<{ its: string }>['its'] = { ...kind.text, remedy: instructionsRemedy }

const isFunctions = (value: object): boolean => Object.values(value).every((each) => typeof each === 'function')

const FUNCTION_MAP_KIND: OptionKinds<ConversableAgentOptions>['functionMap'] = {
  expected: 'functions by their names, as in { weather: ({ city }) => … }',
  takes: (value) => kind.object.takes(value) && isFunctions(value),
  remedy: (value) =>
    [value, ...Object.values(Object(value) as object)].some(isToolLike)
      ? 'give tools to the agent by `agent.registerForExecution(tool)` or `agent.use(tools)`'
      : undefined,
}

const isToolLike = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'execute' in value && 'parameters' in value

/** Says what makes an executor whose kind was given; what else a config lacks is said with what makes it. */
function executorRemedy(value: unknown): string | undefined {
  const { executor } = Object(value) as { executor?: unknown }
  if (typeof executor !== 'string') return undefined
  const kindOfExecutor = executor === 'docker' ? 'container' : 'auto'
  return `its \`executor\` is a text; write \`{ executor: createCodeExecutor('${kindOfExecutor}') }\`, with \`createCodeExecutor\` of \`@x/exec\``
}

/** Kinds of the options of an agent. */
export const AGENT_OPTION_KINDS: OptionKinds<ConversableAgentOptions> = {
  // A missing or wrong name has a code of its own.
  name: kind.any,
  systemMessage: INSTRUCTIONS_KIND,
  llmConfig: LLM_CONFIG_KIND,
  history: {
    ...kind.having('what `fit(…)` of `@x/history` returns', 'choose', 'noteUsage', 'models', 'save', 'load'),
    remedy: historyRemedy,
  },
  isTerminationMsg: kind.call,
  maxConsecutiveAutoReply: kind.limit(0),
  humanInputMode: kind.oneOf('ALWAYS', 'NEVER', 'TERMINATE'),
  functionMap: FUNCTION_MAP_KIND,
  codeExecutionConfig: {
    expected: 'an object, or false',
    takes: (value) => executorRemedy(value) === undefined,
    remedy: executorRemedy,
  },
  beforeToolCall: kind.call,
  beforeCodeExecution: kind.call,
  defaultAutoReply: REPLY_KIND,
  description: kind.text,
  chatMessages: kind.having('a `Map` of messages by agent', 'get'),
  silent: kind.orNull(kind.flag),
  contextVariables: VARIABLES_KIND,
  functions: { ...kind.either(kind.object, kind.list), expected: 'a tool or a list of tools' },
  updateAgentStateBeforeReply: {
    ...kind.either(kind.call, kind.either(kind.object, kind.list)),
    expected: 'a function, an `UpdateSystemMessage`, or a list of them',
  },
  io: kind.having('an `io` with `send` and `input`', 'send'),
  logger: kind.having('a logger with `log`', 'log'),
  tracer: runOptionKinds.tracer,
  now: kind.call,
}
