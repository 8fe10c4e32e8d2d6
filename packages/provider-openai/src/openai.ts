import type { Provider } from '@x/interfaces'
import { createTransport, platformClock, type PriceTable } from '@x/provider-kit'
import { OpenAIClient, type ClientPlatform } from './client.ts'
import { openaiPrices } from './prices.ts'

/** What may be replaced in an adapter. */
export interface OpenAIOptions extends Partial<Omit<ClientPlatform, 'prices'>> {
  /** Prices by model; default `openaiPrices`. */
  prices?: PriceTable | undefined
}

/** Makes the adapter for OpenAI, Azure OpenAI and every endpoint that speaks chat completions. */
export function createOpenAI(options: OpenAIOptions = {}): Provider {
  const { prices = openaiPrices, clock = platformClock(), now = Date.now, fetch = createTransport() } = options
  const platform: ClientPlatform = { prices, clock, now, fetch }
  return {
    apiTypes: ['openai', 'azure'],
    module: { specifier: '@x/provider-openai', export: 'openai', url: import.meta.url },
    specVersion: 1,
    clientKeys: ['reasoningModel', 'streamUsage'],
    createClient: (config) => new OpenAIClient(config, platform),
  }
}

/** The adapter for OpenAI, Azure OpenAI and every endpoint that speaks chat completions. */
export const openai: Provider = createOpenAI()
