import { type CatalogueData, costOf, isRecord, type Catalogue } from '@x/provider-kit'
import type { AnswerUsage, ModelAnswer } from '@x/interfaces'
import { usageOf } from './read-answer.ts'
import type { WireUsage } from './wire-types.ts'
import data from './catalogue.json' with { type: 'json' }

/** Limits, prices and abilities of Anthropic's models, with the day they were looked up. */
export const anthropicCatalogue: CatalogueData = data

/**
 * Returns the cost of an answer in US dollars by the prices of the model that answered: steps of other models have their own
 * prices, and inference in one country costs more. Returns null when a price is unknown.
 */
export function costOfAnswer({ model, usage }: ModelAnswer, catalogue: Catalogue): number | null {
  if (!usage) return null
  const raw = isRecord(usage.raw) ? (usage.raw as WireUsage) : {}
  const steps = raw['iterations']
  if (!Array.isArray(steps) || steps.length === 0) return costOfUsage(usage, raw, model, catalogue)
  let sum = 0
  for (const step of steps.filter(isRecord) as WireUsage[]) {
    const counts = usageOf(step)
    const stepModel = typeof step['model'] === 'string' ? step['model'] : model
    // The tier is told for the whole answer.
    const cost = counts && costOfUsage({ ...counts, service_tier: usage.service_tier }, raw, stepModel, catalogue)
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
  const region = raw['inference_geo']
  const factor =
    typeof region === 'string' && price.tiers && Object.hasOwn(price.tiers, region) ? price.tiers[region] : 1
  // Answers of an earlier version have the hour in the raw counts only.
  const hour = usage.cache_write_hour_tokens ?? raw.cache_creation?.ephemeral_1h_input_tokens ?? undefined
  const cost = costOf(price, { ...usage, cache_write_hour_tokens: hour })
  return cost * (typeof factor === 'number' ? factor : 1)
}
