import type { ModelPrice, PriceTable } from '@x/provider-kit'

/** Inputs of more tokens than this cost twice as much, and outputs half as much again. */
const ABOVE = 272_000

/** Price of a model whose long requests cost more; those that write to the cache pay a quarter more for it. */
const tiered = (input: number, cached: number | undefined, output: number, writes: boolean = false): ModelPrice => {
  const price = (times: number): ModelPrice => ({
    input: input * times,
    ...(cached !== undefined && { cached: cached * times }),
    ...(writes && { cacheWrite: input * times * 1.25 }),
    output: output * (times === 1 ? 1 : 1.5),
  })
  return { ...price(1), long: { above: ABOVE, ...price(2) } }
}

/** List prices of OpenAI for its standard tier, in US dollars per 1,000,000 tokens, as its pricing page gave them on the date. */
export const openaiPrices: PriceTable = {
  date: '2026-09-23',
  models: {
    'gpt-6-astra': tiered(10, 1, 50, true),
    'gpt-6-sol': tiered(2, 0.2, 10, true),
    'gpt-6-luna': tiered(0.1, 0.01, 0.5, true),
    'gpt-5.6-sol': tiered(4, 0.4, 20, true),
    'gpt-5.6-terra': tiered(2, 0.2, 12, true),
    'gpt-5.6-luna': tiered(0.2, 0.02, 1.2, true),
    'gpt-5.5': tiered(5, 0.5, 30),
    'gpt-5.5-pro': tiered(30, undefined, 180),
    'gpt-5.4': tiered(2.5, 0.25, 15),
    'gpt-5.4-pro': tiered(30, undefined, 180),
    'gpt-5.4-mini': { input: 0.75, cached: 0.075, output: 4.5 },
    'gpt-5.4-nano': { input: 0.2, cached: 0.02, output: 1.25 },
    'gpt-5.3-chat': { input: 1.75, cached: 0.175, output: 14 },
    'gpt-5.3-codex': { input: 1.75, cached: 0.175, output: 14 },
    'gpt-5.2-codex': { input: 1.75, cached: 0.175, output: 14 },
    'gpt-5.2': { input: 1.75, cached: 0.175, output: 14 },
    'gpt-5.2-chat': { input: 1.75, cached: 0.175, output: 14 },
    'gpt-5.2-pro': { input: 21, output: 168 },
    'gpt-5.1': { input: 1.25, cached: 0.125, output: 10 },
    'gpt-5.1-chat': { input: 1.25, cached: 0.125, output: 10 },
    'gpt-5.1-codex': { input: 1.25, cached: 0.125, output: 10 },
    'gpt-5.1-codex-max': { input: 1.25, cached: 0.125, output: 10 },
    'gpt-5.1-codex-mini': { input: 0.25, cached: 0.025, output: 2 },
    'gpt-5': { input: 1.25, cached: 0.125, output: 10 },
    'gpt-5-chat': { input: 1.25, cached: 0.125, output: 10 },
    'gpt-5-codex': { input: 1.25, cached: 0.125, output: 10 },
    'gpt-5-mini': { input: 0.25, cached: 0.025, output: 2 },
    'gpt-5-nano': { input: 0.05, cached: 0.005, output: 0.4 },
    'gpt-5-pro': { input: 15, output: 120 },
    'gpt-4.1': { input: 2, cached: 0.5, output: 8 },
    'gpt-4.1-mini': { input: 0.4, cached: 0.1, output: 1.6 },
    'gpt-4.1-nano': { input: 0.1, cached: 0.025, output: 0.4 },
    'gpt-4o': { input: 2.5, cached: 1.25, output: 10 },
    'gpt-4o-2024-05-13': { input: 5, output: 15 },
    'gpt-4o-mini': { input: 0.15, cached: 0.075, output: 0.6 },
    'gpt-4-turbo': { input: 10, output: 30 },
    'gpt-4': { input: 30, output: 60 },
    'gpt-4-32k': { input: 60, output: 120 },
    'gpt-3.5-turbo': { input: 0.5, output: 1.5 },
    'gpt-35-turbo': { input: 0.5, output: 1.5 },
    o1: { input: 15, cached: 7.5, output: 60 },
    'o1-mini': { input: 1.1, cached: 0.55, output: 4.4 },
    'o1-pro': { input: 150, output: 600 },
    o3: { input: 2, cached: 0.5, output: 8 },
    'o3-mini': { input: 1.1, cached: 0.55, output: 4.4 },
    'o3-pro': { input: 20, output: 80 },
    'o4-mini': { input: 1.1, cached: 0.275, output: 4.4 },
  },
}
