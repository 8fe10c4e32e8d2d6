import type {
  CacheStore,
  ConfigEntry,
  Io,
  Logger,
  Model,
  ModelClientClass,
  ModelEvent,
  ModelResponse,
  ModelRunOptions,
  Provider,
  UsageMode,
  UsageSummary,
} from '@x/interfaces'
import { runAsync, runStream, runSync, XError } from '@x/kernel'
import { createSharedClients, type SharedClients } from '../clients/shared-clients.ts'
import { sameValue } from '../data/same-value.ts'
import { CLIENT_KEYS, EXTRA_KEYS } from '../config/config-keys.ts'
import { consoleIo } from './console-io.ts'
import type { WrapperParts, ModelRuntime } from '../call/wrapper-parts.ts'
import { create } from '../call/create.steps.ts'
import { defaultCache } from '../cache/default-cache.ts'
import { extractTextOrCompletionObject } from './extract.ts'
import { instantiate } from '../request/instantiate.ts'
import { Ledger, type LedgerRow } from '../usage/ledger.ts'
import { publicEntry } from '../data/redact.ts'
import type { WrapperRequest } from '../request/check-request.ts'
import { slotsOf, type OwnClients, type Slot } from '../config/slot.ts'

/** What a wrapper is made with, beside the base config: request parameters and extra options for every entry. */
export interface ModelWrapperOptions extends ConfigEntry {
  /** Ways to reach a model, in order of preference; each overrides the base config. */
  configList?: readonly ConfigEntry[] | null | undefined
  /** The adapters that may be used; an entry names its own by `apiType`. */
  providers?: readonly Provider[] | undefined
  /** Where warnings and summaries go; default: the console. */
  io?: Io | undefined
  /** Keeps log records; none are made without it. */
  logger?: Logger | null | undefined
  /** Makes the cache of a seed; default: memory and `.cache/<seed>` on disk. */
  defaultCache?: ((seed: number) => CacheStore) | undefined
  /** Where time and identifiers come from. */
  runtime?: Partial<ModelRuntime> | undefined
}

/** What a wrapper takes over: the shared clients of its `llmConfig`, and the wrapper it replaces. */
export interface WrapperOrigin {
  readonly shared: SharedClients
  readonly replaces?: Model | undefined
}

/** Counts wrappers, for `wrapperId`. */
let wrappers = 0

/** An ordered list of models behind one call: failover, filter, cache, usage and cost. */
export class ModelWrapper implements Model {
  /** Options that steer the wrapper and never travel. */
  static readonly extraKwargs: ReadonlySet<string> = EXTRA_KEYS
  readonly #parts: WrapperParts

  constructor(options: ModelWrapperOptions = {}, origin?: WrapperOrigin) {
    const { configList, providers = [], io, logger, defaultCache: cache, runtime, ...base } = options
    const slots = slotsOf(base, configList, providers)
    const replaced = origin?.replaces instanceof ModelWrapper ? origin.replaces.#parts : undefined
    this.#parts = {
      wrapperId: ++wrappers,
      slots,
      own: slots.map(() => undefined),
      shared: origin?.shared ?? createSharedClients(cache ?? defaultCache),
      ledger: replaced?.ledger ?? new Ledger(),
      sentWarnings: replaced?.sentWarnings ?? new Set(),
      io: io ?? replaced?.io ?? consoleIo(),
      logger: logger ?? replaced?.logger ?? null,
      runtime: { now: Date.now, newId: () => crypto.randomUUID(), ...runtime },
    }
    if (replaced) adopt(this.#parts, replaced)
    else logger?.log({ record: 'newWrapper', wrapperId: this.wrapperId, args: publicEntry({ ...base, configList }) })
  }

  /** Makes a text of a template (spec, instantiate rules). */
  static readonly instantiate: typeof instantiate = instantiate

  /** Gives the texts of an answer, or its messages when they hold calls. */
  static readonly extractTextOrCompletionObject: typeof extractTextOrCompletionObject = extractTextOrCompletionObject

  /** Tells this wrapper from every other one of the process. */
  get wrapperId(): number {
    return this.#parts.wrapperId
  }

  /** Keys of an entry that make its client and are no request parameters. */
  get clientKwargs(): ReadonlySet<string> {
    const keys = this.#parts.slots.flatMap(({ provider }) => provider?.clientKeys ?? [])
    return new Set([...CLIENT_KEYS, ...keys])
  }

  /** Usage of the calls that were paid; null before the first. */
  get actualUsageSummary(): UsageSummary | null {
    return this.#parts.ledger.actual
  }

  /** Usage with cache hits; null before the first call. */
  get totalUsageSummary(): UsageSummary | null {
    return this.#parts.ledger.total
  }

  /** The latest answered calls, oldest first. */
  get ledger(): readonly LedgerRow[] {
    return this.#parts.ledger.rows
  }

  /** Asks the configs in order and gives the first accepted answer. */
  async create(request: WrapperRequest, { signal, ...options }: ModelRunOptions = {}): Promise<ModelResponse> {
    return await runAsync(create(this.#parts, request, options), { signal })
  }

  /** The same, blocking: the request is answered in another thread, so it is limited by `timeout` and not by a signal. */
  createSync(request: WrapperRequest, options: Pick<ModelRunOptions, 'emit' | 'budget'> = {}): ModelResponse {
    return runSync(create(this.#parts, request, options))
  }

  /** The same, as a stream of events that returns the response. */
  createStream(
    request: WrapperRequest,
    { signal, ...options }: ModelRunOptions = {},
  ): AsyncGenerator<ModelEvent, ModelResponse, void> {
    return runStream(create(this.#parts, request, options), { signal })
  }

  /** Makes a client of a class of one's own for the first entry that waits for it (spec, states of client slots). */
  registerModelClient(cls: ModelClientClass, options: Record<string, unknown> = {}): void {
    const { slots, own, io } = this.#parts
    const waiting = slots.find(({ index, client }) => client.modelClientCls === cls.name && !own[index])
    if (waiting) {
      own[waiting.index] = new cls(waiting.entry, options)
      return
    }
    if (!own.some((client) => client instanceof cls)) {
      throw new XError(
        'unknown-client',
        `no entry of \`configList\` waits for the client class \`${cls.name}\`: add one with \`modelClientCls: '${cls.name}'\``,
      )
    }
    const text = `the client class \`${cls.name}\` is registered already: add further entries to use several`
    void io.send({ type: 'warning', topic: 'client', text })
  }

  /** Sends the usage to the `io`: `actual`, `total`, or both. */
  printUsageSummary(mode: UsageMode | readonly UsageMode[] = ['actual', 'total']): void {
    const { actual, total } = this.#parts.ledger
    const event = { type: 'usageSummary', actualUsageSummary: actual, totalUsageSummary: total } as const
    void this.#parts.io.send({ ...event, mode: usageMode(mode) })
  }

  /** Forgets all usage: both summaries are null again. */
  clearUsageSummary(): void {
    this.#parts.ledger.clear()
  }

  /** Adds usage that was paid for elsewhere to the summaries, as that of a saved chat; the ledger gets no row of it. */
  restoreUsage({ actual, total }: { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }): void {
    this.#parts.ledger.restore(actual, total)
  }
}

function usageMode(mode: UsageMode | readonly UsageMode[]): UsageMode {
  const list = typeof mode === 'string' ? [mode] : Array.isArray(mode) ? mode : []
  const modes = new Set<UsageMode>(list)
  const listed = list.length
  if (listed === 0 || listed > 2 || ![...modes].every((each) => ['actual', 'total', 'both'].includes(each))) {
    throw new XError(
      'invalid-argument',
      "`mode` is no usage mode: give 'actual', 'total', 'both' or a list of one or two",
    )
  }
  return modes.size === 1 ? [...modes][0]! : 'both'
}

/** Takes over the registered clients whose client-level keys are equal. */
function adopt(parts: WrapperParts, from: WrapperParts): void {
  const free: OwnClients = [...from.own]
  const same = (slot: Slot) => (other: Slot) => Boolean(free[other.index]) && sameValue(slot.client, other.client)
  for (const slot of parts.slots) {
    if (slot.provider) continue
    const other = from.slots.find(same(slot))
    if (!other) continue
    parts.own[slot.index] = free[other.index]
    free[other.index] = undefined
  }
}
