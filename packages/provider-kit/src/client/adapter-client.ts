import type {
  ChatMessage,
  ConfigEntry,
  ContentPart,
  EmbedAnswer,
  EmbedParams,
  ModelAnswer,
  ModelCallOptions,
  ModelCapabilities,
  ModelClient,
  ModelEvent,
  ModelLimits,
  ModelParams,
  Usage,
} from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { createAnswerBuilder, type AnswerBuilder, type AnswerOrigin } from '../answer/answer-builder.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { costOf } from '../catalogue/cost-of.ts'
import { convertError, deepestMessage } from '../failure/convert-error.ts'
import { modelFailure, plainCause } from '../failure/model-failure.ts'
import { shownUrl } from '../http/url.ts'
import { RequestNames } from '../message/identifiers.ts'
import { lowerMessagesBy, unlessJson } from '../message/message-faults.ts'
import { ParamsReader, readParams, type CheckedParams } from '../message/read-params.ts'
import { RequestSchemas } from '../schema/request-schemas.ts'
import { closeFrames, emptyStream, type OpenStream, readNext, ReadyEvents, unexpectedForm } from './answer-stream.ts'
import { answerInBackground } from './background.ts'
import { createBatches } from './batches.ts'
import type {
  AnswerReader,
  BackgroundDialect,
  Dialect,
  EmbeddingsDialect,
  LowerContext,
  LoweredRequest,
  Wire,
} from './dialect.ts'
import { limitsOf, platformClock, RequestClock, type ClockName } from './request-clock.ts'
import { AnswerExtras, readExtras, type RequestExtras, withTrace } from './request-extras.ts'

/** Parts of a client. */
export interface AdapterInit {
  readonly config: ConfigEntry
  /** URL of the endpoint; default: `baseUrl` of the config. */
  readonly endpoint?: string | undefined
  readonly dialect: Dialect
  /** Connects to the provider; called at the first request. */
  readonly connect: () => Wire
  /** Loads what connecting needs, such as an SDK, before the clock of the first request runs. */
  readonly load?: (() => Promise<unknown>) | undefined
  /** Limits, prices and abilities of models. */
  readonly catalogue: Catalogue
  /** Timer and random numbers for the wait before a request is sent again; default: those of the platform. */
  readonly clock?: ModelClient['clock']
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Returns the cost of an answer in US dollars where it does not follow from tokens and a price; null when unknown. */
  readonly cost?: ((answer: ModelAnswer) => number | null) | undefined
}

/**
 * Creates a model client for a wire format: it checks parameters, lowers requests, watches the time, reads answers and
 * converts errors. Each call sends one request.
 */
export function createAdapterClient(init: AdapterInit): ModelClient {
  return new AdapterClient(init)
}

class AdapterClient implements ModelClient {
  readonly capabilities: ModelCapabilities
  readonly countTokens: ModelClient['countTokens']
  readonly embed: ModelClient['embed']
  readonly embedLimits: ModelClient['embedLimits']
  readonly clock: ModelClient['clock']
  readonly endpoint: string | undefined
  readonly #init: AdapterInit
  readonly #params: ParamsReader
  #batches: ModelClient['batches']
  /** The connection, once there was a request. */
  #wire: Wire | undefined
  /** Limits of the latest model. */
  #latest: { readonly model: string; readonly limits: ModelLimits } | undefined

  constructor(init: AdapterInit) {
    this.#init = init
    this.#params = new ParamsReader(init.dialect.optionNames ?? [init.dialect.provider])
    this.capabilities = this.#capabilitiesOf(init.config.model ?? '')
    this.clock = init.clock ?? platformClock()
    this.endpoint = init.endpoint ?? init.config.baseUrl
    const { lowerCount, embeddings } = init.dialect
    if (lowerCount) this.countTokens = async (params, options) => await this.#count(lowerCount, params, options)
    if (embeddings) this.embed = async (params, options) => await this.#embed(embeddings, params, options)
    this.embedLimits = embeddings?.limits
  }

  /** Made when they are asked for: few programs have batches. */
  get batches(): ModelClient['batches'] {
    const { batches } = this.#init.dialect
    return batches && (this.#batches ??= createBatches(batches, this.#forBatches))
  }

  /** Answers a request. */
  async create(params: ModelParams, options: ModelCallOptions): Promise<ModelAnswer> {
    options.onSend?.(false)
    const prepared = this.#prepare(params, options)
    if (prepared.background) return await this.#answerLater(prepared.background, prepared, options)
    return await this.#send(prepared, options, async (request, wire, clock) => {
      const extras = new AnswerExtras(clock, wire, prepared.extras)
      const body = await wire.complete(request, extras)
      return extras.addTo(this.#readWhole(prepared, body, options), body)
    })
  }

  /** Answers a request in the background. The events of the whole answer go to `answer`. */
  async #answerLater(
    dialect: BackgroundDialect,
    prepared: PreparedCall,
    options: ModelCallOptions,
    answer: AnswerBuilder = createAnswerBuilder(prepared.origin, false),
  ): Promise<ModelAnswer> {
    let extras: AnswerExtras | undefined
    const submit = async (): Promise<unknown> =>
      await this.#send(prepared, options, async (sent, wire, clock) => {
        if (!wire.exchange) throw modelFailure('invalid-request', 'the endpoint has no answers in the background')
        return await wire.complete(sent, (extras = new AnswerExtras(clock, wire, prepared.extras)))
      })
    const { clock = platformClock() } = this
    const { askWith } = this.#forBatches
    const body = await answerInBackground(dialect, { submit, askWith, clock, now: this.#init.now }, options)
    const whole = this.#readWhole(prepared, body, options, answer)
    return extras ? extras.addTo(whole, body) : whole
  }

  /** Reads a complete answer. One that has failed may tell its counts, too. */
  #readWhole(
    { origin, request }: Pick<PreparedCall, 'origin' | 'request'>,
    body: unknown,
    { onUsage }: ModelCallOptions = {},
    answer: AnswerBuilder = createAnswerBuilder(origin, false),
  ): ModelAnswer {
    const reader = this.#readerOf(request)
    try {
      if (reader.whole) reader.whole(body, answer)
      else reader.push(body, answer)
      return answer.end()
    } catch (error) {
      if (answer.counts) onUsage?.(answer.counts)
      throw unexpectedForm(error)
    }
  }

  get #forBatches(): Parameters<typeof createBatches<PreparedCall>>[1] {
    const request = { model: this.#init.config.model ?? '', body: {} }
    return {
      prepare: (params, options) => {
        const prepared = this.#prepare(params, options)
        return prepared.extras ? { ...prepared, request: prepared.extras.addTo(prepared.request) } : prepared
      },
      askWith: (options) => async (asked) =>
        await this.#send({ request, extras: undefined }, options, async (_, wire, clock) => {
          if (wire.exchange) return await wire.exchange(asked, new AnswerExtras(clock, wire, undefined))
          throw modelFailure('invalid-request', 'the endpoint has no batches')
        }),
      read: (prepared, body) => this.#readWhole(prepared, body),
      failureOf: (refusal, options) => {
        const clock = new RequestClock({}, {})
        return this.#convertError(refusal, options, clock, { extras: undefined, received: true }) as Error
      },
    }
  }

  /** Answers a request piece by piece. */
  stream(params: ModelParams, options: ModelCallOptions): ReturnType<NonNullable<ModelClient['stream']>> {
    const ready = new ReadyEvents()
    return Object.assign(this.#read(params, options, ready), { takeReady: () => ready.takeRest() })
  }

  async *#read(
    params: ModelParams,
    options: ModelCallOptions,
    ready: ReadyEvents,
  ): AsyncGenerator<ModelEvent, ModelAnswer> {
    options.onSend?.(false)
    const prepared = this.#prepare(params, options)
    if (prepared.background) {
      const answer = createAnswerBuilder(prepared.origin)
      const whole = await this.#answerLater(prepared.background, prepared, options, answer)
      yield* answer.take()
      return whole
    }
    const stream = await this.#openStream(prepared, options)
    const { frames, answer, clock } = stream
    let { progress } = stream
    let event: ModelEvent | undefined
    try {
      for (;;) {
        ready.hold(answer.take())
        // One `yield` per event: `yield*` over a list would wait twice for each.
        while ((event = ready.next())) {
          clock.hold()
          yield event
        }
        if (progress !== 'more') break
        progress = await readNext(stream)
      }
      const whole = stream.extras.addTo(answer.end(progress === 'left'))
      ready.hold(answer.take())
      while ((event = ready.next())) yield event
      return whole
    } catch (error) {
      throw this.#convertError(error, options, clock, { extras: prepared.extras, received: answer.hasContent })
    } finally {
      closeFrames(frames)
      // A consumer may stop early, and some SDKs would go on reading for themselves.
      if (progress === 'ended') clock.stop()
      else clock.cancel()
    }
  }

  /** Sends a request for a stream and reads it up to the first content: before it, a failure can be repaired by another request. */
  async #openStream(prepared: PreparedCall, options: ModelCallOptions): Promise<OpenStream> {
    const count = typeof prepared.params.n === 'number' ? prepared.params.n : 1
    return await this.#send(
      prepared,
      options,
      async (request, wire, clock) => {
        const extras = new AnswerExtras(clock, wire, prepared.extras)
        const source = await wire.stream(request, extras)
        const frames = extras.collectFrames(source)
        const answer = createAnswerBuilder(prepared.origin)
        const { onUsage } = options
        const reader = this.#readerOf(request)
        const state = { progress: 'more', failure: undefined } as const
        const stream: OpenStream = { frames, answer, extras, reader, clock, count, onUsage, ...state }
        try {
          while (!answer.hasContent && stream.progress === 'more') stream.progress = await readNext(stream)
          if (!answer.hasContent && !answer.isFinished(count)) throw emptyStream()
          return stream
        } catch (error) {
          closeFrames(frames)
          throw error
        }
      },
      true,
    )
  }

  async #count(
    lowerCount: NonNullable<Dialect['lowerCount']>,
    params: ModelParams,
    options: ModelCallOptions,
  ): Promise<number> {
    options.onSend?.(false)
    const { checked, context } = this.#check(params, options)
    const request = lowerMessagesBy(checked.messages, () => lowerCount(checked, context), checked.given)
    const prepared = { request, extras: readExtras(params) }
    return await this.#send(prepared, options, async (sent, wire, clock) => {
      const count = this.#init.dialect.readCount?.(await wire.complete(sent, new AnswerExtras(clock, wire, undefined)))
      if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count
      throw modelFailure('server', 'the answer has no number of tokens')
    })
  }

  async #embed(format: EmbeddingsDialect, params: EmbedParams, options: ModelCallOptions): Promise<EmbedAnswer> {
    options.onSend?.(false)
    const { warn = ignore } = options
    const model = params.model ?? this.#init.config.model ?? ''
    const all: ModelParams = { ...(params as object), messages: [] }
    const request = format.lower(readParams(all, this.#params.names).given, { model, warn })
    return await this.#send({ request, extras: readExtras(all) }, options, async (sent, wire, clock) => {
      const body = await wire.complete(sent, new AnswerExtras(clock, wire, undefined))
      try {
        return format.read(body, model)
      } catch (error) {
        throw unexpectedForm(error)
      }
    })
  }

  #prepare(params: ModelParams, options: ModelCallOptions): PreparedCall {
    const { dialect } = this.#init
    const { checked, context } = this.#check(params, options)
    const { model, names, schemas } = context
    const request = lowerMessagesBy(checked.messages, () => dialect.lower(checked, context), checked.given)
    schemas.warnOfUnenforced()
    const extras = readExtras(params)
    return {
      params,
      request,
      extras,
      origin: { model, provider: dialect.provider, names, schemas },
      background: this.#backgroundOf(checked, request, extras),
    }
  }

  /** Returns the wire format of an answer in the background, if a request asks for one. */
  #backgroundOf(
    { given }: CheckedParams,
    request: LoweredRequest,
    extras: RequestExtras | undefined,
  ): BackgroundDialect | undefined {
    const asked = extras ? extras.addTo(request) : request
    if (given['background'] !== true && asked.body['background'] !== true) return undefined
    const { background } = this.#init.dialect
    if (background?.takes(asked)) return background
    throw new XError(
      'invalid-argument',
      'cannot ask for a background answer here, which would be paid for and never read: the Responses API has them; set `api` to `responses` if the endpoint has it, or leave `background: true` out',
      { details: { key: 'background' } },
    )
  }

  #check(
    params: ModelParams,
    { warn = ignore }: ModelCallOptions,
  ): { readonly checked: CheckedParams; readonly context: LowerContext } {
    const { config, dialect, catalogue } = this.#init
    const model = params.model ?? config.model ?? ''
    const checked = this.#params.read(params)
    const { abilities } = catalogue.factsOf(model)
    const names = new RequestNames(checked, dialect.names)
    return { checked, context: { model, names, abilities, schemas: new RequestSchemas(warn), warn } }
  }

  #readerOf({ reader }: LoweredRequest): AnswerReader {
    return reader ? reader() : this.#init.dialect.reader()
  }

  /** Sends one request and reads its answer by `read`. The clock of a stream goes on; any other one stops. */
  async #send<T>(
    { request, extras }: Pick<PreparedCall, 'request' | 'extras'>,
    options: ModelCallOptions,
    read: (request: LoweredRequest, wire: Wire, clock: RequestClock) => Promise<T>,
    streamed: boolean = false,
  ): Promise<T> {
    const { config, load } = this.#init
    const { onSend, timeouts, timeout = config.timeout } = options
    if (load && !this.#wire) await load().catch((error: unknown) => this.#failToLoad(error, options))
    const clock = new RequestClock(options, limitsOf({ timeouts, timeout }, streamed), onSend)
    try {
      const traced = options.trace ? withTrace(request, options.trace) : request
      const sent = extras ? extras.addTo(traced) : traced
      const wire = (this.#wire ??= this.#init.connect())
      // A wire without our transport tells nothing: its request counts as sent.
      onSend?.(true)
      // Not everything obeys the signal: a `fetch` or a key function of the caller, a body that does not end.
      const result = await clock.race(read(sent, wire, clock))
      if (!streamed) clock.stop()
      return result
    } catch (error) {
      clock.stop()
      const signal = clock.hasCallerLeft ? clock.signal : undefined
      const received = clock.hasResponse && !streamed
      const reason = unlessJson(error, () => (extras ? extras.addTo(request) : request))
      const failure = this.#convertError(reason, { signal }, clock, { extras, received })
      if (!isXError(failure) || signal) throw failure
      warnOfRedirect(failure, options)
      throw request.learn?.(failure) ? askAgain(failure) : failure
    }
  }

  #failToLoad(error: unknown, { signal }: ModelCallOptions): never {
    throw convertError(error, { signal, secrets: new Set(), now: this.#init.now, url: 'the provider' })
  }

  #convertError(
    error: unknown,
    { signal }: Pick<ModelCallOptions, 'signal'>,
    clock: RequestClock,
    { extras, received }: { readonly extras: RequestExtras | undefined; readonly received: boolean },
  ): unknown {
    const wire = this.#wire
    const { secrets: own = new Set<string>() } = wire ?? {}
    const secrets = extras ? new Set([...own, ...extras.secrets]) : own
    const url = wire ? shownUrl(wire.url) : 'the provider'
    if (clock.expired && !signal?.aborted) {
      const cause = plainCause(error, secrets)
      const message = `\`${url}\` did not answer in time: ${TIMEOUT_TEXTS[clock.expired](received)}`
      return modelFailure('timeout', message, { cause, details: { clock: clock.expired, received } })
    }
    const failure = convertError(error, {
      signal,
      secrets,
      now: this.#init.now,
      url,
      refusalOf: (thrown) => wire?.refusalOf?.(thrown),
      rules: this.#init.dialect.failureRules,
    })
    if (!isXError(failure) || failure.kind !== 'connection' || !clock.hasLeft || failure.details) return failure
    const reason = deepestMessage(failure.cause as Error | undefined)
    const part = received ? 'in the middle of the answer' : 'before an answer came'
    const message = `the connection to \`${url}\` broke off ${part}${reason === undefined ? '' : `: ${reason}`}`
    return modelFailure('connection', message, { cause: failure.cause, details: { received } })
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

const ignore = (): void => {}

/** A call whose request is lowered. */
interface PreparedCall {
  readonly params: ModelParams
  readonly request: LoweredRequest
  readonly extras: RequestExtras | undefined
  readonly origin: AnswerOrigin
  /** Set if the provider makes the answer in the background. */
  readonly background: BackgroundDialect | undefined
}

/** Texts of the limits that a request has exceeded. */
const TIMEOUT_TEXTS: Readonly<Record<ClockName, (received: boolean) => string>> = {
  connect: () => 'no connection took the request (`connect`)',
  firstByte: () => 'no byte of an answer came (`firstByte`)',
  silence: (received) => `no further byte came ${received ? 'after' : 'before'} the first content (\`silence\`)`,
  call: (received) => `the answer was not whole${received ? ', although a part of it had come' : ''} (\`call\`)`,
}

/** Marks a failure whose request can be asked again at once, in a form that the client has learnt. */
const askAgain = ({ kind = 'server', message, status, retryAfterMs, details, cause }: XError): XError =>
  modelFailure(kind, message, { status, retryAfterMs, cause, details: { ...details, askAgain: true } })

/** Warns of an endpoint that redirects: each redirect costs a request. */
function warnOfRedirect({ details }: XError, { warn }: ModelCallOptions): void {
  const target = details?.['redirect']
  if (typeof target !== 'string') return
  warn?.('redirect', `the endpoint redirects to \`${target}\`, and each redirect is a request: set \`baseUrl\` to it`)
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
