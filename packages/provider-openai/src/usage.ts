import { type normalizeUsage, isRecord } from '@x/provider-kit'

/** The part of a usage or an answer that prices depend on; every field may be missing or of another type. */
type Wire = Readonly<Record<string, unknown>>

/** Models of chat completions that search the web for every answer. */
const SEARCH_MODEL_PATTERN = /-search-(?:preview|api)/u

/** Returns the counts with prices of their own in the usage of chat completions. */
export function chatCounts(
  usage: Wire,
  { model, service_tier: tier }: Wire,
): Partial<Parameters<typeof normalizeUsage>[0]> {
  const input = recordOf(usage['prompt_tokens_details'])
  const output = recordOf(usage['completion_tokens_details'])
  return {
    audioPrompt: input['audio_tokens'],
    imagePrompt: input['image_tokens'],
    cachedAudio: recordOf(input['cached_tokens_details'])['audio_tokens'],
    audioCompletion: output['audio_tokens'],
    imageCompletion: output['image_tokens'],
    searches: typeof model === 'string' && SEARCH_MODEL_PATTERN.test(model) ? 1 : undefined,
    tier,
    cost: statedCost(usage),
  }
}

/** Returns the counts with prices of their own in an answer of the Responses API. */
export function responseCounts(
  usage: Wire,
  { output: items, service_tier: tier }: Wire,
): Partial<Parameters<typeof normalizeUsage>[0]> {
  const input = recordOf(usage['input_tokens_details'])
  const output = recordOf(usage['output_tokens_details'])
  return {
    audioPrompt: input['audio_tokens'],
    imagePrompt: input['image_tokens'],
    audioCompletion: output['audio_tokens'],
    imageCompletion: output['image_tokens'],
    searches: Array.isArray(items) ? items.filter(isSearch).length : undefined,
    tier,
    cost: statedCost(usage),
  }
}

/** Tells a search, which has a price, from opening a page of its results. */
function isSearch(item: unknown): boolean {
  if (!isRecord(item) || item['type'] !== 'web_search_call') return false
  const { type = 'search' } = recordOf(item['action'])
  return type === 'search'
}

/** Ticks, the unit of xAI, in a dollar. */
const TICKS_PER_DOLLAR = 1e10

/**
 * Returns the cost in US dollars that an endpoint states: OpenRouter's, with the bill of the host for a key of the caller;
 * Perplexity's sum; xAI's ticks; DeepInfra's estimate.
 */
function statedCost(usage: Wire): number | undefined {
  const { cost, cost_in_usd_ticks: ticks, estimated_cost: estimate } = usage
  if (typeof ticks === 'number') return ticks / TICKS_PER_DOLLAR
  if (isRecord(cost)) return numberIn(cost['total_cost'])
  if (typeof cost !== 'number') return numberIn(estimate)
  const upstream = usage['is_byok'] === true ? recordOf(usage['cost_details'])['upstream_inference_cost'] : 0
  return cost + (numberIn(upstream) ?? 0)
}

const NO_RECORD: Wire = Object.freeze({})

const recordOf = (value: unknown): Wire => (isRecord(value) ? value : NO_RECORD)

const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** Names of counts that the usage of every answer has. */
const SHARED_COUNTS: ReadonlySet<string> = new Set(
  `prompt_tokens completion_tokens input_tokens output_tokens total_tokens cached_tokens cache_write_tokens
  reasoning_tokens prompt_cache_hit_tokens prompt_cache_miss_tokens`.split(/\s+/u),
)

/** Returns the usage as the endpoint sent it, if it has more than the counts of every answer. */
export const rawUsage = (usage: object): object | undefined => (hasMoreCounts(usage) ? usage : undefined)

function hasMoreCounts(counts: object): boolean {
  for (const key in counts) {
    const value = (counts as Readonly<Record<string, unknown>>)[key]
    if (value && (typeof value === 'object' ? hasMoreCounts(value) : !SHARED_COUNTS.has(key))) return true
  }
  return false
}
