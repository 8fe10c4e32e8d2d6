import { type normalizeUsage, isRecord } from '@x/provider-kit'

/** The part of a usage or an answer that prices depend on; every field may be missing or of another type. */
type Wire = Readonly<Record<string, unknown>>

/** Models of chat completions that search the web for every answer. */
const SEARCHING = /-search-(?:preview|api)/u

/** Returns what has a price of its own in the usage of chat completions. */
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
    searches: typeof model === 'string' && SEARCHING.test(model) ? 1 : undefined,
    tier,
    cost: statedCost(usage),
  }
}

/** Returns what has a price of its own in an answer of the Responses API. */
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

/** Opening a page that a search found costs nothing of its own. */
function isSearch(item: unknown): boolean {
  if (!isRecord(item) || item['type'] !== 'web_search_call') return false
  const { type = 'search' } = recordOf(item['action'])
  return type === 'search'
}

/** Ticks of xAI in a dollar. */
const TICKS = 1e10

/**
 * Returns the cost in US dollars that an endpoint states: OpenRouter's, with what its host bills for a key of one's own;
 * Perplexity's sum; xAI's ticks; DeepInfra's estimate.
 */
function statedCost(usage: Wire): number | undefined {
  const { cost, cost_in_usd_ticks: ticks, estimated_cost: estimate } = usage
  if (typeof ticks === 'number') return ticks / TICKS
  if (isRecord(cost)) return numberIn(cost['total_cost'])
  if (typeof cost !== 'number') return numberIn(estimate)
  const upstream = usage['is_byok'] === true ? recordOf(usage['cost_details'])['upstream_inference_cost'] : 0
  return cost + (numberIn(upstream) ?? 0)
}

const NO_RECORD: Wire = Object.freeze({})

const recordOf = (value: unknown): Wire => (isRecord(value) ? value : NO_RECORD)

const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
