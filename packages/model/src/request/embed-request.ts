import type { CacheStore, EmbedParams, EmbedRequest, ModelParams } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { SharedClients } from '../clients/shared-clients.ts'
import type { SplitOptions } from '../config/entry.ts'
import { isAzure, type Slot } from '../config/slot.ts'
import { entryPrice } from '../usage/price.ts'
import { checkRequest } from './check-request.ts'
import { LEGACY_DEFAULT_CACHE_SEED, type PreparedRequest } from './prepare-request.ts'

/** Parameters of a config that requests for vectors have: all others are for answers. */
const CONFIG_PARAMS = ['model', 'dimensions', 'user', 'extra_headers']

/** A checked request for vectors. */
export interface CheckedEmbedRequest extends SplitOptions {
  readonly texts: readonly string[]
}

/**
 * Checks a request for vectors and splits its options into request parameters and options of the wrapper. `chatCache` is the
 * cache of the chat around it, for a request that names no cache.
 */
export function checkEmbedRequest(
  parts: Parameters<typeof checkRequest>[0],
  request: EmbedRequest,
  chatCache: CacheStore | null | undefined,
): CheckedEmbedRequest {
  const { input, dimensions, messages, prompt, ...options } = Object(request) as EmbedRequest
  if (messages !== undefined || prompt !== undefined) {
    throw invalidRequest('`messages` and `prompt` are for answers: give the texts as `input`')
  }
  const texts = typeof input === 'string' ? [input] : input
  if (!Array.isArray(texts) || texts.length === 0) {
    throw invalidRequest("`input` is neither a text nor a list of texts: give one, as in { input: ['…'] }")
  }
  const wrong = texts.findIndex((text) => typeof text !== 'string' || text === '')
  if (wrong !== -1) {
    throw invalidRequest(`text ${wrong} of \`input\` is ${texts[wrong] === '' ? 'empty' : 'not a text'}: leave it out`)
  }
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions > 0)) {
    throw invalidRequest('`dimensions` is not a whole number above 0: give one, such as 256, or leave it out')
  }
  if (chatCache && options.cache === undefined && options.cacheSeed === undefined) options.cache = chatCache
  const { params, extra } = checkRequest(parts, { ...options, messages: [] })
  const { messages: _, ...rest } = params as Partial<ModelParams>
  return { texts: texts as readonly string[], params: dimensions === undefined ? rest : { ...rest, dimensions }, extra }
}

const invalidRequest = (problem: string): XError => new XError('invalid-argument', `cannot embed texts: ${problem}`)

/** Merges a request for vectors with the stored options of a config, which win. */
export function prepareEmbedRequest(slot: Slot, request: SplitOptions, shared: SharedClients): PreparedRequest {
  const { params: ofConfig, extra: ofConfigExtra } = slot.stored
  const stored = Object.fromEntries(
    CONFIG_PARAMS.flatMap((key) => (ofConfig[key] === undefined ? [] : [[key, ofConfig[key]]])),
  )
  const params = { ...request.params, ...stored, messages: [] } as ModelParams
  if (isAzure(slot.client.apiType)) params.model = params.model?.replaceAll('.', '')
  // Vectors are never asked for in a batch, and cost their whole price.
  const { batch: _, ...extra } = { ...request.extra, ...ofConfigExtra }
  const { cache, cacheSeed = LEGACY_DEFAULT_CACHE_SEED } = extra
  return {
    params,
    format: undefined,
    fixed: false,
    store: cache ?? (cacheSeed === null ? null : shared.cacheFor(cacheSeed)),
    cacheName: cache ? cache.name : cacheSeed,
    extra,
    price: slot.price ?? entryPrice(extra.price),
  }
}

/** Returns the parameters of one request to a client. */
export const embedParamsOf = (params: ModelParams): EmbedParams => {
  const { messages: _, ...rest } = params
  return rest as unknown as EmbedParams
}
