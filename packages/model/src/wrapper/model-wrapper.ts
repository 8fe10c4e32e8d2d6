import type {
  CacheStore,
  ConfigEntry,
  EventStream,
  Io,
  Logger,
  Model,
  ModelClientClass,
  ModelLimits,
  ModelResponse,
  Provider,
  RunOptions,
  TokenCount,
  UsageMode,
  UsageSummary,
} from '@x/interfaces'
import { runAsync, runStream, runSync, XError } from '@x/kernel'
import { scopeOf } from '@x/kernel/run'
import { createSharedClients } from '../clients/shared-clients.ts'
import { sameValue } from '../data/same-value.ts'
import { CLIENT_KEYS, EXTRA_KEYS } from '../config/config-keys.ts'
import { checkBlockingCall, checkCall, checkWrapperOptions, warnOfTimeouts } from './check-options.ts'
import { consoleIo } from './console-io.ts'
import { leastLimits } from './least-limits.ts'
import { CallMemory, type ModelRuntime, type WrapperParts, type WrapperPlan } from '../call/wrapper-parts.ts'
import { create } from '../call/call-in-run.steps.ts'
import { countTokens } from '../call/count-tokens.steps.ts'
import { streamScope, type PlacedModelEvent } from '../call/stream-scope.ts'
import { defaultCache } from '../cache/default-cache.ts'
import { extractTextOrCompletionObject } from './extract.ts'
import { instantiate } from '../request/instantiate.ts'
import type { LedgerRow } from '../usage/ledger-row.ts'
import { publicEntry } from '../data/public-entry.ts'
import { agentOf, type WrapperRequest } from '../request/check-request.ts'
import { slotsOf, type OwnClients, type Slot } from '../config/slot.ts'

/** Options of a `ModelWrapper`, beside request parameters and extra options that hold for every entry. */
export interface ModelWrapperOptions extends ConfigEntry {
  /** Ways to reach a model, in order of preference; each overrides the base config. */
  configList?: readonly ConfigEntry[] | null | undefined
  /** The adapters that may be used; an entry names its own by `apiType`. */
  providers?: readonly Provider[] | undefined
  /** Gets warnings and summaries; default: the console. */
  io?: Io | undefined
  /** Gets log records; default: no records. */
  logger?: Logger | null | undefined
  /** Makes the cache of a seed; default: memory and `.cache/<seed>` on disk. */
  defaultCache?: ((seed: number) => CacheStore) | undefined
  /** Source of time and identifiers. */
  runtime?: Partial<ModelRuntime> | undefined
}

/** Given by an `llmConfig` to the wrappers it makes. */
export interface WrapperOrigin {
  readonly plan: WrapperPlan
  /** The config, for the log. */
  readonly config: Readonly<ConfigEntry>
  /** The model that the new wrapper takes over from. */
  readonly replaces?: Model | undefined
}

/** Counts wrappers, for `wrapperId`. */
let wrappers = 0

/** Makes one model of an ordered list of configs: failover, filter, cache, usage and cost. */
export class ModelWrapper implements Model {
  /** Options that steer the wrapper and are never sent. */
  static readonly extraKwargs: ReadonlySet<string> = EXTRA_KEYS
  readonly #parts: WrapperParts

  constructor(options: ModelWrapperOptions = {}, origin: WrapperOrigin = originOf(options)) {
    const { io, logger } = options
    const replaced = origin.replaces instanceof ModelWrapper ? origin.replaces.#parts : undefined
    this.#parts = {
      wrapperId: ++wrappers,
      plan: origin.plan,
      memory: replaced?.memory ?? new CallMemory(),
      io: io ?? replaced?.io ?? origin.plan.console,
      logger: logger ?? replaced?.logger ?? null,
      own: null,
    }
    if (!replaced) warnOfTimeouts(this.#parts)
    if (replaced) adoptClients(this.#parts, replaced)
    else logger?.log({ record: 'newWrapper', wrapperId: this.wrapperId, args: publicEntry(origin.config) })
  }

  /** Makes a text of a template. */
  static readonly instantiate: typeof instantiate = instantiate

  /** Gives the texts of an answer, or its messages when they hold calls. */
  static readonly extractTextOrCompletionObject: typeof extractTextOrCompletionObject = extractTextOrCompletionObject

  /** A number that no other wrapper of this process has. */
  get wrapperId(): number {
    return this.#parts.wrapperId
  }

  /** Names of the models of the configs, in their order; configs without one are left out. */
  get modelNames(): readonly string[] {
    return this.#parts.plan.slots.flatMap(({ client }) => client.model ?? [])
  }

  /** Keys of an entry that configure its client and are not request parameters. */
  get clientKwargs(): ReadonlySet<string> {
    const keys = this.#parts.plan.slots.flatMap(({ provider }) => provider?.clientKeys ?? [])
    return new Set([...CLIENT_KEYS, ...keys])
  }

  /** Usage of the calls that were paid; null before the first. */
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

  /** Asks the configs in order and gives the first accepted answer. */
  async create(request: WrapperRequest, options: RunOptions = {}): Promise<ModelResponse> {
    checkCall(options)
    const { run, signal } = options
    return await runAsync(create(this.#parts, request, options), { run, signal })
  }

  /** The same, blocking: the request is answered in another thread, so it is limited by `timeout` and not by a signal. */
  createSync(request: WrapperRequest, options: Pick<RunOptions, 'run' | 'emit'> = {}): ModelResponse {
    checkBlockingCall(options)
    return runSync(create(this.#parts, request, options), { run: options.run })
  }

  /** The same, as a stream of events with a promise of the response as its `result`. */
  createStream(request: WrapperRequest, options: RunOptions = {}): EventStream<ModelResponse, PlacedModelEvent> {
    checkCall(options)
    const { run, signal } = options
    const scope = streamScope(run && scopeOf(run), agentOf(request))
    return runStream(create(this.#parts, request, options), { run, signal, scope })
  }

  /**
   * Counts the input tokens of a request by the first config whose provider can. Nothing is paid: a count is a call in
   * budgets and a row of the ledger, without tokens and cost.
   */
  async countTokens(request: WrapperRequest, options: RunOptions = {}): Promise<TokenCount> {
    checkCall(options)
    const { run, signal } = options
    return await runAsync(countTokens(this.#parts, request, options), { run, signal })
  }

  /** The same, blocking. */
  countTokensSync(request: WrapperRequest, options: Pick<RunOptions, 'run' | 'emit'> = {}): TokenCount {
    checkBlockingCall(options)
    return runSync(countTokens(this.#parts, request, options), { run: options.run })
  }

  /** The same, as a stream of events with a promise of the count as its `result`. */
  countTokensStream(request: WrapperRequest, options: RunOptions = {}): EventStream<TokenCount, PlacedModelEvent> {
    checkCall(options)
    const { run, signal } = options
    const scope = streamScope(run && scopeOf(run), agentOf(request))
    return runStream(countTokens(this.#parts, request, options), { run, signal, scope })
  }

  /** Returns the least window and the least maximum output of the configs, as far as they are known. */
  limitsOf({ model }: { readonly model?: string | null | undefined } = {}): ModelLimits {
    return leastLimits(this.#parts, model)
  }

  /** Makes a client of the caller's class for the first entry that names the class and has no client yet. */
  registerModelClient(cls: ModelClientClass, options: Record<string, unknown> = {}): void {
    const { plan, io } = this.#parts
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
    void io.send({ type: 'warning', agent: null, chatId: null, agentPath: null, topic: 'client', text })
  }

  /** Sends the usage to the `io`: `actual`, `total`, or both. */
  printUsageSummary(mode: UsageMode | readonly UsageMode[] = ['actual', 'total']): void {
    const { actualUsageSummary, totalUsageSummary } = this
    const origin = { agent: null, chatId: null, agentPath: null }
    const event = { type: 'usageSummary', ...origin, actualUsageSummary, totalUsageSummary } as const
    void this.#parts.io.send({ ...event, mode: usageMode(mode) })
  }

  /** Forgets all usage: both summaries are null again. */
  clearUsageSummary(): void {
    this.#parts.memory.ledger?.clear()
  }

  /** Adds usage that was paid for elsewhere to the summaries, as that of a saved chat; the ledger gets no row of it. */
  restoreUsage({ actual, total }: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }): void {
    this.#parts.memory.openLedger().restore(actual, total)
  }
}

function usageMode(mode: UsageMode | readonly UsageMode[]): UsageMode {
  const list = typeof mode === 'string' ? [mode] : Array.isArray(mode) ? mode : []
  const modes = new Set<UsageMode>(list)
  const listed = list.length
  if (listed === 0 || listed > 2 || ![...modes].every((each) => ['actual', 'total', 'both'].includes(each))) {
    throw new XError(
      'invalid-argument',
      "`mode` is not a usage mode: give 'actual', 'total', 'both' or a list of one or two",
    )
  }
  return modes.size === 1 ? [...modes][0]! : 'both'
}

/** Takes over the registered clients whose client-level keys are equal. */
function adoptClients(parts: WrapperParts, from: WrapperParts): void {
  if (!from.own) return
  const free: OwnClients = [...from.own]
  const own: OwnClients = (parts.own = parts.plan.slots.map(() => undefined))
  const same = (slot: Slot) => (other: Slot) => Boolean(free[other.index]) && sameValue(slot.client, other.client)
  for (const slot of parts.plan.slots) {
    if (slot.provider) continue
    const other = from.plan.slots.find(same(slot))
    if (!other) continue
    own[slot.index] = free[other.index]
    free[other.index] = undefined
  }
}

/** Makes the plan of a wrapper that belongs to no `llmConfig`. */
function originOf(options: ModelWrapperOptions): WrapperOrigin {
  checkWrapperOptions(options, 'make a `ModelWrapper`')
  const {
    configList,
    providers = [],
    io: _,
    logger: __,
    defaultCache: cache = defaultCache,
    runtime,
    ...base
  } = options
  return {
    plan: {
      slots: slotsOf(base, configList, providers),
      shared: createSharedClients(cache),
      runtime: runtimeOf(runtime),
      console: consoleIo(),
    },
    config: { ...base, configList },
  }
}

/** Adds the platform's clock and identifiers to what is given. */
export function runtimeOf(given: Partial<ModelRuntime> | undefined): ModelRuntime {
  return { now: Date.now, newId: () => crypto.randomUUID(), ...given }
}
