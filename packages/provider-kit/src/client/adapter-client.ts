import type {
  ChatMessage,
  ConfigEntry,
  ContentPart,
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
import type { Catalogue } from '../catalogue/catalogue.ts'
import { costOf } from '../catalogue/cost-of.ts'
import { convertError } from '../failure/convert-error.ts'
import { modelFailure } from '../failure/model-failure.ts'
import { shownUrl } from '../http/url.ts'
import { createNameMap, toolNamesOf } from '../message/identifiers.ts'
import { readParams, type CheckedParams } from '../message/read-params.ts'
import { startCallClock, type CallClock } from './call-clock.ts'
import type { AnswerReader, Dialect, LowerContext, LoweredRequest, Wire } from './dialect.ts'
import { AnswerExtras, readExtras, type RequestExtras } from './request-extras.ts'
import { retry, type RetryClock } from './retry.ts'

/** Parts of a client. */
export interface AdapterInit {
  readonly config: ConfigEntry
  readonly dialect: Dialect
  /** Connects to the provider; called at the first request. */
  readonly connect: () => Wire
  /** Limits, prices and abilities of models. */
  readonly catalogue: Catalogue
  readonly clock: RetryClock
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Returns the cost of an answer in US dollars where it does not follow from tokens and a price; null when unknown. */
  readonly cost?: ((answer: ModelAnswer) => number | null) | undefined
}

const DEFAULT_TIMEOUT_S = 600

const DEFAULT_MAX_RETRIES = 2

/** Longest wait that a provider may ask for by default. */
const DEFAULT_MAX_RETRY_AFTER_S = 60

/** Creates a model client for a wire format: it checks parameters, lowers requests, retries, watches the time, reads answers and converts errors. */
export function createAdapterClient(init: AdapterInit): ModelClient {
  return new AdapterClient(init)
}

class AdapterClient implements ModelClient {
  readonly capabilities: ModelCapabilities
  readonly countTokens: ModelClient['countTokens']
  readonly #init: AdapterInit
  /** The connection, once there was a request. */
  #wire: Wire | undefined
  /** Limits of the latest model. */
  #latest: { readonly model: string; readonly limits: ModelLimits } | undefined

  constructor(init: AdapterInit) {
    this.#init = init
    this.capabilities = this.#capabilitiesOf(init.config.model ?? '')
    const { lowerCount } = init.dialect
    if (lowerCount) this.countTokens = async (params, options) => await this.#count(lowerCount, params, options)
  }

  /** Answers a request. */
  async create(params: ModelParams, options: ModelCallOptions): Promise<ModelAnswer> {
    const prepared = this.#prepare(params, options)
    return await this.#callWithRetries(prepared, options, async (request, wire, clock) => {
      try {
        const extras = new AnswerExtras(wire, prepared.extras)
        const body = await wire.complete(request, { signal: clock.signal, onHeaders: extras.onHeaders })
        const answer = prepared.createAnswer()
        const reader = this.#readerOf(request)
        try {
          if (reader.whole) reader.whole(body, answer)
          else reader.push(body, answer)
        } catch (error) {
          throw unexpectedForm(error)
        }
        return extras.addTo(answer.end(), body)
      } finally {
        clock.stop()
      }
    })
  }

  /** Answers a request piece by piece. A pause longer than the timeout ends it. */
  async *stream(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer> {
    const prepared = this.#prepare(params, options)
    const count = typeof params.n === 'number' ? params.n : 1
    const { stream, extras, ...begun } = await this.#callWithRetries(
      prepared,
      options,
      async (request, wire, clock) => {
        const extras = new AnswerExtras(wire, prepared.extras)
        const source = await wire.stream(request, { signal: clock.signal, onHeaders: extras.onHeaders })
        const frames = extras.collectFrames(source)
        const answer = prepared.createAnswer()
        const stream: OpenStream = { frames, answer, reader: this.#readerOf(request), clock, count }
        try {
          // A failure before the first content can be retried: nobody has seen anything of the answer.
          let progress: Progress = 'more'
          while (!answer.hasContent && progress === 'more') progress = await readNext(stream)
          if (!answer.hasContent && !answer.isFinished(count)) throw emptyStream()
          return { stream, extras, progress }
        } catch (error) {
          closeFrames(frames)
          throw error
        }
      },
    )
    const { frames, answer, clock } = stream
    let { progress } = begun
    try {
      for (const event of answer.take()) yield event
      while (progress === 'more') {
        progress = await readNext(stream)
        // One `yield` per event: `yield*` over a list would wait twice for each.
        for (const event of answer.take()) yield event
      }
      const whole = extras.addTo(answer.end())
      for (const event of answer.take()) yield event
      return whole
    } catch (error) {
      throw this.#convertError(error, options, clock, prepared.extras)
    } finally {
      closeFrames(frames)
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
    const { checked, context } = this.#check(params, options)
    const prepared = { request: lowerCount(checked, context), extras: readExtras(params) }
    return await this.#callWithRetries(prepared, options, async (request, wire, clock) => {
      try {
        const count = dialect.readCount?.(await wire.complete(request, { signal: clock.signal }))
        if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count
        throw modelFailure('server', 'the answer has no number of tokens')
      } finally {
        clock.stop()
      }
    })
  }

  #prepare(params: ModelParams, options: ModelCallOptions): PreparedCall {
    const { dialect } = this.#init
    const { checked, context } = this.#check(params, options)
    const { model, names } = context
    return {
      request: dialect.lower(checked, context),
      extras: readExtras(params),
      createAnswer: () => createAnswerBuilder({ model, provider: dialect.provider, names }),
    }
  }

  #check(
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
   * Makes a call; with the last config, repeats it as `maxRetries` of the config says. A refusal that says how to ask instead
   * leads to a further call at once.
   */
  async #callWithRetries<T>(
    { request: firstRequest, extras }: Pick<PreparedCall, 'request' | 'extras'>,
    options: ModelCallOptions,
    call: (request: LoweredRequest, wire: Wire, clock: CallClock) => Promise<T>,
  ): Promise<T> {
    const { config, clock: retryClock } = this.#init
    const { signal, last } = options
    const timeout = options.timeout ?? config.timeout ?? DEFAULT_TIMEOUT_S
    const maxRetryAfter = options.maxRetryAfter ?? DEFAULT_MAX_RETRY_AFTER_S
    const maxRetries = last === false ? 0 : (config.maxRetries ?? DEFAULT_MAX_RETRIES)
    const retryOptions = { maxRetries, maxRetryAfter, signal, clock: retryClock }
    let request = firstRequest
    let latestFailure: unknown
    const attempt = async (): Promise<T> => {
      if (options.onSend?.() === false) {
        retryOptions.maxRetries = 0
        throw latestFailure
      }
      const clock = startCallClock(signal, timeout)
      try {
        const sent = extras ? extras.addTo(request) : request
        const wire = (this.#wire ??= this.#init.connect())
        // Not everything obeys the signal: a `fetch` or a key function of the caller, a body that does not end.
        return await abortable(call(sent, wire, clock), clock.signal)
      } catch (error) {
        clock.stop()
        const failure = (latestFailure = this.#convertError(error, options, clock, extras))
        const instead = isXError(failure) && !signal?.aborted ? request.instead?.(failure) : undefined
        if (!instead) throw failure
        request = instead
        return await attempt()
      }
    }
    return await retry(attempt, retryOptions)
  }

  #convertError(
    error: unknown,
    { signal }: ModelCallOptions,
    { timedOut }: CallClock,
    extras: RequestExtras | undefined,
  ): unknown {
    const wire = this.#wire
    const { secrets = new Set<string>() } = wire ?? {}
    return convertError(error, {
      signal,
      timedOut,
      secrets: extras ? new Set([...secrets, ...extras.secrets]) : secrets,
      now: this.#init.now,
      url: wire ? shownUrl(wire.url) : 'the provider',
      refusalOf: (thrown) => wire?.refusalOf?.(thrown),
    })
  }

  /** Returns the texts of an answer, or the messages if one holds more: calls, images, or parts that only the provider can read. */
  messageRetrieval({ choices }: ModelAnswer): string[] | ChatMessage[] {
    if (choices.some(isMoreThanText)) return choices.map(messageWithImages)
    return choices.map(({ message: { content } }) => {
      if (typeof content === 'string') return content
      return Array.isArray(content) ? content.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
    })
  }

  /** Returns tokens and cost of an answer. */
  getUsage(answer: ModelAnswer): Usage {
    const { model, usage } = answer
    return {
      model,
      promptTokens: usage?.prompt_tokens ?? 0,
      completionTokens: usage?.completion_tokens ?? 0,
      totalTokens: usage?.total_tokens ?? 0,
      cachedTokens: usage?.cached_tokens,
      reasoningTokens: usage?.reasoning_tokens,
      cost: this.cost(answer) ?? 0,
    }
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
    if (this.#latest?.model === model) return this.#latest.limits
    const { contextWindow, maxOutput } = this.#capabilitiesOf(model)
    const limits = { contextWindow, maxOutput }
    this.#latest = { model, limits }
    return limits
  }

  /** Returns the abilities by the catalogue; those of the wire format and the config win. */
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
}

/** A call whose request is lowered. */
interface PreparedCall {
  readonly request: LoweredRequest
  readonly extras: RequestExtras | undefined
  readonly createAnswer: () => AnswerBuilder
}

/** A streamed answer while it is read. */
interface OpenStream {
  readonly frames: AsyncIterator<readonly unknown[]>
  readonly reader: AnswerReader
  readonly answer: AnswerBuilder
  readonly clock: CallClock
  /** Number of requested choices. */
  readonly count: number
}

/** How far a stream was read: there is more, it has ended, or its answer is whole and the connection is left. */
type Progress = 'more' | 'ended' | 'left'

/** Reads the frames that arrive next; not an async function, since a stream calls it for every piece. */
function readNext(stream: OpenStream): Promise<Progress> {
  const { frames, answer, clock, count } = stream
  if (answer.isFinished(count)) return readTrailer(stream)
  return clock.until(frames.next(), (next) => pushFrames(stream, next))
}

function pushFrames({ reader, answer, clock }: OpenStream, next: IteratorResult<readonly unknown[]>): Progress {
  if (next.done) return 'ended'
  clock.restart()
  try {
    for (const frame of next.value) if (reader.push(frame, answer)) return 'ended'
  } catch (error) {
    throw unexpectedForm(error)
  }
  return 'more'
}

/** Time that counts may take to come after the last word of an answer. */
const TRAILER_TIMEOUT_S = 5

/** Reads the frames behind a whole answer, which stands even if the connection fails or goes silent: then it is left. */
async function readTrailer(stream: OpenStream): Promise<Progress> {
  const { frames, clock } = stream
  const trailerClock = startCallClock(clock.signal, TRAILER_TIMEOUT_S)
  let next: IteratorResult<readonly unknown[]>
  try {
    next = await trailerClock.until(frames.next(), (value) => value)
  } catch (error) {
    if (clock.signal.aborted && !clock.timedOut) throw error
    return 'left'
  } finally {
    trailerClock.stop()
  }
  return pushFrames(stream, next)
}

/** Closes the source of frames. Not awaited; its errors are ignored. */
function closeFrames(frames: AsyncIterator<readonly unknown[]>): void {
  frames.return?.().then(undefined, () => {})
}

/** Makes the failure of a stream without content, which can be retried: nobody has seen anything of it, or paid for it. */
const emptyStream = (): XError =>
  modelFailure('truncated', 'the stream ended before any content', { details: { shouldRetry: true } })

/** Makes a failure of the provider of an error of the reader: the next config may do better. */
function unexpectedForm(error: unknown): unknown {
  if (isXError(error)) return error
  return modelFailure('server', 'the answer has an unexpected form', { cause: error })
}

const isMoreThanText = ({ message, media, provider_parts: parts }: ModelAnswer['choices'][number]): boolean =>
  Boolean(message.tool_calls?.length || message.function_call || media || parts)

/** Returns the message of a choice, with the images of the model as parts of its content. */
function messageWithImages({ message, media = [] }: ModelAnswer['choices'][number]): ChatMessage {
  const images = media.flatMap(({ type, url }): ContentPart[] =>
    type === 'image' && url !== undefined ? [{ type: 'image_url', image_url: { url } }] : [],
  )
  const { content } = message
  if (images.length === 0 || typeof content === 'function') return message
  const texts = Array.isArray(content) ? content : content ? [{ type: 'text' as const, text: content }] : []
  return { ...message, content: [...texts, ...images] }
}
