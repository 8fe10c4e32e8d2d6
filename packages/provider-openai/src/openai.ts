import type { Provider } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import {
  createAdapterClient,
  createTransport,
  platformClock,
  withModelRefs,
  type Catalogue,
  type CatalogueData,
} from '@x/provider-kit'
import { catalogueOf } from './catalogue.ts'
import { CONFIG_KEYS, readConfig, type OpenAIConfig, type OpenAISdk } from './config.ts'
import { createOpenAIDialect } from './dialect.ts'
import { profileOf, type EndpointName } from './endpoint-profiles.ts'
import { endpointUrl, keyVariablesOf, type Environment } from './endpoint.ts'
import { createFamilies } from './family.ts'
import { importSdk } from './sdk-send.ts'
import { createWire } from './wire.ts'
import { hasResponsesApi } from './api-choice.ts'

/** Options of `createOpenAI`. */
export interface OpenAIOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
  /** Facts about models, such as limits, prices and what they allow; they win over those of the package, at every endpoint. */
  catalogue?: CatalogueData | undefined
  /** Sender of requests for configs without `sdk`; default `fetch`. */
  sdk?: OpenAISdk | undefined
  /** Sends requests for configs without a `fetch`; default: a lean transport. */
  fetch?: typeof globalThis.fetch | undefined
  /** Environment variables for keys and endpoints that a config does not name; default: those of the process. */
  env?: Environment | undefined
}

const ADAPTER_KINDS: OptionKinds<OpenAIOptions> = {
  catalogue: kind.object,
  clock: kind.having('a clock with `sleep` and `random`', 'sleep', 'random'),
  now: kind.call,
  fetch: kind.call,
  env: kind.object,
  sdk: kind.oneOf('fetch', 'openai'),
}

const MODEL_WORD =
  "give it to the model, as in `openai('gpt-5-mini', { apiKey, baseUrl })`: one adapter serves them all"

/** Words of the clients of other libraries. */
const FOREIGN_ADAPTER_WORDS = {
  'apiKey baseUrl baseURL organization project defaultHeaders headers timeout maxRetries model name temperature':
    MODEL_WORD,
}

/** An adapter that names its models when it is called. */
type OpenAIProvider = ReturnType<typeof withModelRefs<OpenAIConfig>>

/**
 * Creates an adapter for OpenAI, Azure OpenAI and every endpoint of chat completions or responses. Called with the name of a
 * model, it returns a `ModelRef`.
 */
export function createOpenAI(options: OpenAIOptions = {}): OpenAIProvider {
  checkOptions(options, ADAPTER_KINDS, 'run `createOpenAI`', FOREIGN_ADAPTER_WORDS)
  const { clock = platformClock(), now = Date.now, env } = options
  const fetch = createTransport(options.fetch)
  const catalogues = new Map<EndpointName, Catalogue>()
  const isPlain = Object.keys(options).every((name) => name === 'catalogue')
  const provider: Provider = {
    name: '@x/provider-openai',
    apiTypes: ['openai', 'azure'],
    // Another thread can import this adapter only without options; prices are applied in this thread.
    ...(isPlain && { module: { specifier: '@x/provider-openai', export: 'openai', url: import.meta.url } }),
    specVersion: 1,
    clientKeys: CONFIG_KEYS,
    createClient(config) {
      const keys = readConfig(config)
      const variables = env ?? globalThis.process?.env ?? {}
      const profile = profileOf(config, keys.endpointProfile, variables['OPENAI_BASE_URL'])
      const catalogue = catalogues.get(profile.name) ?? catalogueOf(profile.name, options.catalogue)
      catalogues.set(profile.name, catalogue)
      const familyOf = createFamilies(catalogue, keys.reasoningModel)
      const { sdk = options.sdk } = keys
      return createAdapterClient({
        config,
        endpoint: endpointUrl(config, variables),
        catalogue,
        clock,
        now,
        dialect: createOpenAIDialect({ ...keys, familyOf }, profile, hasResponsesApi(config, variables)),
        load: sdk === 'openai' ? importSdk : undefined,
        connect: () =>
          createWire({
            ...keys,
            sdk,
            profile,
            config,
            fetch: config.fetch ? createTransport(config.fetch) : fetch,
            env: variables,
          }),
      })
    },
  }
  return withModelRefs<OpenAIConfig>(provider, keyVariablesOf)
}

/**
 * Adapter for OpenAI, Azure OpenAI and every endpoint of chat completions or responses: `openai('gpt-5-mini')` is a model of
 * it, for `llmConfig` and agents.
 */
export const openai: OpenAIProvider = createOpenAI()
