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
  modelFailure,
  priceOf,
  retried,
  retrievedMessages,
  usageOf,
  type NameMap,
  type PriceTable,
  type RetryClock,
} from '@x/provider-kit'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import { familyOf } from './family.ts'
import { lowerMessages } from './lower-messages.ts'
import { lowerParams } from './lower-params.ts'
import { raiseAnswer, type WireAnswer } from './raise-answer.ts'
import { raiseError, raiseFrame, type CallFacts } from './raise-error.ts'
import { readStream } from './read-stream.ts'

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
    const { signal } = options
    const wire = await this.#retried(
      options,
      () => signal,
      async ({ sdk }, request) => {
        if ('prompt' in body) return await sdk.completions.create({ ...body, stream: false } as never, request)
        return await sdk.chat.completions.create(body as never, request)
      },
    )
    return raiseAnswer(readable(wire, this.#endpoint().secrets), model, names)
  }

  /** Answers a request piece by piece. A pause longer than the timeout ends it. */
  async *stream(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer> {
    const { body, names, model } = this.#lowered(params, options)
    const clock = this.#idleClock(options)
    try {
      const sent = { ...body, stream: true, stream_options: { include_usage: true } } as never
      const response = await this.#retried(
        options,
        () => clock.signal,
        async ({ sdk }, request) => {
          const call =
            'prompt' in body ? sdk.completions.create(sent, request) : sdk.chat.completions.create(sent, request)
          return await call.asResponse()
        },
      )
      clock.start()
      const { secrets } = this.#endpoint()
      return yield* readStream(response, { model, names, secrets, alive: () => clock.alive() })
    } catch (error) {
      throw raiseError(error, this.#facts(options.signal, clock.ranOut()))
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

  /** Makes a request, and again on the last config, as `maxRetries` of the config says. */
  async #retried<T>(
    { signal, last, timeout, maxRetryAfter = 60 }: ModelCallOptions,
    stopper: () => AbortSignal | undefined,
    call: (endpoint: Endpoint, request: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const maxRetries = last === false ? 0 : (this.#config.maxRetries ?? 2)
    const once = async (): Promise<T> => {
      try {
        const request = { signal: stopper(), ...(timeout !== undefined && { timeout: timeout * 1000 }) }
        return await call(this.#endpoint(), request)
      } catch (error) {
        throw raiseError(error, this.#facts(signal, false))
      }
    }
    return await retried(once, { maxRetries, maxRetryAfter, signal, clock: this.#platform.clock })
  }

  #endpoint(): Endpoint {
    return (this.#made ??= createEndpoint(this.#config, this.#config.fetch ?? this.#platform.fetch))
  }

  #facts(signal: AbortSignal | undefined, timedOut: boolean): CallFacts {
    const { sdk, secrets } = this.#made ?? {}
    const url = (sdk?.baseURL ?? 'the endpoint').replace(/\/\/[^/@]*@/u, '//')
    return { signal, timedOut, secrets: secrets ?? new Set(), now: this.#platform.now, url }
  }

  /** Watches the pauses of a stream, and passes the caller's abort on. */
  #idleClock({ signal, timeout = this.#config.timeout ?? USUAL_TIMEOUT }: ModelCallOptions): IdleClock {
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    let timer: NodeJS.Timeout | undefined
    let ranOut = false
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    return {
      signal: controller.signal,
      start() {
        timer = setTimeout(() => {
          ranOut = true
          abort()
        }, timeout * 1000)
      },
      alive: () => void timer?.refresh(),
      ranOut: () => ranOut,
      stop() {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      },
    }
  }
}

interface Lowered {
  readonly model: string
  readonly names: NameMap
  readonly body: Record<string, unknown>
}

interface RequestOptions {
  readonly signal: AbortSignal | undefined
  readonly timeout?: number
}

interface IdleClock {
  readonly signal: AbortSignal
  start(): void
  alive(): void
  ranOut(): boolean
  stop(): void
}

/** Gives an answer that can be read; an error in a body that came as a success is a failure. */
function readable(wire: unknown, secrets: ReadonlySet<string>): WireAnswer {
  if (typeof wire !== 'object' || wire === null) throw modelFailure('server', 'the answer is no JSON object')
  const failure = raiseFrame(wire, secrets)
  if (failure) throw failure
  return wire
}

function toolNames({ tools, functions, messages }: ModelParams): string[] {
  return [
    ...((tools as { function?: { name: string } }[] | undefined) ?? []).flatMap((tool) => tool.function?.name ?? []),
    ...((functions as { name: string }[] | undefined) ?? []).map(({ name }) => name),
    ...messages.flatMap(({ tool_calls: calls }) => (calls ?? []).flatMap((call) => call.function?.name ?? [])),
  ]
}
