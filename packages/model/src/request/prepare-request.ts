import type { CacheStore, ChatMessage, ModelParams } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { SharedClients } from '../clients/shared-clients.ts'
import { refuseTwins } from './refuse-twins.ts'
import { instantiate, instantiateMessages } from './instantiate.ts'
import { entryPrice, type EntryPrice } from '../usage/price.ts'
import { responseFormat } from './response-format.ts'
import { countSeen, noteSeen, type SeenMessages } from './seen-messages.ts'
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
  /** The price of the entry, where the client is not to say. */
  readonly price: EntryPrice | null
}

/** Merges a call with a stored config, which wins, and takes apart what is sent and what is not. */
export function prepareRequest(
  slot: Slot,
  request: SplitOptions,
  { shared, seen }: { readonly shared: SharedClients; readonly seen: SeenMessages },
): PreparedRequest {
  const { stored } = slot
  const params: Record<string, unknown> = { ...request.params, ...stored.params }
  const extra: Extra = { ...request.extra, ...stored.extra }
  const { apiType, apiVersion } = slot.client
  if (isAzure(apiType)) checkAzure(slot, params, apiVersion)
  if (params['response_format'] !== undefined) params['response_format'] = responseFormat(params['response_format'])
  addTools(params, extra)
  primeText(params, extra, seen)
  const { cache, cacheSeed = LEGACY_DEFAULT_CACHE_SEED } = extra
  return {
    params: params as ModelParams,
    fixed:
      params['prompt'] === undefined &&
      !extra.moreTools &&
      Object.keys(request.params).every((key) => key === 'messages'),
    store: cache ?? (cacheSeed === null ? null : shared.cacheFor(cacheSeed)),
    cacheName: cache ? cache.name : cacheSeed,
    extra,
    price: slot.price ?? entryPrice(extra.price),
  }
}

/** Puts the tools of a request behind those of the config; two of one name are refused. */
function addTools(params: Record<string, unknown>, { moreTools }: Extra): void {
  if (!moreTools || moreTools.length === 0) return
  const { tools } = params
  params['tools'] = [...(Array.isArray(tools) ? (tools as unknown[]) : []), ...moreTools]
  refuseTwins(params['tools'])
}

/** Fills templates of the messages, or of the prompt, from the context. */
function primeText(params: Record<string, unknown>, extra: Extra, seen: SeenMessages): void {
  const { messages, prompt } = params as { messages?: ModelParams['messages']; prompt?: string }
  const { context = null, allowFormatStrTemplate = false } = extra
  if (prompt === undefined) {
    const primed = instantiateMessages(messages ?? [], context, allowFormatStrTemplate)
    for (let index = countSeen(seen, primed); index < primed.length; index++) refuseFunction(primed[index]!, index)
    noteSeen(seen, primed)
    params['messages'] = primed
  } else {
    params['prompt'] = instantiate(prompt, context, allowFormatStrTemplate)
    params['messages'] = []
  }
}

function refuseFunction({ content }: ChatMessage, index: number): void {
  if (typeof content !== 'function') return
  throw new XError(
    'invalid-argument',
    `the content of message ${index} is a function, and there is no \`context\` to call it with: give one, or a text`,
  )
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
