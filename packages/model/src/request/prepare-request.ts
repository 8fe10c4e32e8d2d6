import type { CacheStore, ModelParams } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { SharedClients } from '../clients/shared-clients.ts'
import { instantiate, instantiateMessages } from './instantiate.ts'
import { pricePair, type PricePair } from '../usage/price.ts'
import { responseFormat } from './response-format.ts'
import { isAzure, type Slot } from '../config/slot.ts'
import type { Extra, SplitOptions } from '../config/split-options.ts'

/** Seed of the cache when neither a cache nor a seed is given. */
export const LEGACY_DEFAULT_CACHE_SEED = 41

/** One config's share of a call: what is sent, and what steers the wrapper. */
export interface PreparedRequest {
  readonly params: ModelParams
  /** Whether all parameters but the messages are those of the config, the same in every call. */
  readonly fixed: boolean
  /** Where an answer is looked for; null for nowhere. */
  readonly store: CacheStore | null
  /** Name of the cache, its seed, or null: what the log says. */
  readonly cacheName: string | number | null
  readonly extra: Extra
  /** US dollars per 1,000 tokens, where the client is not to say. */
  readonly price: PricePair | null
}

/** Merges a call with a stored config, which wins, and takes apart what is sent and what is not. */
export function prepareRequest(slot: Slot, request: SplitOptions, shared: SharedClients): PreparedRequest {
  const { stored } = slot
  const params: Record<string, unknown> = { ...request.params, ...stored.params }
  const extra: Extra = { ...request.extra, ...stored.extra }
  const { apiType, apiVersion } = slot.client
  if (isAzure(apiType)) checkAzure(slot, params, apiVersion)
  if (params['response_format'] !== undefined) params['response_format'] = responseFormat(params['response_format'])
  primeText(params, extra)
  const { cache, cacheSeed = LEGACY_DEFAULT_CACHE_SEED } = extra
  return {
    params: params as ModelParams,
    fixed: params['prompt'] === undefined && Object.keys(request.params).every((key) => key === 'messages'),
    store: cache ?? (cacheSeed === null ? null : shared.cacheFor(cacheSeed)),
    cacheName: cache ? cache.name : cacheSeed,
    extra,
    price: slot.price ?? pricePair(extra.price),
  }
}

/** Fills templates of the messages, or of the prompt, from the context. */
function primeText(params: Record<string, unknown>, extra: Extra): void {
  const { messages, prompt } = params as { messages?: ModelParams['messages']; prompt?: string }
  const { context = null, allowFormatStrTemplate = false } = extra
  if (prompt === undefined) {
    const primed = instantiateMessages(messages ?? [], context, allowFormatStrTemplate)
    for (let open = 0; open < primed.length; open++) {
      if (typeof primed[open]!.content !== 'function') continue
      throw new XError(
        'invalid-argument',
        `the content of message ${open} is a function, and there is no \`context\` to call it with: give one, or a text`,
      )
    }
    params['messages'] = primed
  } else {
    params['prompt'] = instantiate(prompt, context, allowFormatStrTemplate)
    params['messages'] = []
  }
}

/** First API version of Azure OpenAI that knows tools. */
const TOOLS_SINCE = '2023-12-01'

/** Applies the rules of Azure OpenAI: no dots in model names, no tools before the API version that knows them. */
function checkAzure({ index }: Slot, params: Record<string, unknown>, apiVersion: string | undefined): void {
  if (typeof params['model'] === 'string') params['model'] = params['model'].replaceAll('.', '')
  const dated = /^\d{4}-\d{2}-\d{2}/u.exec(apiVersion ?? '')?.[0]
  if (dated !== undefined && dated < TOOLS_SINCE && Array.isArray(params['tools']) && params['tools'].length > 0) {
    throw new XError(
      'invalid-config',
      `entry ${index} has \`apiVersion: '${apiVersion}'\`, which does not support tools: use 2023-12-01-preview or later, or register the tools with apiStyle 'function'`,
      { details: { configId: index, apiVersion } },
    )
  }
}
