import type { AnswerUsage } from '@x/interfaces'
import { normalizeUsage, isRecord } from '@x/provider-kit'

/** A usage or an answer as the endpoint sends it; every field may be missing or of another type. */
type Wire = Readonly<Record<string, unknown>>

/** Names of the counts of one API: the tokens of the input and the output, and the parts of both. */
const COUNT_NAMES = {
  chat: {
    input: 'prompt_tokens',
    inputParts: 'prompt_tokens_details',
    output: 'completion_tokens',
    outputParts: 'completion_tokens_details',
  },
  responses: {
    input: 'input_tokens',
    inputParts: 'input_tokens_details',
    output: 'output_tokens',
    outputParts: 'output_tokens_details',
  },
} as const

/** Models of chat completions that search the web for every answer. */
const SEARCH_MODEL_PATTERN = /-search-(?:preview|api)/u

/** Returns the usage of an answer of one of the two APIs. */
export function usageOf(api: keyof typeof COUNT_NAMES, given: object, answer: object): AnswerUsage | undefined {
  const usage = given as Wire
  const { model, output: items, service_tier: tier } = answer as Wire
  const names = COUNT_NAMES[api]
  const { [names.input]: prompt, total_tokens: total } = usage
  const input = recordOf(usage[names.inputParts])
  const output = recordOf(usage[names.outputParts])
  const { reasoning_tokens: reasoning } = output
  const isOfSearchModel = typeof model === 'string' && SEARCH_MODEL_PATTERN.test(model)
  return normalizeUsage({
    prompt,
    completion: completionOf(usage[names.output], { model, prompt, reasoning, total }),
    total,
    // DeepSeek's name for cached tokens, Moonshot's and Mistral's.
    cached:
      input['cached_tokens'] ??
      usage['prompt_cache_hit_tokens'] ??
      usage['cached_tokens'] ??
      usage['num_cached_tokens'],
    // LiteLLM's name for tokens that are written to the cache, and Alibaba's.
    cacheWrite: input['cache_write_tokens'] ?? input['cache_creation_tokens'] ?? input['cache_creation_input_tokens'],
    reasoning,
    audioPrompt: input['audio_tokens'],
    imagePrompt: input['image_tokens'],
    cachedAudio: recordOf(input['cached_tokens_details'])['audio_tokens'],
    audioCompletion: output['audio_tokens'],
    imageCompletion: output['image_tokens'],
    searches: Array.isArray(items) ? items.filter(isSearch).length : isOfSearchModel ? 1 : undefined,
    tier,
    cost: statedCost(usage),
    raw: hasMoreCounts(usage) ? usage : undefined,
  })
}

/**
 * Returns the tokens of the output: xAI counts reasoning beside the completion, as the total shows; Google counts that of
 * Gemini in the total alone.
 */
function completionOf(
  completion: unknown,
  { model, prompt, reasoning, total }: Readonly<Record<'model' | 'prompt' | 'reasoning' | 'total', unknown>>,
): unknown {
  if (typeof prompt !== 'number' || typeof completion !== 'number' || typeof total !== 'number') return completion
  const beside = total - prompt - completion
  if (typeof reasoning === 'number' && reasoning > 0) return completion + (reasoning <= beside ? reasoning : 0)
  return completion + (typeof model === 'string' && model.includes('gemini') ? Math.max(0, beside) : 0)
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

/** Tells whether a usage has more than the counts of every answer. */
function hasMoreCounts(counts: object): boolean {
  for (const key in counts) {
    const value = (counts as Readonly<Record<string, unknown>>)[key]
    if (value && (typeof value === 'object' ? hasMoreCounts(value) : !SHARED_COUNTS.has(key))) return true
  }
  return false
}
