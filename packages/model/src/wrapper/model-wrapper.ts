import type {
  BatchOptions,
  BatchResult,
  CacheStore,
  ChatMessage,
  ConfigEntry,
  EmbedRequest,
  EmbedResponse,
  EventEnvelope,
  EventStream,
  Io,
  Logger,
  Model,
  ModelAnswer,
  ModelClient,
  ModelClientClass,
  ModelEvent,
  ModelLimits,
  ModelRef,
  ModelResponse,
  Provider,
  RunOptions,
  RunScope,
  TokenCount,
  UsageMode,
  UsageSummary,
} from '@x/interfaces'
import { runAsync, runStream, runSync, type Steps, XError } from '@x/kernel'
import { guardSecrets } from '@x/kernel/redact'
import { SIGNAL_OF_RUN } from '@x/kernel/options'
import { scopeOf } from '@x/kernel/run'
import { askBatch } from '../call/batch.ts'
import { countTokens } from '../call/count-tokens.steps.ts'
import { create } from '../call/create.steps.ts'
import { embed } from '../call/embed.steps.ts'
import { CallMemory, type ModelRuntime, sendToIo, type WrapperParts, type WrapperPlan } from '../call/wrapper-parts.ts'
import { createSharedClients } from '../clients/shared-clients.ts'
import { CLIENT_KEYS, EXTRA_KEYS } from '../config/config-keys.ts'
import { type OwnClients, type Slot, slotsOf } from '../config/slot.ts'
import { sameValue } from '../data/plain-data.ts'
import { agentOf, type WrapperRequest } from '../request/check-request.ts'
import { instantiate } from '../request/instantiate.ts'
import { type RequestSettings, SettingsReader } from '../request/settings.ts'
import type { LedgerRow } from '../usage/ledger-rows.ts'
import { checkBlockingCall, checkCall, checkWrapperOptions, warnOfTimeouts } from './check-options.ts'
import { consoleIo } from './console-io.ts'

/** Options of a `ModelWrapper`, beside request parameters and wrapper options for all entries. */
export interface ModelWrapperOptions extends ConfigEntry {
  /** Configs in order of preference, as entries or refs; each overrides the base config. */
  configList?: readonly (ConfigEntry | ModelRef)[] | null | undefined
  /** Adapters; an entry selects one by its `apiType`. A `ModelRef` brings its own. */
  providers?: readonly Provider[] | undefined
  /** Receives warnings and summaries; default: the console. */
  io?: Io | undefined
  /** Receives log records; default: no records. */
  logger?: Logger | null | undefined
  /** Makes the cache of a seed; default: in memory and in `.cache/<seed>` on disk. */
  defaultCache?: ((seed: number) => CacheStore) | undefined
  /** Source of time and ids. */
  runtime?: Partial<ModelRuntime> | undefined
}

/** The parts that an `llmConfig` passes to the wrappers that it makes. */
export interface WrapperOrigin {
  readonly plan: WrapperPlan
  /** The config, for the log. */
  readonly config: Readonly<ConfigEntry>
  /** The model that the new wrapper replaces. */
  readonly replaces?: Model | undefined
}

/** Options of a blocking call. */
type BlockingOptions = Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>

/** Number of wrappers so far, for `wrapperId`, without the one that is kept. */
let wrapperCount = -1

/** One model made of an ordered list of configs, with failover, filter, cache, usage and cost. */
export class ModelWrapper implements Model {
  /** Options of the wrapper, which are never sent. */
  static readonly extraKwargs: ReadonlySet<string> = EXTRA_KEYS

  /** @internal Lives as long as the program, so that V8 keeps the layout of wrappers and the code compiled for it. */
  static readonly kept: ModelWrapper = new ModelWrapper({}, { plan: planOf({}, []), config: {} })

  readonly #parts: WrapperParts
  #settings: SettingsReader | undefined

  constructor(options: ModelWrapperOptions = {}, origin: WrapperOrigin = originOf(options)) {
    const { io, logger } = options
    const replaced = origin.replaces instanceof ModelWrapper ? origin.replaces.#parts : undefined
    this.#parts = {
      wrapperId: ++wrapperCount,
      plan: origin.plan,
      memory: replaced?.memory ?? new CallMemory(),
      io: io ?? replaced?.io ?? origin.plan.console,
      logger: logger ?? replaced?.logger ?? null,
      own: null,
    }
    if (!replaced) warnOfTimeouts(this.#parts)
    if (replaced) adoptClients(this.#parts, replaced)
    else logger?.log({ record: 'newWrapper', wrapperId: this.wrapperId, args: guardSecrets(origin.config).toJSON() })
  }

  /** Makes a text from a template. */
  static readonly instantiate: typeof instantiate = instantiate

  /** Returns the texts of an answer, or its messages if they contain calls. */
  static readonly extractTextOrCompletionObject: typeof extractTextOrCompletionObject = extractTextOrCompletionObject

  /** A number that is unique among the wrappers of this process. */
  get wrapperId(): number {
    return this.#parts.wrapperId
  }

  /** Each attempt is a span. */
  get tellsAttempts(): true {
    return true
  }

  /** Model names of the configs, in order; configs without a model are left out. */
  get modelNames(): readonly string[] {
    return this.#parts.plan.slots.flatMap(({ client }) => client.model ?? [])
  }

  /** Keys of an entry that configure its client and are not request parameters. */
  get clientKwargs(): ReadonlySet<string> {
    const keys = this.#parts.plan.slots.flatMap(({ provider }) => provider?.clientKeys ?? [])
    return new Set([...CLIENT_KEYS, ...keys])
  }

  /** Usage of paid calls; null before the first. */
  get actualUsageSummary(): UsageSummary | null {
    return this.#parts.memory.ledger?.actual ?? null
  }

  /** Usage with cache hits; null before the first call. */
  get totalUsageSummary(): UsageSummary | null {
    return this.#parts.memory.ledger?.total ?? null
  }

  /** The latest answered calls, oldest first. */
  get ledger(): readonly LedgerRow[] {
    return this.#parts.memory.ledger?.rows ?? []
  }

  /** Asks the configs in order and returns the first accepted answer. */
  async create(request: WrapperRequest, options: RunOptions = {}): Promise<ModelResponse> {
    checkCall(options)
    const { run } = options
    // Agents run their steps with options of this order: literals of one order have one layout.
    const how = { run, signal: signalOf(options), emit: undefined, scope: undefined }
    return await runAsync(create(this.#parts, request, options), how)
  }

  /** The same, blocking: the request is made in another thread, so `timeout` limits it and a signal cannot. */
  createSync(request: WrapperRequest, options: BlockingOptions = {}): ModelResponse {
    checkBlockingCall(options, 'create')
    return runSync(create(this.#parts, request, options), { run: options.run })
  }

  /** The same, as a stream of events whose `result` is a promise of the response. */
  createStream(request: WrapperRequest, options: RunOptions = {}): EventStream<ModelResponse, PlacedModelEvent> {
    checkCall(options)
    return streamOf(create(this.#parts, request, options), request, options)
  }

  /**
   * Counts the input tokens of a request by the first config whose provider supports it. A count is free: it is one call in
   * budgets and a row of the ledger, without tokens and cost.
   */
  async countTokens(request: WrapperRequest, options: RunOptions = {}): Promise<TokenCount> {
    checkCall(options)
    return await runAsync(countTokens(this.#parts, request, options), { run: options.run, signal: signalOf(options) })
  }

  /** The same, blocking. */
  countTokensSync(request: WrapperRequest, options: BlockingOptions = {}): TokenCount {
    checkBlockingCall(options, 'countTokens')
    return runSync(countTokens(this.#parts, request, options), { run: options.run })
  }

  /** The same, as a stream of events whose `result` is a promise of the count. */
  countTokensStream(request: WrapperRequest, options: RunOptions = {}): EventStream<TokenCount, PlacedModelEvent> {
    checkCall(options)
    return streamOf(countTokens(this.#parts, request, options), request, options)
  }

  /**
   * Returns a vector for each text of a request, by the first config that answers. Texts that the cache has are not sent, and
   * more texts than a provider takes at once are sent in several requests. Fails with `invalid-config` before anything is
   * sent if a config of the list has no embeddings.
   */
  async embed(request: EmbedRequest, options: RunOptions = {}): Promise<EmbedResponse> {
    checkCall(options)
    return await runAsync(embed(this.#parts, request, options), { run: options.run, signal: signalOf(options) })
  }

  /** The same, blocking. */
  embedSync(request: EmbedRequest, options: BlockingOptions = {}): EmbedResponse {
    checkBlockingCall(options, 'embed')
    return runSync(embed(this.#parts, request, options), { run: options.run })
  }

  /** The same, as a stream of events whose `result` is a promise of the response. */
  embedStream(request: EmbedRequest, options: RunOptions = {}): EventStream<EmbedResponse, PlacedModelEvent> {
    checkCall(options)
    return streamOf(embed(this.#parts, request, options), request, options)
  }

  /**
   * Hands requests in as one batch of the first config whose provider has batches, and waits for the results: within hours, at
   * half the price of OpenAI, Anthropic and Google. Each request has a result of its own, in their order. Caches, limiters and
   * failover do not take part. Fails with `invalid-config` if no provider of the configs has batches.
   */
  async batch(requests: readonly WrapperRequest[], options: BatchOptions = {}): Promise<BatchResult[]> {
    return await askBatch(this.#parts, requests, options)
  }

  /** Returns the smallest context window and the smallest maximum output of the configs, as far as they are known. */
  limitsOf({ model }: { readonly model?: string | null | undefined } = {}): ModelLimits {
    return smallestLimits(this.#parts, model)
  }

  /** Returns what each config would send beside the messages: model, provider, host, parameters and tools, without secrets. */
  settingsOf(request: WrapperRequest): RequestSettings {
    return (this.#settings ??= new SettingsReader(this.#parts.plan.slots)).of(request)
  }

  /** Makes an instance of a client class for the first entry that names the class and has no client yet. */
  registerModelClient(cls: ModelClientClass, options: Record<string, unknown> = {}): void {
    const { plan } = this.#parts
    const own = (this.#parts.own ??= plan.slots.map(() => undefined))
    const waiting = plan.slots.find(({ index, client }) => client.modelClientCls === cls.name && !own[index])
    if (waiting) {
      own[waiting.index] = new cls({ ...waiting.entry }, options)
      return
    }
    if (!own.some((client) => client instanceof cls)) {
      throw new XError(
        'unknown-client',
        `no entry of \`configList\` names the client class \`${cls.name}\`: add one with \`modelClientCls: '${cls.name}'\``,
      )
    }
    const text = `the client class \`${cls.name}\` is registered already: add further entries to use several`
    void sendToIo(this.#parts, { type: 'warning', agent: null, topic: 'client', text })
  }

  /** Sends the usage to the `io`: `actual`, `total`, or both. */
  printUsageSummary(mode: UsageMode | readonly UsageMode[] = ['actual', 'total']): void {
    const { actualUsageSummary, totalUsageSummary } = this
    const event = { type: 'usageSummary', agent: null, actualUsageSummary, totalUsageSummary } as const
    void sendToIo(this.#parts, { ...event, mode: usageMode(mode) })
  }

  /** Resets usage: both summaries are null again. */
  clearUsageSummary(): void {
    this.#parts.memory.ledger?.clear()
  }

  /** Adds usage from elsewhere to the summaries, such as that of a saved chat; the ledger gets no row. */
  restoreUsage({ actual, total }: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }): void {
    this.#parts.memory.openLedger().restore(actual, total)
  }
}

function usageMode(mode: UsageMode | readonly UsageMode[]): UsageMode {
  const list = typeof mode === 'string' ? [mode] : Array.isArray(mode) ? mode : []
  const modes = new Set<UsageMode>(list)
  const { length } = list
  if (length === 0 || length > 2 || ![...modes].every((item) => ['actual', 'total', 'both'].includes(item))) {
    throw new XError(
      'invalid-argument',
      "`mode` is not a usage mode: give 'actual', 'total', 'both' or a list of one or two",
    )
  }
  return modes.size === 1 ? [...modes][0]! : 'both'
}

/** Returns the signal of a call; undefined for that of its run, which tells the same. */
const signalOf = (options: RunOptions): AbortSignal | undefined =>
  SIGNAL_OF_RUN in options ? undefined : options.signal

/** Takes over registered clients from a replaced wrapper, where the client-level keys are equal. */
function adoptClients(parts: WrapperParts, from: WrapperParts): void {
  if (!from.own) return
  const free: OwnClients = [...from.own]
  const own: OwnClients = (parts.own = parts.plan.slots.map(() => undefined))
  const isSame = (slot: Slot) => (other: Slot) => Boolean(free[other.index]) && sameValue(slot.client, other.client)
  for (const slot of parts.plan.slots) {
    if (slot.provider) continue
    const other = from.plan.slots.find(isSame(slot))
    if (!other) continue
    own[slot.index] = free[other.index]
    free[other.index] = undefined
  }
}

/** Makes the plan of a wrapper that belongs to no `llmConfig`. */
function originOf(options: ModelWrapperOptions): WrapperOrigin {
  checkWrapperOptions(options, 'make a `ModelWrapper`')
  const { configList, providers = [], io: _, logger: __, defaultCache, runtime, ...more } = options
  const { config_list: list = configList, ...base } = more as { config_list?: ModelWrapperOptions['configList'] }
  const plan = planOf({ defaultCache, runtime }, slotsOf(base, list, providers))
  return { plan, config: { ...base, configList: list } }
}

function planOf(options: Pick<ModelWrapperOptions, 'defaultCache' | 'runtime'>, slots: readonly Slot[]): WrapperPlan {
  const { defaultCache, runtime } = options
  return { slots, shared: createSharedClients(defaultCache), runtime: runtimeOf(runtime), console: consoleIo() }
}

/** Completes a runtime with the clock, ids and random numbers of the platform. */
export function runtimeOf(given: Partial<ModelRuntime> | undefined): ModelRuntime {
  return { now: Date.now, newId: () => crypto.randomUUID(), random: Math.random, ...given }
}

/** Returns the texts of an answer, or its messages if they contain calls. */
function extractTextOrCompletionObject(answer: ModelAnswer): string[] | ChatMessage[] {
  const messages = answer.choices.map((choice) => choice.message)
  if (messages.some((message) => message.tool_calls?.length || message.function_call)) return messages
  return messages.map((message) => textOf(message.content))
}

function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Returns the known limits of a model of a client. */
function limitsOfModel(client: ModelClient, model: string | undefined): ModelLimits {
  if (model !== undefined && client.limitsOf) return client.limitsOf(model)
  const { contextWindow, maxOutput } = client.capabilities ?? {}
  return { contextWindow, maxOutput }
}

/** Returns the smallest limits of the configs of a wrapper; `model` is the model of configs that name none. */
function smallestLimits({ plan, own }: WrapperParts, model: string | null | undefined): ModelLimits {
  const all = plan.slots.flatMap(({ index, provider, client: config }) => {
    const client = own?.[index] ?? (provider && plan.shared.clientFor(provider, config))
    return client ? [limitsOfModel(client, config.model ?? model ?? undefined)] : []
  })
  const contextWindow = smallest(all.map((limits) => limits.contextWindow))
  const maxOutput = smallest(all.map((limits) => limits.maxOutput))
  return { ...(contextWindow !== undefined && { contextWindow }), ...(maxOutput !== undefined && { maxOutput }) }
}

function smallest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value): value is number => value !== undefined && Number.isFinite(value) && value > 0)
  return known.length > 0 ? Math.min(...known) : undefined
}

/** An event of a streamed answer with its chat and agents; null outside of agents and chats. */
export type PlacedModelEvent = ModelEvent & Pick<EventEnvelope, 'chatId' | 'agentPath'> & { agent: string | null }

/** Runs the steps of a call as a stream, whose events have the chat and the agents around the call. */
function streamOf<T>(
  steps: Steps<T, ModelEvent>,
  request: Parameters<typeof agentOf>[0],
  options: RunOptions,
): EventStream<T, PlacedModelEvent> {
  const { run } = options
  const scope = streamScope(run && scopeOf(run), agentOf(request))
  return runStream(steps, { run, signal: signalOf(options), scope })
}

/** Makes the scope of a stream, which adds chat and agents to the events of the answer. */
function streamScope(around: RunScope | undefined, agent: string | null): RunScope {
  const { chatId = null, agentPath = null, budget = null, cache = null } = around ?? {}
  return {
    chatId,
    agentPath,
    budget,
    cache,
    spanId: null,
    callKind: null,
    newSpanId: () => '',
    inside: () => streamScope(around, agent),
    heard: () => streamScope(around, agent),
    takes: () => true,
    now: () => 0,
    send: (event, next) => next({ ...event, agent, chatId, agentPath } as never),
  }
}
