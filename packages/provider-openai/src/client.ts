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
import {
  costOf,
  createNameMap,
  priceOf,
  retried,
  retrievedMessages,
  shownUrl,
  startCallClock,
  toolNames,
  usageOf,
  type CallClock,
  type NameMap,
  type PriceTable,
  type RetryClock,
} from '@x/provider-kit'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import { familyOf } from './family.ts'
import { foldStream } from './fold-stream.ts'
import { lowerMessages } from './lower-messages.ts'
import { lowerParams } from './lower-params.ts'
import { raiseError, type CallFacts } from './raise-error.ts'
import { readStream } from './read-stream.ts'
import { send } from './send.ts'
import { wholeAnswer } from './whole-answer.ts'

/** What the client takes from outside. */
export interface ClientPlatform {
  readonly prices: PriceTable
  readonly clock: RetryClock
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** What requests are sent with where a config brings no `fetch`. */
  readonly fetch: typeof globalThis.fetch
}

/** Names of tools: letters, digits, `_` and `-`. */
const NAME_RULE = { maxLength: 64, forbidden: /[^\w-]/gu }

/** Seconds that a call may take when neither it nor its config says. */
const USUAL_TIMEOUT = 600

/** One model behind one endpoint that speaks OpenAI's chat completions. */
export class OpenAIClient implements ModelClient {
  readonly capabilities: ModelCapabilities = { streaming: true }
  readonly #config: ConfigEntry
  readonly #platform: ClientPlatform
  #made: Endpoint | undefined

  constructor(config: ConfigEntry, platform: ClientPlatform) {
    this.#config = config
    this.#platform = platform
  }

  /** Answers a request. */
  async create(params: ModelParams, options: ModelCallOptions): Promise<ModelAnswer> {
    const { body, names, model } = this.#lowered(params, options)
    return await this.#attempts(options, async (endpoint, clock) => {
      try {
        const response = await send(endpoint, body, clock.signal)
        const fold = foldStream(model, names)
        fold.push(wholeAnswer(await response.text(), endpoint.secrets), [])
        return fold.end([])
      } finally {
        clock.stop()
      }
    })
  }

  /** Answers a request piece by piece. A pause longer than the timeout ends it. */
  async *stream(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer> {
    const { body, names, model } = this.#lowered(params, options)
    const streamed = { ...body, stream: true, ...(this.#streamsUsage() && { stream_options: { include_usage: true } }) }
    const { response, clock, secrets } = await this.#attempts(options, async (endpoint, clock) => {
      return { response: await send(endpoint, streamed, clock.signal), clock, secrets: endpoint.secrets }
    })
    try {
      clock.restart()
      return yield* readStream(response, { model, names, secrets, alive: () => clock.restart() })
    } catch (error) {
      throw raiseError(error, this.#facts(options, clock.timedOut))
    } finally {
      clock.stop()
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
  cost({ model, usage }: ModelAnswer): number | null {
    const { prices } = this.#platform
    const price = priceOf(prices, model) ?? priceOf(prices, this.#config.model ?? '')
    return price && usage ? costOf(price, usage) : null
  }

  #lowered(params: ModelParams, { warn = () => {} }: ModelCallOptions): Lowered {
    const model = params.model ?? this.#config.model ?? ''
    const family = familyOf(model, this.#config['reasoningModel'] as boolean | undefined)
    const names = createNameMap(toolNames(params), NAME_RULE)
    const body = lowerParams({ ...params, model }, family, names, warn)
    const isPrompt = params['prompt'] !== undefined
    const messages = isPrompt ? {} : { messages: lowerMessages(params.messages, family.reasoning, names) }
    return { model, names, body: { ...body, ...messages } }
  }

  /** Makes a call, and again on the last config, as `maxRetries` of the config says; each attempt has its own clock. */
  async #attempts<T>(
    options: ModelCallOptions,
    call: (endpoint: Endpoint, clock: CallClock) => Promise<T>,
  ): Promise<T> {
    const { signal, last, timeout = this.#config.timeout ?? USUAL_TIMEOUT, maxRetryAfter = 60 } = options
    const maxRetries = last === false ? 0 : (this.#config.maxRetries ?? 2)
    const once = async (): Promise<T> => {
      const clock = startCallClock(signal, timeout)
      try {
        return await call(this.#endpoint(), clock)
      } catch (error) {
        clock.stop()
        throw raiseError(error, this.#facts(options, clock.timedOut))
      }
    }
    return await retried(once, { maxRetries, maxRetryAfter, signal, clock: this.#platform.clock })
  }

  /** Streams report usage when they are asked to; Azure's versions before September 2024 refuse the question. */
  #streamsUsage(): boolean {
    const { apiType, apiVersion = '', streamUsage } = this.#config
    if (typeof streamUsage === 'boolean') return streamUsage
    const dated = /^\d{4}-\d{2}-\d{2}/u.exec(apiVersion)?.[0]
    return !(apiType?.startsWith('azure') && dated !== undefined && dated < '2024-09-01')
  }

  #endpoint(): Endpoint {
    return (this.#made ??= createEndpoint(this.#config, this.#config.fetch ?? this.#platform.fetch))
  }

  #facts({ signal }: ModelCallOptions, timedOut: boolean): CallFacts {
    const { sdk, secrets = new Set<string>() } = this.#made ?? {}
    return { signal, timedOut, secrets, now: this.#platform.now, url: shownUrl(sdk?.baseURL ?? 'the endpoint') }
  }
}

interface Lowered {
  readonly model: string
  readonly names: NameMap
  readonly body: Record<string, unknown>
}
