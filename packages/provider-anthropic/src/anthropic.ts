import type { ConfigEntry } from '@x/interfaces'
import { secretsOf } from '@x/kernel/redact'
import type { Wire, withModelRefs } from '@x/provider-kit'
import { keyVariablesOf, type AnthropicConfig } from './config.ts'
import { createProvider, type AnthropicOptions, type Platform } from './platform.ts'

/** URL of the provider. */
const ANTHROPIC_URL = 'https://api.anthropic.com'

/** Anthropic's own API, which its SDK signs requests for and sends them to. */
const OWN_PLATFORM: Platform = {
  module: { specifier: '@x/provider-anthropic', export: 'anthropic', url: import.meta.url },
  apiType: 'anthropic',
  keys: [],
  // What configures requests belongs to a model.
  foreignWords: {
    'apiKey baseURL baseUrl headers defaultHeaders timeout maxRetries authToken':
      "give it with the model, as in `anthropic('claude-haiku-4-5', { apiKey })`, with `baseUrl`, `timeout` in seconds, `maxRetries` and `defaultHeaders`",
  },
  keyVariablesOf,
  open: (config, environment) => {
    const endpoint = config.baseUrl || environment['ANTHROPIC_BASE_URL'] || ANTHROPIC_URL
    return { endpoint, load: loadSdk, connect: (fetch) => connectBySdk(config, fetch, endpoint) }
  },
}

/** Loads the SDK, which has 300 files, with the first request. */
const loadSdk = async () => await import('./sdk-wire.ts')

/** Connects to the provider by its SDK. */
function connectBySdk(config: ConfigEntry, fetch: typeof globalThis.fetch, endpoint: string): Wire {
  const secrets = secretsOf(config)
  let wire: Wire | undefined
  const load = async ({ begin }: Parameters<Wire['complete']>[1]): Promise<Wire> => {
    begin?.()
    const { createSdkWire } = await loadSdk()
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

/** An adapter that names its models when it is called. */
type AnthropicProvider = ReturnType<typeof withModelRefs<AnthropicConfig>>

/**
 * Creates an adapter for Anthropic's Messages API and compatible endpoints. Called with the name of a model, it returns a
 * `ModelRef`.
 */
export function createAnthropic(options: AnthropicOptions = {}): AnthropicProvider {
  return createProvider<AnthropicConfig>(OWN_PLATFORM, options)
}

/**
 * Adapter for Anthropic's Messages API and compatible endpoints: `anthropic('claude-haiku-4-5')` is a model of it, for
 * `llmConfig` and agents.
 */
export const anthropic: AnthropicProvider = createAnthropic()
