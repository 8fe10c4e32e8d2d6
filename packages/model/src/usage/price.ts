import type { AnswerUsage, Price } from '@x/interfaces'
import { XError } from '@x/kernel'

/** US dollars per 1,000 tokens, for input and output. */
export type PricePair = readonly [prompt: number, completion: number]

/** Gives the pair a price stands for; null when the client's own calculation holds. */
export function pricePair(price: Price | null | undefined): PricePair | null {
  if (price === null || price === undefined) return null
  const pair: PricePair = typeof price === 'number' ? [price, price] : [price[0], price[1]]
  if (pair.every((rate) => Number.isFinite(rate) && rate >= 0)) return pair
  throw new XError(
    'invalid-config',
    '`price` is not a price: give US dollars per 1,000 tokens as [prompt, completion]',
    {
      details: { price },
    },
  )
}

/** Gives the cost of some usage in US dollars. */
export function costOf(usage: AnswerUsage | undefined, [prompt, completion]: PricePair): number {
  return (finite(usage?.prompt_tokens) * prompt + finite(usage?.completion_tokens) * completion) / 1000
}

/** Gives a count or a sum; 0 for one that is missing or wrong. */
export const finite = (count: number | undefined): number =>
  count !== undefined && Number.isFinite(count) && count > 0 ? count : 0
