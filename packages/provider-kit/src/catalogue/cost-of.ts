import type { AnswerUsage, TokenRates } from '@x/interfaces'
import { costByRates } from '@x/kernel/price'
import type { ModelPrice, TierRates } from './model-facts.ts'

/** Returns the cost of some usage in US dollars: as the provider states it, else by a price. */
export function costOf(price: ModelPrice, usage: AnswerUsage): number {
  return usage.cost ?? costByRates(ratesOf(price, usage), usage)
}

/** Returns the rates of a request of that length in its tier of service. */
function ratesOf(price: ModelPrice, { prompt_tokens: prompt, service_tier: tier }: AnswerUsage): TokenRates {
  const special = tier !== undefined && price.tiers && Object.hasOwn(price.tiers, tier) ? price.tiers[tier] : undefined
  const usual = price.long && prompt > price.long.above ? { ...price, ...price.long } : price
  if (special === undefined) return usual
  if (typeof special === 'number') return scaleRates(usual, special)
  return { ...usual, ...ratesOfLength(special, prompt) }
}

function ratesOfLength({ long, ...rates }: TierRates, prompt: number): Partial<TokenRates> {
  return long && prompt > long.above ? { ...rates, ...long } : rates
}

/** Multiplies all rates of tokens; searches cost the same in every tier. */
function scaleRates(rates: TokenRates, factor: number): TokenRates {
  const entries = Object.entries(rates).map(([key, rate]) => [
    key,
    typeof rate === 'number' && key !== 'searches' ? rate * factor : rate,
  ])
  return Object.fromEntries(entries) as TokenRates
}
