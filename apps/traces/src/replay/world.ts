import type {
  Agent,
  CacheStore,
  ChatMessage,
  CodeReader,
  ConfigEntry,
  Io,
  JsonSchema,
  LlmConfig,
  Logger,
  Model,
  ModelAnswer,
  Provider,
  Tool,
} from '@x/interfaces'

/** The parts of the framework that traces are replayed on; only interfaces are known of them. */
export interface World {
  /** Classes of agents by name; `Agent` is the one every agent is an instance of. */
  readonly agents: Readonly<Record<string, AgentClass>>
  /** Makes a tool. */
  readonly tool: (definition: ToolDefinition) => Tool
  /** Makes the configuration of an agent's model. */
  readonly llmConfig: (options: ConfigOptions) => LlmConfig
  readonly ModelWrapper: WrapperClass
  /** The operations that stand alone, by name: `initiateChats`, `initiateChatsSync`, … */
  readonly functions: object
  /** What an agent has in common with each of its counterparts. */
  readonly conversations: (agent: Agent) => Iterable<Conversation>
  /** Read code out of messages for an executor and for `run_code`; default: one that knows fences and no more. */
  readonly codeReaders?: { readonly executor: CodeReader; readonly runner: CodeReader } | undefined
  /** Group chats; without them the traces of `groups/` cannot be replayed. */
  readonly groups?: Groups | undefined
  /** Trees of thoughts; without it the traces of `reasoning/` cannot be replayed. */
  readonly reasoning?: Reasoning | undefined
}

/** A class of agents. */
export type AgentClass = abstract new (options: never) => Agent

/** A tool before it is made. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly execute: Tool<Record<string, unknown>>['execute']
}

/** Options of the configuration of a model. */
export interface ConfigOptions extends ConfigEntry {
  readonly configList: readonly ConfigEntry[]
  readonly providers: readonly Provider[]
  /** Makes the cache of a seed. */
  readonly defaultCache: (seed: number) => CacheStore
}

/** Options of a wrapper. */
export interface WrapperOptions extends ConfigOptions {
  readonly io: Io
  readonly logger?: Logger | undefined
}

/** The class of the model wrapper. */
export interface WrapperClass {
  new (options: WrapperOptions): Model
  instantiate(template: unknown, context: unknown, allowFormatStrTemplate?: unknown): unknown
  extractTextOrCompletionObject(response: ModelAnswer): string[] | ChatMessage[]
}

/** One counterpart of an agent. */
export interface Conversation {
  /** Null: messages without a sender. */
  readonly counterpart: Agent | null
  readonly messages: readonly ChatMessage[]
  /** Consecutive auto replies. */
  readonly autoReplies: number
}

/** Functions and classes for the traces of `groups/`; the class of managers is among the agents. */
export interface Groups {
  /** Makes a group. */
  create(options: Readonly<Record<string, unknown>>): GroupChat
  /** Our wordings, by the names of the reference; `{roles}` and `{agentlist}` stand for what is filled in. */
  readonly wordings: Readonly<Record<string, string>>
}

/** A group. */
export interface GroupChat {
  readonly agents: readonly Agent[]
  readonly messages: readonly ChatMessage[]
}

/** Functions and classes for the traces of `reasoning/`. */
export interface Reasoning {
  /** Makes the last node of a path of contents that begins at the root. */
  node(path: readonly string[], facts: { value?: number; ratingDetails?: string }): RatedNode
  /** The root of an agent's last search, as plain data. */
  root(agent: Agent): object | null
}

/** A node of a tree of thoughts. */
export interface RatedNode {
  readonly ratingDetails: string
}
