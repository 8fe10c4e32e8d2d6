import type { ConfigEntry } from './config-entry.ts'
import type { JsonSchema } from './json.ts'
import type { ChatMessage } from './message.ts'
import type { ModelClient } from './model-client.ts'
import type { ModelEvent } from './model-event.ts'
import type { ModelLimits } from './model-limits.ts'
import type { ModelResponse } from './model-response.ts'
import type { RunOptions } from './run.ts'
import type { ToolSchema } from './tool.ts'
import type { TokenCount } from './token-count.ts'
import type { UsageMode, UsageSummary } from './usage.ts'

/** One request: the messages, request parameters in the wire's names, and what steers the wrapper. */
export interface ModelRequest extends Omit<ConfigEntry, 'messages'> {
  messages: readonly ChatMessage[]
  /** Name of the agent that asks, for the log. */
  agent?: string | undefined
  /** Tells equal questions apart: part of the cache key, never sent. */
  sample?: number | undefined
  /** Shape that the answer should have: sent as `response_format` to models that are known to take one. */
  answerSchema?: JsonSchema | undefined
  /** Tools of this request alone, behind those of the config, which a request cannot replace. */
  moreTools?: readonly ToolSchema[] | undefined
}

/** A class whose instances are model clients; its name is the `modelClientCls` of a config entry. */
export type ModelClientClass = new (config: ConfigEntry, options?: Record<string, unknown>) => ModelClient

/** A model as agents see it: several configs behind one call. */
export interface Model {
  /** Asks the configs in order and gives the first accepted answer. */
  create(request: ModelRequest, options?: RunOptions): Promise<ModelResponse>
  /** The same, blocking. */
  createSync(request: ModelRequest, options?: Pick<RunOptions, 'run' | 'emit'>): ModelResponse
  /** The same, as a stream of events that returns the response. */
  createStream(request: ModelRequest, options?: RunOptions): AsyncGenerator<ModelEvent, ModelResponse>
  /** Counts the input tokens of a request, by the first config whose provider can; nothing is answered and nothing is paid. */
  countTokens?(request: ModelRequest, options?: RunOptions): Promise<TokenCount>
  /** The same, blocking. */
  countTokensSync?(request: ModelRequest, options?: Pick<RunOptions, 'run' | 'emit'>): TokenCount
  /** The same, as a stream of events that returns the count. */
  countTokensStream?(request: ModelRequest, options?: RunOptions): AsyncGenerator<ModelEvent, TokenCount>
  /**
   * Returns the least window and the least maximum output of the configs that may answer, so that a history that fits into
   * them fits everywhere; a config whose limits are unknown does not count. A request may name the `model` for configs
   * without one.
   */
  limitsOf?(request?: { readonly model?: string | null | undefined }): ModelLimits
  /** Names of the models of the configs, in their order; configs without one are left out. */
  readonly modelNames?: readonly string[] | undefined
  /** Gives a class of one's own to the config entries that wait for it. */
  registerModelClient(cls: ModelClientClass, options?: Record<string, unknown>): void
  /** Usage of the calls that were really made; null before the first. */
  readonly actualUsageSummary: UsageSummary | null
  /** Usage including cache hits; null before the first call. */
  readonly totalUsageSummary: UsageSummary | null
  /** Sends the usage to the `io`. */
  printUsageSummary(mode?: UsageMode | readonly UsageMode[]): void
  /** Forgets all usage. */
  clearUsageSummary(): void
  /** Adds usage that was paid for elsewhere, as by the process that saved a chat, to the summaries. */
  restoreUsage?(usage: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }): void
}
