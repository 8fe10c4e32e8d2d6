import type { ConfigEntry, ModelLimits, Provider } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { secretsOf } from '@x/kernel/redact'
import {
  createAdapterClient,
  createTransport,
  platformClock,
  withModelRefs,
  createCatalogue,
  type Catalogue,
  type CatalogueData,
  type Dialect,
  type Wire,
} from '@x/provider-kit'
import { anthropicCatalogue, costOfAnswer } from './catalogue.ts'
import { CONFIG_KEYS, keyVariablesOf, readConfig, type AnthropicConfig } from './config.ts'
import { familyOf } from './family.ts'
import { lowerCount, lowerRequest, type LowerConfig } from './lower-request.ts'
import { ID_RULE } from './lower-messages.ts'
import { createReader } from './read-answer.ts'

/** Options of `createAnthropic`. */
export interface AnthropicOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
  /** Limits and prices of models that win over those of `anthropicCatalogue`. */
  catalogue?: CatalogueData | undefined
  /** Sends requests for configs without a `fetch`; default: a lean transport. */
  fetch?: typeof globalThis.fetch | undefined
}

const ADAPTER_KINDS: OptionKinds<AnthropicOptions> = {
  catalogue: kind.object,
  clock: kind.having('a clock with `sleep` and `random`', 'sleep', 'random'),
  now: kind.call,
  fetch: kind.call,
}

/** URL of the provider. */
const ANTHROPIC_URL = 'https://api.anthropic.com'

/** Words of other libraries for options of the adapter: what configures requests belongs to a model. */
const FOREIGN_WORDS = {
  'apiKey baseURL baseUrl headers defaultHeaders timeout maxRetries authToken':
    "give it with the model, as in `anthropic('claude-haiku-4-5', { apiKey })`, with `baseUrl`, `timeout` in seconds, `maxRetries` and `defaultHeaders`",
}

/** An adapter that names its models when it is called. */
type AnthropicProvider = ReturnType<typeof withModelRefs<AnthropicConfig>>

/**
 * Creates an adapter for Anthropic's Messages API and compatible endpoints. Called with the name of a model, it returns a
 * `ModelRef`.
 */
export function createAnthropic(options: AnthropicOptions = {}): AnthropicProvider {
  checkOptions(options, ADAPTER_KINDS, 'run `createAnthropic`', FOREIGN_WORDS)
  const { clock = platformClock(), now = Date.now } = options
  const fetch = createTransport(options.fetch)
  let catalogue: Catalogue | undefined
  // Another thread can import this adapter only without options; prices are applied in this thread.
  const isPlain = Object.keys(options).every((name) => name === 'catalogue')
  const provider: Provider = {
    name: '@x/provider-anthropic',
    apiTypes: ['anthropic'],
    ...(isPlain && { module: { specifier: '@x/provider-anthropic', export: 'anthropic', url: import.meta.url } }),
    specVersion: 1,
    clientKeys: CONFIG_KEYS,
    createClient(config) {
      const models = (catalogue ??= createCatalogue(
        ...(options.catalogue ? [options.catalogue] : []),
        anthropicCatalogue,
      ))
      const limitsOf = (model: string): ModelLimits => models.factsOf(model)
      const dialect = createDialect({ ...readConfig(config), defaultHeaders: config.defaultHeaders, limitsOf })
      const endpoint = config.baseUrl || globalThis.process?.env['ANTHROPIC_BASE_URL'] || ANTHROPIC_URL
      return createAdapterClient({
        config,
        endpoint,
        catalogue: models,
        clock,
        now,
        dialect,
        connect: () => connectBySdk(config, config.fetch ? createTransport(config.fetch) : fetch, endpoint),
        cost: (answer) => costOfAnswer(answer, models),
      })
    },
  }
  return withModelRefs<AnthropicConfig>(provider, keyVariablesOf)
}

/** Connects to the provider by its SDK, of which 300 files load at the first request. */
function connectBySdk(config: ConfigEntry, fetch: typeof globalThis.fetch, endpoint: string): Wire {
  const secrets = secretsOf(config)
  let wire: Wire | undefined
  const load = async ({ begin }: Parameters<Wire['complete']>[1]): Promise<Wire> => {
    begin?.()
    const { createSdkWire } = await import('./sdk-wire.ts')
    return (wire ??= createSdkWire(config, fetch, secrets))
  }
  return {
    secrets,
    get url() {
      return wire?.url ?? endpoint
    },
    complete: async (request, call) => await (await load(call)).complete(request, call),
    stream: async (request, call) => await (await load(call)).stream(request, call),
    refusalOf: (error) => wire?.refusalOf?.(error),
  }
}

function createDialect(config: LowerConfig): Dialect {
  return {
    provider: 'anthropic',
    ids: ID_RULE,
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities(model) {
      const {
        structured,
        contextWindow,
        maxTokens: maxOutput,
      } = familyOf(model, config.limitsOf(model), config.modelFamily)
      // Without structured output the answer is a forced call, and the model would never call other tools.
      const format = { structuredOutputWithTools: structured }
      const limits = { contextWindow, maxOutput }
      return { tools: true, images: true, structuredOutput: 'schema', ...format, streaming: true, ...limits }
    },
    lower: (params, context) => lowerRequest(params, context, config),
    reader: () => createReader(''),
    lowerCount: (params, context) => lowerCount(params, context, config),
    readCount: (body) => (body as { input_tokens?: unknown } | null)?.input_tokens,
  }
}

/**
 * Adapter for Anthropic's Messages API and compatible endpoints: `anthropic('claude-haiku-4-5')` is a model of it, for
 * `llmConfig` and agents.
 */
export const anthropic: AnthropicProvider = createAnthropic()
