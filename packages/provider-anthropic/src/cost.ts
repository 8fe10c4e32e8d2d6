import type { AnswerUsage, ModelAnswer } from '@x/interfaces'
import { costOf, isRecord, type Catalogue } from '@x/provider-kit'
import { usageOf } from './read-answer.ts'
import type { WireUsage } from './wire-types.ts'

/**
 * Returns the cost of an answer in US dollars, by the prices of the model that answered: steps that other models took on the
 * way have their own prices, and inference in one country costs more. Null when a price is not known.
 */
export function costOfAnswer({ model, usage }: ModelAnswer, catalogue: Catalogue): number | null {
  if (!usage) return null
  const raw = isRecord(usage.raw) ? (usage.raw as WireUsage) : {}
  const steps = raw['iterations']
  if (!Array.isArray(steps) || steps.length === 0) return costOfUsage(usage, raw, model, catalogue)
  let sum = 0
  for (const step of steps.filter(isRecord) as WireUsage[]) {
    const counts = usageOf(step)
    const by = typeof step['model'] === 'string' ? step['model'] : model
    const cost = counts && costOfUsage(counts, raw, by, catalogue)
    if (cost === null || cost === undefined) return null
    sum += cost
  }
  // Searches are counted for the whole answer.
  const { searches = 0 } = usage
  const rate = catalogue.factsOf(model).price?.searches ?? 0
  return sum + (searches * rate) / 1000
}

function costOfUsage(usage: AnswerUsage, raw: WireUsage, model: string, catalogue: Catalogue): number | null {
  const { price } = catalogue.factsOf(model)
  if (!price) return null
  const place = raw['inference_geo']
  const factor = typeof place === 'string' && price.tiers && Object.hasOwn(price.tiers, place) ? price.tiers[place] : 1
  // Answers that were stored by an earlier version have the hour in the provider's own counts only.
  const hour = usage.cache_write_hour_tokens ?? raw.cache_creation?.ephemeral_1h_input_tokens ?? undefined
  const cost = costOf(price, { ...usage, cache_write_hour_tokens: hour })
  return cost * (typeof factor === 'number' ? factor : 1)
}
