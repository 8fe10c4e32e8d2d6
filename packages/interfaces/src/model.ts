import type { ModelResponse } from './answer.ts'
import type { ConfigEntry } from './config-entry.ts'
import type { EmbedRequest, EmbedResponse } from './embedding.ts'
import type { Io } from './io.ts'
import type { JsonSchema } from './json.ts'
import type { Logger } from './log-record.ts'
import type { ChatMessage } from './message.ts'
import type { ModelEvent } from './model-event.ts'
import type { ModelClient, ModelLimits } from './provider.ts'
import type { RunOptions } from './run.ts'
import type { ToolSchema } from './tool.ts'
import type { UsageMode, UsageSummary } from './usage.ts'

/** Filter for the entries of a config list. */
export interface ConfigFilter {
  /** Keeps entries of these models. */
  model?: string | readonly string[] | undefined
  /** Keeps entries with at least one of these labels. */
  tags?: string | readonly string[] | undefined
}

/** An immutable description of the models an agent may use, in order of preference. */
export interface LlmConfig {
  /** The plain configuration. */
  readonly config: Readonly<ConfigEntry> & { readonly configList?: readonly ConfigEntry[] | undefined }
  /** Returns a copy with some keys changed; `undefined` removes a key. */
  with(changes: ConfigEntry): LlmConfig
  /** Returns a copy with only the entries that match. */
  where(filter: ConfigFilter): LlmConfig
  /** Creates a model; with `replaces` it takes over the usage and the clients of that model. */
  createModel(options?: { io?: Io | undefined; logger?: Logger | undefined; replaces?: Model | undefined }): Model
}

/** One request: the messages, request parameters in the wire's names, and options of the wrapper. */
export interface ModelRequest extends Omit<ConfigEntry, 'messages'> {
  messages: readonly ChatMessage[]
  /** Name of the agent that asks, for the log. */
  agent?: string | undefined
  /** Number that tells equal requests apart; it is part of the cache key and never sent. */
  sample?: number | undefined
  /** Schema of the answer; sent as `response_format` to models that are known to support it. */
  answerSchema?: JsonSchema | undefined
  /** Tools of this request, after those of the config, which a request cannot replace. */
  moreTools?: readonly ToolSchema[] | undefined
}

/** A class whose instances are model clients; its name is the `modelClientCls` of a config entry. */
export type ModelClientClass = new (config: ConfigEntry, options?: Record<string, unknown>) => ModelClient

/** A model as agents use it: several configs behind one call. */
export interface Model {
  /** Asks the configs in order and returns the first accepted answer. */
  create(request: ModelRequest, options?: RunOptions): Promise<ModelResponse>
  /** The same, blocking. */
  createSync(request: ModelRequest, options?: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): ModelResponse
  /** The same, as a stream of events that returns the response. */
  createStream(request: ModelRequest, options?: RunOptions): AsyncGenerator<ModelEvent, ModelResponse>
  /** Counts the input tokens of a request by the first config whose provider supports it, without an answer and free of charge. */
  countTokens?(request: ModelRequest, options?: RunOptions): Promise<TokenCount>
  /** The same, blocking. */
  countTokensSync?(request: ModelRequest, options?: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): TokenCount
  /** The same, as a stream of events that returns the count. */
  countTokensStream?(request: ModelRequest, options?: RunOptions): AsyncGenerator<ModelEvent, TokenCount>
  /** Returns a vector for each text of a request, by the first config that answers; texts that a cache has are not sent. */
  embed?(request: EmbedRequest, options?: RunOptions): Promise<EmbedResponse>
  /** The same, blocking. */
  embedSync?(request: EmbedRequest, options?: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>): EmbedResponse
  /** The same, as a stream of events that returns the response. */
  embedStream?(request: EmbedRequest, options?: RunOptions): AsyncGenerator<ModelEvent, EmbedResponse>
  /**
   * Hands requests in as one batch of the first config whose provider has batches, and waits for the results, within hours and
   * at a part of the price. Each request has a result of its own, in their order. With a journaled `run`, a process that goes on
   * waits for the batch that an earlier one has handed in.
   */
  batch?(requests: readonly ModelRequest[], options?: BatchOptions): Promise<BatchResult[]>
  /**
   * Returns the smallest context window and the smallest maximum output of the configs, so that a history that fits into them
   * fits every config; a config with unknown limits does not count. `model` is the model of configs that name none.
   */
  limitsOf?(request?: { readonly model?: string | null | undefined }): ModelLimits
  /**
   * Returns what each config would send beside the messages: its model, provider and endpoint, the parameters in the names of
   * the wire, the tools; no secret. Equal requests of one model get the same list.
   */
  settingsOf?(request: ModelRequest): readonly Readonly<Record<string, unknown>>[]
  /** True if a call tells each of its attempts as a span; a trace then needs no span of the call. Default false. */
  readonly tellsAttempts?: boolean | undefined
  /** Model names of the configs, in order; configs without a model are left out. */
  readonly modelNames?: readonly string[] | undefined
  /** Registers a client class for the config entries that name it. */
  registerModelClient(cls: ModelClientClass, options?: Record<string, unknown>): void
  /** Usage of paid calls; null before the first. */
  readonly actualUsageSummary: UsageSummary | null
  /** Usage including cache hits; null before the first call. */
  readonly totalUsageSummary: UsageSummary | null
  /** Sends the usage to the `io`. */
  printUsageSummary(mode?: UsageMode | readonly UsageMode[]): void
  /** Resets usage. */
  clearUsageSummary(): void
  /** Adds usage from elsewhere to the summaries, such as that of a saved chat. */
  restoreUsage?(usage: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }): void
}

/** Options of a batch. */
export interface BatchOptions extends Pick<RunOptions, 'run'> {
  /** Cancels the batch at its provider. Without it, a run that is stopped cancels its batch only if no journal keeps it. */
  readonly signal?: AbortSignal | undefined
  /**
   * Waits some seconds; pass the `sleep` of a hosted chat, so that no worker waits. If it fails with `aborted`, the batch is
   * cancelled. Default: a timer of this process.
   */
  readonly sleep?: ((seconds: number) => Promise<void>) | undefined
}

/** The result of one request of a batch: its response, or the error of a request without an answer, such as an expired one. */
export type BatchResult =
  | { readonly response: ModelResponse; readonly error: null }
  | { readonly response: null; readonly error: Error }

/** The tokens of a request, counted by the provider before an answer. */
export interface TokenCount {
  /** Input tokens of the messages, the tools and everything else in the request. */
  readonly promptTokens: number
  /** Model that the tokens are for. */
  readonly model: string
  /** Index of the config that counted. */
  readonly configId: number
}
