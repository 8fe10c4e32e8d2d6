import type { ModelPrice, PriceTable } from '@x/provider-kit'

/** Reading from the cache costs a tenth of the input, writing for five minutes a quarter more. */
const price = (input: number, output: number): ModelPrice => ({
  input,
  output,
  cached: input / 10,
  cacheWrite: input * 1.25,
})

/** List prices of Anthropic, in US dollars per 1,000,000 tokens, as its pricing page gave them on the date. */
export const anthropicPrices: PriceTable = {
  date: '2026-02-28',
  models: {
    'claude-opus-4-6': price(5, 25),
    'claude-opus-4-5': price(5, 25),
    'claude-opus-4-1': price(15, 75),
    'claude-opus-4': price(15, 75),
    'claude-opus-4-0': price(15, 75),
    'claude-sonnet-4-6': price(3, 15),
    'claude-sonnet-4-5': price(3, 15),
    'claude-sonnet-4': price(3, 15),
    'claude-sonnet-4-0': price(3, 15),
    'claude-3-7-sonnet': price(3, 15),
    'claude-3-5-sonnet': price(3, 15),
    'claude-haiku-4-5': price(1, 5),
    'claude-3-5-haiku': price(0.8, 4),
    'claude-3-opus': price(15, 75),
    'claude-3-haiku': price(0.25, 1.25),
  },
}
