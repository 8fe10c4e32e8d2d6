import type {
  ChatMessage,
  ConfigEntry,
  ModelAnswer,
  ModelCallOptions,
  ModelCapabilities,
  ModelClient,
  ModelEvent,
  ModelParams,
  Usage,
} from '@x/interfaces'
import { isXError } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import { createAnswerBuilder, type AnswerBuilder } from '../answer/answer-builder.ts'
import { startCallClock, type CallClock } from './call-clock.ts'
import type { AnswerReader, Dialect, LoweredRequest, Wire } from './dialect.ts'
import { modelFailure } from '../failure/model-failure.ts'
import { costOf, priceOf, type ModelPrice, type PriceTable } from '../answer/prices.ts'
import { raiseFailure } from '../failure/raise-failure.ts'
import { retry, type RetryClock } from './retry.ts'
import { retrievedMessages, usageOf } from '../answer/retrieval.ts'
import { shownUrl } from '../failure/secrets.ts'
import { readParams } from '../message/read-params.ts'
import { createNameMap, toolNamesOf } from '../message/tool-names.ts'

/** Prices and clocks of a client. */
export interface AdapterPlatform {
  readonly prices: PriceTable
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

/** Most model names with a cached price; servers choose the names. */
const MOST_MODELS = 100

/** Creates a model client for a wire format: it checks parameters, lowers requests, retries, watches the time, reads answers and converts errors. */
export function createAdapterClient(init: AdapterInit): ModelClient {
  return new AdapterClient(init)
}

class AdapterClient implements ModelClient {
  readonly capabilities: ModelCapabilities
  readonly #init: AdapterInit
  readonly #priced = new Map<string, ModelPrice | undefined>()
  #made: Wire | undefined

  constructor(init: AdapterInit) {
    this.#init = init
    this.capabilities = init.dialect.capabilities(init.config.model ?? '')
  }

  /** Answers a request. */
  async create(params: ModelParams, options: ModelCallOptions): Promise<ModelAnswer> {
    const { request, answer, reader } = this.#prepared(params, options)
    return await this.#attempts(options, async (wire, clock) => {
      try {
        const body = await wire.complete(request, { signal: clock.signal })
        const open = answer()
        const read = reader()
        try {
          if (read.whole) read.whole(body, open)
          else read.push(body, open)
        } catch (error) {
          throw unreadable(error)
        }
        return open.end()
      } finally {
        clock.stop()
      }
    })
  }

  /** Answers a request piece by piece. A pause longer than the timeout ends it. */
  async *stream(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer> {
    const { request, answer, reader } = this.#prepared(params, options)
    const { frames, open, read, clock, first } = await this.#attempts(options, async (wire, clock) => {
      const frames = (await wire.stream(request, { signal: clock.signal }))[Symbol.asyncIterator]()
      const open = answer()
      const read = reader()
      try {
        // What fails before the first content can be asked again: nobody has seen anything of it.
        let first = false
        while (!open.hasContent && !first) first = await taken(frames, read, open, clock)
        return { frames, open, read, clock, first }
      } catch (error) {
        givenBack(frames)
        throw error
      }
    })
    let ended = first
    try {
      for (const event of open.take()) yield event
      while (!ended) {
        ended = await taken(frames, read, open, clock)
        // One `yield` per event: `yield*` over a list would wait twice for each.
        for (const event of open.take()) yield event
      }
      const whole = open.end()
      for (const event of open.take()) yield event
      return whole
    } catch (error) {
      throw this.#failure(error, options, clock)
    } finally {
      givenBack(frames)
      // A consumer may stop early, and some SDKs would go on reading for themselves.
      if (ended) clock.stop()
      else clock.cancel()
    }
  }

  /** Returns the texts of an answer, or the messages if they contain calls. */
  messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[] {
    return retrievedMessages(answer)
  }

  /** Returns tokens and cost of an answer. */
  getUsage(answer: ModelAnswer): Usage {
    return usageOf(answer, this.cost(answer) ?? 0)
  }

  /** Returns the cost of an answer by the price of the model that answered, else of the model that was asked; null when both are unknown. */
  cost(answer: ModelAnswer): number | null {
    const { config, cost } = this.#init
    if (cost) return cost(answer)
    const price = this.#priceOf(answer.model) ?? this.#priceOf(config.model ?? '')
    return price && answer.usage ? costOf(price, answer.usage) : null
  }

  /** Prices are looked up with every answer, and again with every hit of a cache. */
  #priceOf(model: string): ModelPrice | undefined {
    if (this.#priced.has(model)) return this.#priced.get(model)
    const price = priceOf(this.#init.prices, model)
    if (this.#priced.size < MOST_MODELS) this.#priced.set(model, price)
    return price
  }

  #prepared(params: ModelParams, { warn = () => {} }: ModelCallOptions): Prepared {
    const { config, dialect } = this.#init
    const model = params.model ?? config.model ?? ''
    const checked = readParams(params)
    const names = createNameMap(toolNamesOf(checked), dialect.names)
    const request = dialect.lower(checked, { model, names, warn })
    return {
      request,
      answer: () => createAnswerBuilder({ model, provider: dialect.provider, names }),
      reader: request.reader ?? (() => dialect.reader()),
    }
  }

  /** Makes a call, and again on the last config, as `maxRetries` of the config says. */
  async #attempts<T>(options: ModelCallOptions, call: (wire: Wire, clock: CallClock) => Promise<T>): Promise<T> {
    const { config, clock: retryClock } = this.#init
    const { signal, last } = options
    const timeout = options.timeout ?? config.timeout ?? USUAL_TIMEOUT
    const maxRetryAfter = options.maxRetryAfter ?? 60
    const maxRetries = last === false ? 0 : (config.maxRetries ?? 2)
    const once = async (): Promise<T> => {
      const clock = startCallClock(signal, timeout)
      try {
        // Not everything hears of the signal: a `fetch` or a key of the caller's, a body that does not end.
        return await abortable(call(this.#wire(), clock), clock.signal)
      } catch (error) {
        clock.stop()
        throw this.#failure(error, options, clock)
      }
    }
    return await retry(once, { maxRetries, maxRetryAfter, signal, clock: retryClock })
  }

  #wire(): Wire {
    return (this.#made ??= this.#init.connect())
  }

  #failure(error: unknown, { signal }: ModelCallOptions, { timedOut }: CallClock): unknown {
    const wire = this.#made
    return raiseFailure(error, {
      signal,
      timedOut,
      secrets: wire?.secrets ?? new Set(),
      now: this.#init.now,
      url: wire ? shownUrl(wire.url) : 'the provider',
      refusalOf: (thrown) => wire?.refusalOf?.(thrown),
    })
  }
}

interface Prepared {
  readonly request: LoweredRequest
  readonly answer: () => AnswerBuilder
  readonly reader: () => AnswerReader
}

/** Closes the source of frames. Not awaited; its errors are ignored. */
function givenBack(frames: AsyncIterator<readonly unknown[]>): void {
  frames.return?.().then(undefined, () => {})
}

/** Reads the frames that arrive next; true when there are no more. */
async function taken(
  frames: AsyncIterator<readonly unknown[]>,
  read: AnswerReader,
  open: AnswerBuilder,
  clock: CallClock,
): Promise<boolean> {
  const next = await clock.until(frames.next())
  if (next.done) return true
  clock.restart()
  try {
    for (const frame of next.value) if (read.push(frame, open)) return true
  } catch (error) {
    throw unreadable(error)
  }
  return false
}

/** An answer that the reader cannot read is a failure of the provider: the next config may do better. */
function unreadable(error: unknown): unknown {
  if (isXError(error)) return error
  return modelFailure('server', 'the answer has an unexpected form', { cause: error })
}
