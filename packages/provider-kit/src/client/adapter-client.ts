import type {
  ChatMessage,
  ConfigEntry,
  ModelAnswer,
  ModelCallOptions,
  ModelCapabilities,
  ModelClient,
  ModelEvent,
  ModelLimits,
  ModelParams,
  Usage,
} from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import { createAnswerBuilder, type AnswerBuilder } from '../answer/answer-builder.ts'
import { startCallClock, type CallClock } from './call-clock.ts'
import { AnswerBeside } from './answer-beside.ts'
import type { AnswerReader, Dialect, LowerContext, LoweredRequest, Wire } from './dialect.ts'
import { readExtras, type ReadExtras } from './request-extras.ts'
import { modelFailure } from '../failure/model-failure.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { costOf } from '../catalogue/cost-of.ts'
import { raiseFailure } from '../failure/raise-failure.ts'
import { retry, type RetryClock } from './retry.ts'
import { retrievedMessages, usageOf } from '../answer/retrieval.ts'
import { shownUrl } from '../http/shown-url.ts'
import { readParams, type CheckedParams } from '../message/read-params.ts'
import { createNameMap, toolNamesOf } from '../message/tool-names.ts'

/** Clocks of a client, and what it knows about models. */
export interface AdapterPlatform {
  /** Limits, prices and abilities of models. */
  readonly catalogue: Catalogue
  readonly clock: RetryClock
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Parts of a client. */
export interface AdapterInit extends AdapterPlatform {
  readonly config: ConfigEntry
  readonly dialect: Dialect
  /** Connects to the provider; called at the first request. */
  readonly connect: () => Wire
  /** Cost of an answer in US dollars where tokens and a price do not tell it; null when unknown. */
  readonly cost?: ((answer: ModelAnswer) => number | null) | undefined
}

/** Default timeout in seconds. */
const USUAL_TIMEOUT = 600

/** Creates a model client for a wire format: it checks parameters, lowers requests, retries, watches the time, reads answers and converts errors. */
export function createAdapterClient(init: AdapterInit): ModelClient {
  return new AdapterClient(init)
}

class AdapterClient implements ModelClient {
  readonly capabilities: ModelCapabilities
  readonly countTokens: ModelClient['countTokens']
  readonly #init: AdapterInit
  #made: Wire | undefined
  /** Limits of the model that was asked about last. */
  #asked: { readonly model: string; readonly limits: ModelLimits } | undefined

  constructor(init: AdapterInit) {
    this.#init = init
    this.capabilities = this.#capabilitiesOf(init.config.model ?? '')
    const { lowerCount } = init.dialect
    if (lowerCount) this.countTokens = async (params, options) => await this.#count(lowerCount, params, options)
  }

  /** Answers a request. */
  async create(params: ModelParams, options: ModelCallOptions): Promise<ModelAnswer> {
    const prepared = this.#prepared(params, options)
    const { answer, extras } = prepared
    return await this.#attempts(prepared, options, async (asked, wire, clock) => {
      try {
        const beside = new AnswerBeside(wire, extras)
        const body = await wire.complete(asked, { signal: clock.signal, onHeaders: beside.onHeaders })
        const open = answer()
        const read = this.#readerOf(asked)
        try {
          if (read.whole) read.whole(body, open)
          else read.push(body, open)
        } catch (error) {
          throw unreadable(error)
        }
        return beside.added(open.end(), body)
      } finally {
        clock.stop()
      }
    })
  }

  /** Answers a request piece by piece. A pause longer than the timeout ends it. */
  async *stream(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer> {
    const prepared = this.#prepared(params, options)
    const { answer, extras } = prepared
    const count = typeof params.n === 'number' ? params.n : 1
    const { stream, begun, beside } = await this.#attempts(prepared, options, async (asked, wire, clock) => {
      const beside = new AnswerBeside(wire, extras)
      const source = await wire.stream(asked, { signal: clock.signal, onHeaders: beside.onHeaders })
      const frames = beside.watched(source)
      const open = answer()
      const stream = { frames, open, read: this.#readerOf(asked), clock, count }
      try {
        // What fails before the first content can be asked again: nobody has seen anything of it.
        let begun: Progress = 'more'
        while (!open.hasContent && begun === 'more') begun = await taken(stream)
        if (!open.hasContent && !open.isFinished(count)) throw withoutContent()
        return { stream, begun, beside }
      } catch (error) {
        givenBack(frames)
        throw error
      }
    })
    const { frames, open, clock } = stream
    let progress = begun
    try {
      for (const event of open.take()) yield event
      while (progress === 'more') {
        progress = await taken(stream)
        // One `yield` per event: `yield*` over a list would wait twice for each.
        for (const event of open.take()) yield event
      }
      const whole = beside.added(open.end())
      for (const event of open.take()) yield event
      return whole
    } catch (error) {
      throw this.#failure(error, options, clock, extras)
    } finally {
      givenBack(frames)
      // A consumer may stop early, and some SDKs would go on reading for themselves.
      if (progress === 'ended') clock.stop()
      else clock.cancel()
    }
  }

  async #count(
    lowerCount: NonNullable<Dialect['lowerCount']>,
    params: ModelParams,
    options: ModelCallOptions,
  ): Promise<number> {
    const { dialect } = this.#init
    const { checked, context } = this.#checked(params, options)
    const prepared = { request: lowerCount(checked, context), extras: readExtras(params) }
    return await this.#attempts(prepared, options, async (asked, wire, clock) => {
      try {
        const count = dialect.readCount?.(await wire.complete(asked, { signal: clock.signal }))
        if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count
        throw modelFailure('server', 'the answer has no number of tokens')
      } finally {
        clock.stop()
      }
    })
  }

  /** Returns the texts of an answer, or the messages if they contain calls. */
  messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[] {
    return retrievedMessages(answer)
  }

  /** Returns tokens and cost of an answer. */
  getUsage(answer: ModelAnswer): Usage {
    return usageOf(answer, this.cost(answer) ?? 0)
  }

  /** Returns the cost of an answer, as the provider states it or by the price of the model that answered; null when it is unknown. */
  cost(answer: ModelAnswer): number | null {
    const { cost, catalogue } = this.#init
    const { usage, model } = answer
    if (!usage) return null
    if (cost) return cost(answer)
    const { price } = catalogue.factsOf(model)
    return price ? costOf(price, usage) : (usage.cost ?? null)
  }

  /** Returns the limits of a model by its name. */
  limitsOf(model: string): ModelLimits {
    // Nearly all requests of a client are for one model.
    if (this.#asked?.model === model) return this.#asked.limits
    const { contextWindow, maxOutput } = this.#capabilitiesOf(model)
    const limits = { contextWindow, maxOutput }
    this.#asked = { model, limits }
    return limits
  }

  /** Abilities that the catalogue knows; the wire format and the config know better. */
  #capabilitiesOf(model: string): ModelCapabilities {
    const { dialect, catalogue } = this.#init
    const { contextWindow, maxOutput, abilities = [] } = catalogue.factsOf(model)
    return {
      ...(abilities.includes('tools') && { tools: true }),
      ...(abilities.includes('images') && { images: true }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutput !== undefined && { maxOutput }),
      ...dialect.capabilities(model),
    }
  }

  #prepared(params: ModelParams, options: ModelCallOptions): Prepared {
    const { dialect } = this.#init
    const { checked, context } = this.#checked(params, options)
    const { model, names } = context
    return {
      request: dialect.lower(checked, context),
      extras: readExtras(params),
      answer: () => createAnswerBuilder({ model, provider: dialect.provider, names }),
    }
  }

  #checked(
    params: ModelParams,
    { warn = () => {} }: ModelCallOptions,
  ): { readonly checked: CheckedParams; readonly context: LowerContext } {
    const { config, dialect, catalogue } = this.#init
    const model = params.model ?? config.model ?? ''
    const checked = readParams(params, dialect.optionNames ?? [dialect.provider])
    const { abilities } = catalogue.factsOf(model)
    return { checked, context: { model, names: createNameMap(toolNamesOf(checked), dialect.names), abilities, warn } }
  }

  #readerOf({ reader }: LoweredRequest): AnswerReader {
    return reader ? reader() : this.#init.dialect.reader()
  }

  /**
   * Makes a call, and again on the last config, as `maxRetries` of the config says. A refusal that says how to ask instead
   * leads to a further call at once.
   */
  async #attempts<T>(
    { request, extras }: Pick<Prepared, 'request' | 'extras'>,
    options: ModelCallOptions,
    call: (asked: LoweredRequest, wire: Wire, clock: CallClock) => Promise<T>,
  ): Promise<T> {
    const { config, clock: retryClock } = this.#init
    const { signal, last } = options
    const timeout = options.timeout ?? config.timeout ?? USUAL_TIMEOUT
    const maxRetryAfter = options.maxRetryAfter ?? 60
    const maxRetries = last === false ? 0 : (config.maxRetries ?? 2)
    const limits = { maxRetries, maxRetryAfter, signal, clock: retryClock }
    let asked = request
    let failed: unknown
    const once = async (): Promise<T> => {
      if (options.onSend?.() === false) {
        limits.maxRetries = 0
        throw failed
      }
      const clock = startCallClock(signal, timeout)
      try {
        // Not everything hears of the signal: a `fetch` or a key of the caller's, a body that does not end.
        const sent = extras ? extras.add(asked) : asked
        return await abortable(call(sent, this.#wire(), clock), clock.signal)
      } catch (error) {
        clock.stop()
        const failure = (failed = this.#failure(error, options, clock, extras))
        const other = isXError(failure) && !signal?.aborted ? asked.instead?.(failure) : undefined
        if (!other) throw failure
        asked = other
        return await once()
      }
    }
    return await retry(once, limits)
  }

  #wire(): Wire {
    return (this.#made ??= this.#init.connect())
  }

  #failure(error: unknown, { signal }: ModelCallOptions, { timedOut }: CallClock, extras?: ReadExtras): unknown {
    const wire = this.#made
    const { secrets = new Set<string>() } = wire ?? {}
    return raiseFailure(error, {
      signal,
      timedOut,
      secrets: extras ? new Set([...secrets, ...extras.secrets]) : secrets,
      now: this.#init.now,
      url: wire ? shownUrl(wire.url) : 'the provider',
      refusalOf: (thrown) => wire?.refusalOf?.(thrown),
    })
  }
}

interface Prepared {
  readonly request: LoweredRequest
  readonly extras: ReadExtras | undefined
  readonly answer: () => AnswerBuilder
}

/** Closes the source of frames. Not awaited; its errors are ignored. */
function givenBack(frames: AsyncIterator<readonly unknown[]>): void {
  frames.return?.().then(undefined, () => {})
}

/** A stream that ends before any content can be asked again: nobody has seen anything of it, or paid for it. */
const withoutContent = (): XError =>
  modelFailure('truncated', 'the stream ended before any content', { details: { shouldRetry: true } })

/** A streamed answer while it is read. */
interface OpenStream {
  readonly frames: AsyncIterator<readonly unknown[]>
  readonly read: AnswerReader
  readonly open: AnswerBuilder
  readonly clock: CallClock
  /** Choices that were asked for. */
  readonly count: number
}

/** How far a stream was read: there is more, it has ended, or its answer is whole and the connection is left. */
type Progress = 'more' | 'ended' | 'left'

/** Reads the frames that arrive next; no async function, since a stream calls it for every piece. */
function taken(stream: OpenStream): Promise<Progress> {
  const { frames, open, clock, count } = stream
  if (open.isFinished(count)) return farewell(stream)
  return clock.until(frames.next(), (next) => readInto(stream, next))
}

function readInto({ read, open, clock }: OpenStream, next: IteratorResult<readonly unknown[]>): Progress {
  if (next.done) return 'ended'
  clock.restart()
  try {
    for (const frame of next.value) if (read.push(frame, open)) return 'ended'
  } catch (error) {
    throw unreadable(error)
  }
  return 'more'
}

/** Seconds that counts may take to come after the last word of an answer. */
const FAREWELL = 5

/** Reads on behind a whole answer, which stands whatever the connection does then: it is left when it fails or goes silent. */
async function farewell(stream: OpenStream): Promise<Progress> {
  const { frames, clock } = stream
  const patience = startCallClock(clock.signal, FAREWELL)
  let next: IteratorResult<readonly unknown[]>
  try {
    next = await patience.until(frames.next(), (value) => value)
  } catch (error) {
    if (clock.signal.aborted && !clock.timedOut) throw error
    return 'left'
  } finally {
    patience.stop()
  }
  return readInto(stream, next)
}

/** An answer that the reader cannot read is a failure of the provider: the next config may do better. */
function unreadable(error: unknown): unknown {
  if (isXError(error)) return error
  return modelFailure('server', 'the answer has an unexpected form', { cause: error })
}
