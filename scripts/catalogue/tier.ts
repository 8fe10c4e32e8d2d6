import type { ModelPrice, TierRates } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { dollars } from './source-facts.ts'

type Rates = Readonly<Record<string, number>>

/** Adds a service tier to a price: as one factor if all rates share it, otherwise as the rates that differ. */
export function withTier(price: ModelPrice, tier: string, rates: TierRates): ModelPrice {
  const usual = flat(price)
  const own = flat(rates)
  const shared = Object.keys(own).filter((key) => key in usual && usual[key]! > 0)
  if (shared.length === 0) return price
  const factors = new Set(shared.map((key) => dollars(own[key]! / usual[key]!)))
  const [factor] = factors
  const whole = Object.keys(usual).every(
    (key) => key in own || /searches|cacheWriteHour/u.test(key) || usual[key] === 0,
  )
  const added = factors.size === 1 && whole ? factor! : differing(rates, price)
  return added === 1 ? price : { ...price, tiers: { ...price.tiers, [tier]: added } }
}

/** Flattens rates into one record; rates of long requests get the prefix `long.`. */
function flat({ long, ...rates }: TierRates & { tiers?: unknown }): Rates {
  const { above: _, ...more } = long ?? { above: 0 }
  const entries = [
    ...Object.entries(rates).filter(([key]) => key !== 'tiers'),
    ...Object.entries(more).map(([key, value]) => [`long.${key}`, value] as const),
  ]
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'number' && value > 0)) as Rates
}

function differing(rates: TierRates, usual: ModelPrice): TierRates {
  const differs = (own: object, base: object | undefined): object =>
    Object.fromEntries(
      Object.entries(own).filter(([key, value]) => value !== 0 && (base as Rates | undefined)?.[key] !== value),
    )
  const { long, ...own } = rates
  const { above: _, ...more } = long ? (differs(long, usual.long) as { above?: number }) : {}
  return {
    ...differs(own, usual),
    ...(long && Object.keys(more).length > 0 && { long: { above: long.above, ...more } }),
  }
}
