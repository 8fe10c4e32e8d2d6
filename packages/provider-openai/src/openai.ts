import type { Provider } from '@x/interfaces'
import {
  createAdapterClient,
  createTransport,
  platformClock,
  type AdapterPlatform,
  type PriceTable,
} from '@x/provider-kit'
import { CONFIG_KEYS, readConfig } from './config.ts'
import { createDialect } from './dialect.ts'
import type { Environment } from './endpoint.ts'
import { openaiPrices } from './prices.ts'
import { createWire } from './wire.ts'

/** What may be replaced in an adapter. */
export interface OpenAIOptions extends Partial<Omit<AdapterPlatform, 'prices'>> {
  /** Prices by model; default `openaiPrices`. */
  prices?: PriceTable | undefined
  /** What requests are sent with where a config brings no `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Where keys and endpoints are looked for that a config does not name; default: the environment of the process. */
  env?: Environment | undefined
}

/** Makes the adapter for OpenAI, Azure OpenAI and every endpoint that speaks chat completions. */
export function createOpenAI(options: OpenAIOptions = {}): Provider {
  const { prices = openaiPrices, clock = platformClock(), now = Date.now, fetch = createTransport(), env } = options
  const plain = Object.keys(options).every((name) => name === 'prices')
  return {
    apiTypes: ['openai', 'azure'],
    // Another thread can import this adapter, and not what was replaced in it; prices are reckoned in this one.
    ...(plain && { module: { specifier: '@x/provider-openai', export: 'openai', url: import.meta.url } }),
    specVersion: 1,
    clientKeys: CONFIG_KEYS,
    createClient(config) {
      const keys = readConfig(config)
      return createAdapterClient({
        config,
        prices,
        clock,
        now,
        dialect: createDialect(keys),
        connect: () =>
          createWire({ ...keys, config, fetch: config.fetch ?? fetch, env: env ?? globalThis.process?.env ?? {} }),
      })
    },
  }
}

/** The adapter for OpenAI, Azure OpenAI and every endpoint that speaks chat completions. */
export const openai: Provider = createOpenAI()
