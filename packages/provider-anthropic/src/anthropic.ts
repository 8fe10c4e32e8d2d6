import type { Provider } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import {
  createAdapterClient,
  createTransport,
  platformClock,
  type AdapterPlatform,
  type Dialect,
  type PriceTable,
} from '@x/provider-kit'
import { CONFIG_KEYS, readConfig } from './config.ts'
import { costOfAnswer } from './cost.ts'
import { familyOf } from './family.ts'
import { ID_RULE } from './lower-messages.ts'
import { lower, type LowerConfig } from './lower.ts'
import { anthropicPrices } from './prices.ts'
import { createReader } from './read-answer.ts'
import { createSdkWire } from './sdk-wire.ts'

/** Options of an adapter of one's own. */
export interface AnthropicOptions extends Partial<Omit<AdapterPlatform, 'prices'>> {
  /** Prices by model; default `anthropicPrices`. */
  prices?: PriceTable | undefined
  /** Sends requests for configs without a `fetch`; default: a lean transport. */
  fetch?: typeof globalThis.fetch | undefined
}

const KINDS: OptionKinds<AnthropicOptions> = {
  prices: kind.object,
  clock: kind.having('a clock with `sleep` and `random`', 'sleep', 'random'),
  now: kind.call,
  fetch: kind.call,
}

/** Creates an adapter for Anthropic's Messages API and compatible endpoints. */
export function createAnthropic(options: AnthropicOptions = {}): Provider {
  checkOptions(options, KINDS, 'run `createAnthropic`')
  const { prices = anthropicPrices, clock = platformClock(), now = Date.now, fetch = createTransport() } = options
  // Another thread can import this adapter only without options; prices are applied in this thread.
  const plain = Object.keys(options).every((name) => name === 'prices')
  return {
    apiTypes: ['anthropic'],
    ...(plain && { module: { specifier: '@x/provider-anthropic', export: 'anthropic', url: import.meta.url } }),
    specVersion: 1,
    clientKeys: CONFIG_KEYS,
    createClient(config) {
      const dialect = createDialect({ ...readConfig(config), defaultHeaders: config.defaultHeaders })
      return createAdapterClient({
        config,
        prices,
        clock,
        now,
        dialect,
        connect: () => createSdkWire(config, config.fetch ?? fetch),
        cost: (answer) => costOfAnswer(answer, prices),
      })
    },
  }
}

function createDialect(config: LowerConfig): Dialect {
  return {
    provider: 'anthropic',
    ids: ID_RULE,
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities(model) {
      const { structured, contextWindow } = familyOf(model, config.modelFamily)
      // Without it, the answer is asked for as a call that is forced, and tools would never be called.
      const beside = { structuredOutputWithTools: structured }
      return { tools: true, images: true, structuredOutput: 'schema', ...beside, streaming: true, contextWindow }
    },
    lower: (params, context) => lower(params, context, config),
    reader: () => createReader(''),
  }
}

/** Adapter for Anthropic's Messages API and compatible endpoints. */
export const anthropic: Provider = createAnthropic()
