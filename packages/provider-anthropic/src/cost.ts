import type { AnswerUsage, ModelAnswer } from '@x/interfaces'
import { costOf, isRecord, priceOf, type PriceTable } from '@x/provider-kit'
import { usageOf } from './read-answer.ts'
import type { WireUsage } from './wire-types.ts'

/**
 * Returns the cost of an answer in US dollars, by the prices of the model that answered: what was written to the cache for an hour costs more than for five minutes,
 * and steps that other models took on the way have their own prices. Null when a price is not known.
 */
export function costOfAnswer({ model, usage }: ModelAnswer, prices: PriceTable): number | null {
  if (!usage) return null
  const raw = isRecord(usage.raw) ? (usage.raw as WireUsage) : {}
  const steps = raw['iterations']
  if (!Array.isArray(steps) || steps.length === 0) return costOfUsage(usage, raw, model, prices)
  let sum = 0
  for (const step of steps.filter(isRecord) as WireUsage[]) {
    const counts = usageOf(step)
    const by = typeof step['model'] === 'string' ? step['model'] : model
    const cost = counts && costOfUsage(counts, step, by, prices)
    if (cost === null || cost === undefined) return null
    sum += cost
  }
  return sum
}

function costOfUsage(usage: AnswerUsage, raw: WireUsage, model: string, prices: PriceTable): number | null {
  const price = priceOf(prices, model)
  if (!price) return null
  // An hour in the cache costs twice the input, which is 0.75 more than five minutes do.
  const hour = raw.cache_creation?.ephemeral_1h_input_tokens
  const more = typeof hour === 'number' && hour > 0 ? (hour * price.input * 0.75) / 1e6 : 0
  return costOf(price, usage) + more
}
