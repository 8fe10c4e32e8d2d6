import type { ConfigEntry, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import {
  createAdapterClient,
  createTransport,
  platformClock,
  type AdapterPlatform,
  type Dialect,
  type PriceTable,
  type Wire,
} from '@x/provider-kit'
import { CONFIG_KEYS, readConfig, type GoogleSdk } from './config.ts'
import { isVertex } from './endpoint.ts'
import { familyOf } from './family.ts'
import { createFetchWire } from './fetch-wire.ts'
import { createGenAiWire } from './genai-wire.ts'
import { createGenerativeAiWire } from './generative-ai-wire.ts'
import { ID_RULE } from './lower-messages.ts'
import { lower, type LowerConfig } from './lower.ts'
import { googlePrices } from './prices.ts'
import { createReader } from './read-answer.ts'

/** Options of an adapter of one's own. */
export interface GoogleOptions extends Partial<Omit<AdapterPlatform, 'prices'>> {
  /** Prices by model; default `googlePrices`. */
  prices?: PriceTable | undefined
  /** Default for configs that do not say `sdk`: `generative-ai`. */
  sdk?: GoogleSdk | undefined
  /** Sends requests for configs without a `fetch`, except by the older SDK, which has no such option. */
  fetch?: typeof globalThis.fetch | undefined
}

const KINDS: OptionKinds<GoogleOptions> = {
  prices: kind.object,
  clock: kind.having('a clock with `sleep` and `random`', 'sleep', 'random'),
  now: kind.call,
  fetch: kind.call,
  sdk: kind.oneOf('generative-ai', 'genai', 'fetch'),
}

/** Creates an adapter for Google's generateContent API. */
export function createGoogle(options: GoogleOptions = {}): Provider {
  checkOptions(options, KINDS, 'run `createGoogle`')
  const { prices = googlePrices, clock = platformClock(), now = Date.now, fetch = createTransport(), sdk } = options
  // Another thread can import this adapter only without options; prices are applied in this thread.
  const plain = Object.keys(options).every((name) => name === 'prices')
  return {
    apiTypes: ['google'],
    ...(plain && { module: { specifier: '@x/provider-google', export: 'google', url: import.meta.url } }),
    specVersion: 1,
    clientKeys: CONFIG_KEYS,
    createClient(config) {
      const keys = readConfig(config)
      const connect = connectBy(keys.sdk ?? sdk, config, config.fetch ?? fetch)
      const dialect = createDialect({ ...keys, baseUrl: config.baseUrl })
      return createAdapterClient({ config, prices, clock, now, dialect, connect })
    },
  }
}

/** Chooses how requests are sent; the older SDK cannot use another `fetch` or Vertex. */
function connectBy(asked: GoogleSdk | undefined, config: ConfigEntry, fetch: typeof globalThis.fetch): () => Wire {
  const limited = config.fetch !== undefined || isVertex(config.baseUrl)
  switch (asked ?? (limited ? 'fetch' : 'generative-ai')) {
    case 'generative-ai':
      if (limited) {
        throw new XError(
          'invalid-config',
          "`@google/generative-ai` takes no `fetch` and knows no Vertex endpoint: set `sdk: 'fetch'` or `sdk: 'genai'`",
        )
      }
      return () => createGenerativeAiWire(config)
    case 'genai':
      return () => createGenAiWire(config, fetch)
    case 'fetch':
      return () => createFetchWire(config, fetch)
  }
}

function createDialect(config: LowerConfig): Dialect {
  return {
    provider: 'google',
    ids: ID_RULE,
    // A name begins with a letter or `_`: digits, dots and dashes at the start are forbidden characters too.
    names: { maxLength: 64, forbidden: /[^\w.:-]|^[^A-Za-z_]/gu },
    capabilities(model) {
      const { jsonWithTools, contextWindow } = familyOf(model, config.modelFamily)
      const beside = { structuredOutputWithTools: jsonWithTools }
      return { tools: true, images: true, structuredOutput: 'schema', ...beside, streaming: true, contextWindow }
    },
    lower: (params, context) => lower(params, context, config),
    reader: () => createReader(''),
  }
}

/** Adapter for Google's generateContent API. */
export const google: Provider = createGoogle()
