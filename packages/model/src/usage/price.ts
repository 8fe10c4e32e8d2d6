import type { AnswerUsage, ConfigEntry, TokenRates } from '@x/interfaces'
import { XError } from '@x/kernel'
import { costByRates, finite, RATE_NAMES } from '@x/kernel/price'

/** US dollars per 1,000 input and output tokens, or rates per 1,000,000 tokens. */
export type EntryPrice = readonly [prompt: number, completion: number] | TokenRates

const RATE_NAME_SET: ReadonlySet<string> = new Set(RATE_NAMES)

/** Checks the `price` of an entry; returns null when the client computes the cost. */
export function entryPrice(price: ConfigEntry['price'] | null | undefined): EntryPrice | null {
  if (price === null || price === undefined) return null
  const checked = typeof price === 'number' ? ([price, price] as const) : price
  if (Array.isArray(checked) ? isRate(checked[0]) && isRate(checked[1]) : areRates(checked)) return checked
  throw new XError(
    'invalid-config',
    '`price` is not a price: give US dollars per 1,000,000 tokens as { input, output, cached, cacheWrite }, or per 1,000 tokens as [prompt, completion]',
    { details: { price } },
  )
}

function areRates(price: unknown): boolean {
  if (typeof price !== 'object' || price === null) return false
  const { input, output } = price as Partial<TokenRates>
  const others = Object.entries(price).filter(([, rate]) => rate !== undefined)
  return isRate(input) && isRate(output) && others.every(([name, rate]) => RATE_NAME_SET.has(name) && isRate(rate))
}

const isRate = (rate: unknown): boolean => typeof rate === 'number' && Number.isFinite(rate) && rate >= 0

/** Returns the cost of usage in US dollars. */
export function costOf(usage: AnswerUsage | undefined, price: EntryPrice): number {
  if (!usage) return 0
  if ('input' in price) return costByRates(price, usage)
  return (finite(usage.prompt_tokens) * price[0] + finite(usage.completion_tokens) * price[1]) / 1000
}
