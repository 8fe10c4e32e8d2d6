import type { withModelRefs } from '@x/provider-kit'
import { BATCHES } from './batches.ts'
import { keyVariablesOf, type AnthropicConfig } from './config.ts'
import { createProvider, type AnthropicOptions, type Platform } from './platform.ts'
import type { createSdkWire } from './sdk-wire.ts'

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
    let createWire: typeof createSdkWire
    return {
      endpoint,
      // 300 files of the SDK.
      load: async () => void ({ createSdkWire: createWire } = await import('./sdk-wire.ts')),
      connect: (fetch) => createWire(config, fetch),
      dialect: () => ({ batches: BATCHES }),
    }
  },
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
