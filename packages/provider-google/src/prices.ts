import type { PriceTable } from '@x/provider-kit'

/** List prices of Google, in US dollars per 1,000,000 tokens, as its pricing page gave them on the date. */
export const googlePrices: PriceTable = {
  date: '2025-12-31',
  models: {
    'gemini-3-pro-preview': {
      input: 2,
      cached: 0.2,
      output: 12,
      long: { above: 200_000, input: 4, cached: 0.4, output: 18 },
    },
    'gemini-3-flash-preview': { input: 0.5, cached: 0.05, output: 3 },
    'gemini-2.5-pro': {
      input: 1.25,
      cached: 0.125,
      output: 10,
      long: { above: 200_000, input: 2.5, cached: 0.25, output: 15 },
    },
    'gemini-2.5-flash': { input: 0.3, cached: 0.03, output: 2.5 },
    'gemini-2.5-flash-lite': { input: 0.1, cached: 0.01, output: 0.4 },
    'gemini-2.0-flash': { input: 0.1, cached: 0.025, output: 0.4 },
    'gemini-2.0-flash-lite': { input: 0.075, output: 0.3 },
  },
}
