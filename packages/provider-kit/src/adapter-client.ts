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
import { abortable, isXError } from '@x/kernel'
import { createAnswerBuilder, type AnswerBuilder } from './answer-builder.ts'
import { startCallClock, type CallClock } from './call-clock.ts'
import { toolNames, type AnswerReader, type Dialect, type LoweredRequest, type Wire } from './dialect.ts'
import { modelFailure } from './failure.ts'
import { costOf, priceOf, type ModelPrice, type PriceTable } from './prices.ts'
import { raiseFailure } from './raise-failure.ts'
import { retried, type RetryClock } from './retried.ts'
import { retrievedMessages, usageOf } from './retrieval.ts'
import { shownUrl } from './secrets.ts'
import { createNameMap } from './tool-names.ts'

/** What a client takes from outside. */
export interface AdapterPlatform {
  readonly prices: PriceTable
  readonly clock: RetryClock
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What a client is made of. */
export interface AdapterInit extends AdapterPlatform {
  readonly config: ConfigEntry
  readonly dialect: Dialect
  /** Makes the way to the provider, at the first call. */
  readonly connect: () => Wire
  /** Cost of an answer in US dollars where tokens and a price do not tell it; null when unknown. */
  readonly cost?: ((answer: ModelAnswer) => number | null) | undefined
}

/** Seconds that a call may take when neither it nor its config says. */
const USUAL_TIMEOUT = 600

/** Model names whose prices are kept: who answers chooses them. */
const MOST_MODELS = 100

/** Makes a model client out of a wire format and a way to reach it: lowering, retries, clocks, reading and errors. */
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

  /** Gives the texts of an answer, or its messages when they hold calls. */
  messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[] {
    return retrievedMessages(answer)
  }

  /** Gives tokens and cost of an answer. */
  getUsage(answer: ModelAnswer): Usage {
    return usageOf(answer, this.cost(answer) ?? 0)
  }

  /** Gives the cost of an answer by the model that gave it, else by the one that was asked; null when neither is known. */
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
    const names = createNameMap(toolNames(params), dialect.names)
    const request = dialect.lower(params, { model, names, warn })
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
    return await retried(once, { maxRetries, maxRetryAfter, signal, clock: retryClock })
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

/** Gives the source of frames back. It is not waited for, and what it says is no news: the call has an end of its own. */
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

/** An answer that a reader stumbles over is a failure of who gave it: the next config may do better. */
function unreadable(error: unknown): unknown {
  if (isXError(error)) return error
  return modelFailure('server', 'the answer is not of the form that it should have', { cause: error })
}
