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
  Tool,
  ToolCallToVet,
  Vet,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, type OptionKinds } from '@x/kernel/options'
import { fillTemplate } from '../data/message.ts'
import { REPLY_KIND } from '../options/kinds.ts'
import type { MappedFunction } from '../options/operations.ts'
import type { AgentAttributes } from './attributes.ts'

/** Changes an agent before it replies. */
export type StateUpdate =
  | UpdateSystemMessage
  // The type of a method, so that a function may name the class of its agent.
  | { call(agent: AgentAttributes, messages: readonly ChatMessage[]): void | PromiseLike<void> }['call']

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
  /** Where code in received messages runs; default false: nowhere. */
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
  /** True: prints nothing of what the agent sends and does; default null: the option of each operation decides. */
  silent?: boolean | null | undefined
  /** Values that tools, hooks and templates share. */
  contextVariables?: Readonly<Record<string, unknown>> | undefined
  /** Tools to tell the model of; another agent executes them. */
  functions?: Tool | readonly Tool[] | undefined
  /** Functions that change the agent before each reply. */
  updateAgentStateBeforeReply?: StateUpdate | readonly StateUpdate[] | undefined
  /** Where events go and human input comes from; default: the console. */
  io?: Io | undefined
  /** Keeps log records; none are made without it. */
  logger?: Logger | undefined
  /** Gives the time of events, in milliseconds since 1970; default `Date.now`. */
  now?: (() => number) | undefined
}

/** Makes a system message: a template of context variables, as in `Hello {name}`, or a function. */
export type SystemMessageUpdater =
  | string
  // The type of a method, so that a function may name the class of its agent.
  | { call(agent: AgentAttributes, messages: readonly ChatMessage[]): string }['call']

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
    return (agent: AgentAttributes, messages: readonly ChatMessage[], { contextVariables }: RunContext) => {
      const updater = this.contentUpdater
      // The variables of the chat go before those of the agent.
      const valueOf = (name: string): unknown => contextVariables?.get(name) ?? agent.getContext(name)
      agent.updateSystemMessage(typeof updater === 'string' ? fillTemplate(updater, valueOf) : updater(agent, messages))
    }
  }
}

/** The kind of a value that makes models, or of false for none. */
const LLM_CONFIG_KIND: OptionKinds<{ llmConfig: LlmConfig | false | null }>['llmConfig'] = {
  ...kind.orNull(kind.either(kind.oneOf(false), kind.having('models', 'createModel'))),
  expected: 'a value of `llmConfig({ providers, configList })` of `@x/model`, or false',
  remedy: llmRemedy,
}

/** Packages of the providers, by the beginning of the names of their models. */
const MODEL_PROVIDERS: readonly (readonly [models: RegExp, provider: string])[] = [
  [/^claude-/u, 'anthropic'],
  [/^gemini-/u, 'google'],
  [/^(?:gpt|o\d)/u, 'openai'],
]

/** Says how to write a model that was given by its name, by its entry or by a list of entries; `isRef`: where refs are taken. */
export function llmRemedy(value: unknown, isRef = false): string | undefined {
  const given = (Object(value) ?? {}) as { model?: unknown; configList?: unknown; config_list?: unknown }
  const { model = value, config_list: listOfAg2, configList = listOfAg2 } = given
  const first: unknown = Array.isArray(configList) ? (configList as { model?: unknown }[])[0]?.model : model
  if (typeof value !== 'string' && typeof value !== 'object') return undefined
  const name = typeof first === 'string' && /^[a-z][\w.-]{1,40}$/u.test(first) ? first : 'gpt-5'
  const known = MODEL_PROVIDERS.find(([models]) => models.test(name))
  const [shown, provider] = known ? [name, known[1]] : ['…', 'openai']
  const ref = `${provider}('${shown}')`
  const origin = `\`${provider}\` of \`@x/provider-${provider}\``
  return isRef
    ? `write \`model: ${ref}\`, with ${origin}`
    : `write \`llmConfig(${ref})\`, with \`llmConfig\` of \`@x/model\` and ${origin}`
}

const SYSTEM_MESSAGE_REMEDY = 'write `systemMessage`, which is its name here'

/** Says how to give an agent a model that was named by itself. */
const modelRemedy = (value: unknown): string =>
  `an agent takes its models as \`llmConfig\`: ${llmRemedy(value) ?? 'give a value of `llmConfig({ providers, configList })` of `@x/model`'}`

/** Names that other frameworks have for the options of an agent. */
export const FOREIGN_AGENT_WORDS: Readonly<Record<string, string | ((value: unknown) => string)>> = {
  instructions: SYSTEM_MESSAGE_REMEDY,
  instruction: SYSTEM_MESSAGE_REMEDY,
  system: SYSTEM_MESSAGE_REMEDY,
  prompt: SYSTEM_MESSAGE_REMEDY,
  systemPrompt: SYSTEM_MESSAGE_REMEDY,
  system_prompt: SYSTEM_MESSAGE_REMEDY,
  model: modelRemedy,
  llm: modelRemedy,
  tools:
    'give them to the agent, as in `new AssistantAgent({ … }).use(tools)`, or to one question, as in `agent.run(question, { tools })`',
  memory:
    'write `history: fit()`, with `fit` of `@x/history`, to keep long conversations inside the window of the model',
  handoffs:
    'write them at the member of a group, as in `{ agent, handoffs: [{ to, when }] }` of a pattern of `@x/group`',
}

/** Says how to write a limit of tokens. */
function historyRemedy(value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  return `write \`history: fit(limitTokens(${value}))\`, with \`fit\` and \`limitTokens\` of \`@x/history\``
}

/** Kinds of the options of an agent. */
export const AGENT_OPTION_KINDS: OptionKinds<ConversableAgentOptions> = {
  // A missing or wrong name has a code of its own.
  name: kind.any,
  systemMessage: kind.text,
  llmConfig: LLM_CONFIG_KIND,
  history: {
    ...kind.having('what `fit(…)` of `@x/history` returns', 'choose', 'noteUsage'),
    remedy: historyRemedy,
  },
  isTerminationMsg: kind.call,
  maxConsecutiveAutoReply: kind.limit(0),
  humanInputMode: kind.oneOf('ALWAYS', 'NEVER', 'TERMINATE'),
  functionMap: kind.object,
  // What it lacks is said with what makes it.
  codeExecutionConfig: kind.any,
  beforeToolCall: kind.call,
  beforeCodeExecution: kind.call,
  defaultAutoReply: REPLY_KIND,
  description: kind.text,
  chatMessages: kind.having('a `Map` of messages by agent', 'get'),
  silent: kind.orNull(kind.flag),
  contextVariables: kind.object,
  functions: { ...kind.either(kind.object, kind.list), expected: 'a tool or a list of tools' },
  updateAgentStateBeforeReply: kind.either(kind.call, kind.either(kind.object, kind.list)),
  io: kind.having('an `io` with `send` and `input`', 'send'),
  logger: kind.having('a logger with `log`', 'log'),
  now: kind.call,
}
