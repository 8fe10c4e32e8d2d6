import { type normalizeUsage, isRecord } from '@x/provider-kit'
import type { WireUsage } from './wire-types.ts'

/** Returns what has a price of its own in the counts of an answer; `queries` is how often it searched the web. */
export function pricedCounts(
  usage: WireUsage,
  model: string,
  queries: number,
): Partial<Parameters<typeof normalizeUsage>[0]> {
  const { serviceTier: tier } = usage
  return {
    audioPrompt: tokensOf(usage['promptTokensDetails'], 'AUDIO'),
    imagePrompt: tokensOf(usage['promptTokensDetails'], 'IMAGE'),
    cachedAudio: tokensOf(usage['cacheTokensDetails'], 'AUDIO'),
    audioCompletion: tokensOf(usage['candidatesTokensDetails'], 'AUDIO'),
    imageCompletion: tokensOf(usage['candidatesTokensDetails'], 'IMAGE'),
    // Since Gemini 3 each search is billed, before it each prompt that was searched for.
    searches: /gemini-[12](?![0-9])/u.test(model) ? Math.min(queries, 1) : queries,
    tier: typeof tier === 'string' ? tier.toLowerCase().replace(/^service_tier_/u, '') : undefined,
  }
}

/** Returns the tokens of one modality, of which there is a list. */
function tokensOf(details: unknown, modality: string): number | undefined {
  if (!Array.isArray(details)) return undefined
  const found: unknown = details.find((each) => isRecord(each) && each['modality'] === modality)
  const count = isRecord(found) ? found['tokenCount'] : undefined
  return typeof count === 'number' ? count : undefined
}

/** Returns how many searches the grounding of a candidate names. */
export function queriesIn(grounding: unknown): number {
  const queries = isRecord(grounding) ? grounding['webSearchQueries'] : undefined
  return Array.isArray(queries) ? queries.length : 0
}
