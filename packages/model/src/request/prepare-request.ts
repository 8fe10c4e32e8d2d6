import type { CacheStore, ChatMessage, ModelParams } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { SharedClients } from '../clients/shared-clients.ts'
import type { Extra } from '../config/config-keys.ts'
import type { SplitOptions } from '../config/entry.ts'
import { isAzure, type Slot } from '../config/slot.ts'
import { type CheckedRequest, refuseDuplicateTools } from './check-request.ts'
import { instantiate, instantiateMessages } from './instantiate.ts'
import { toWireFormat } from './response-format.ts'
import { entryPrice, type EntryPrice } from '../usage/price.ts'

/** Seed of the cache when neither a cache nor a seed is given. */
export const LEGACY_DEFAULT_CACHE_SEED = 41

/** A request as one config sends it, and the options of the wrapper. */
export interface PreparedRequest {
  readonly params: ModelParams
  /** The `response_format` as it was given; undefined without one. */
  readonly format: unknown
  /** True if all parameters except the messages come from the config and are the same in every call. */
  readonly fixed: boolean
  /** The cache; null for none. */
  readonly store: CacheStore | null
  /** Name of the cache, its seed, or null, for the log. */
  readonly cacheName: string | number | null
  readonly extra: Extra
  /** The price of the entry; null if the client computes the cost. */
  readonly price: EntryPrice | null
}

/** Merges a request with the stored options of a config, which win, and applies templates, tools and the rules of Azure. */
export function prepareRequest(
  slot: Slot,
  request: CheckedRequest,
  { plan, memory }: { readonly plan: { readonly shared: SharedClients }; readonly memory: LastMessages },
): PreparedRequest {
  const { params, extra } = request.isPlain && slot.plain ? plainOptions(slot.plain, request) : merged(slot, request)
  const { apiType, apiVersion } = slot.client
  if (isAzure(apiType)) checkAzure(slot, params, apiVersion)
  const format = params['response_format']
  if (format !== undefined) params['response_format'] = toWireFormat(format)
  addTools(params, extra)
  fillTemplates(params, extra, memory)
  const { cache, cacheSeed = LEGACY_DEFAULT_CACHE_SEED } = extra
  return {
    params: params as ModelParams,
    format,
    fixed: params['prompt'] === undefined && !extra.moreTools && hasMessagesAlone(request.params),
    store: cache ?? (cacheSeed === null ? null : plan.shared.cacheFor(cacheSeed)),
    cacheName: cache ? cache.name : cacheSeed,
    extra,
    price: slot.price ?? entryPrice(extra.price),
  }
}

interface MergedOptions {
  readonly params: Record<string, unknown>
  readonly extra: Extra
}

function merged({ stored }: Slot, { params, extra }: SplitOptions): MergedOptions {
  return {
    params: { ...params, ...stored.params },
    extra: isEmpty(extra) ? stored.extra : { ...extra, ...stored.extra },
  }
}

function plainOptions(plain: SplitOptions, request: SplitOptions): MergedOptions {
  const params: Record<string, unknown> = { ...plain.params }
  params['messages'] = request.params['messages']
  const { agent } = request.extra
  const extra = agent === undefined || plain.extra.agent !== undefined ? plain.extra : { ...plain.extra, agent }
  return { params, extra }
}

function isEmpty(data: object): boolean {
  for (const _ in data) return false
  return true
}

function hasMessagesAlone(params: object): boolean {
  for (const key in params) if (key !== 'messages') return false
  return true
}

/** Appends the tools of a request to those of the config; duplicate names are refused. */
function addTools(params: Record<string, unknown>, { moreTools }: Extra): void {
  if (!moreTools || moreTools.length === 0) return
  const { tools } = params
  params['tools'] = [...(Array.isArray(tools) ? (tools as unknown[]) : []), ...moreTools]
  refuseDuplicateTools(params['tools'])
}

/** Fills the templates of the messages, or of the prompt, from the context. */
function fillTemplates(params: Record<string, unknown>, extra: Extra, memory: LastMessages): void {
  const { messages, prompt } = params as { messages?: ModelParams['messages']; prompt?: string }
  const { context = null, allowFormatStrTemplate = false } = extra
  if (prompt === undefined) {
    const known = messages ? countChecked(memory, messages) : 0
    const filled = instantiateMessages(messages ?? [], context, allowFormatStrTemplate, known)
    for (let index = known; index < filled.length; index++) refuseFunction(filled[index]!, index)
    noteChecked(memory, filled)
    params['messages'] = filled
  } else {
    params['prompt'] = instantiate(prompt, context, allowFormatStrTemplate)
    params['messages'] = []
  }
}

function refuseFunction(message: ChatMessage | null, index: number): void {
  if (typeof message !== 'object' || message === null) {
    throw new XError(
      'invalid-argument',
      `message ${index} is not an object: give one, as in { role: "user", content: "…" }`,
    )
  }
  if (typeof message.content !== 'function') return
  throw new XError(
    'invalid-argument',
    `the content of message ${index} is a function, and there is no \`context\` to call it with: give a \`context\`, or a text`,
  )
}

/** First API version of Azure OpenAI that supports tools. */
const AZURE_TOOLS_VERSION = '2023-12-01'

/** Applies the rules of Azure OpenAI: no dots in model names, no tools before the API version that supports them. */
function checkAzure({ index }: Slot, params: Record<string, unknown>, apiVersion: string | undefined): void {
  if (typeof params['model'] === 'string') params['model'] = params['model'].replaceAll('.', '')
  const date = /^\d{4}-\d{2}-\d{2}/u.exec(apiVersion ?? '')?.[0]
  if (
    date !== undefined &&
    date < AZURE_TOOLS_VERSION &&
    Array.isArray(params['tools']) &&
    params['tools'].length > 0
  ) {
    throw new XError(
      'invalid-config',
      `entry ${index} has \`apiVersion: '${apiVersion}'\`, which does not support tools: use 2023-12-01-preview or later, or register the tools with apiStyle 'function'`,
      { details: { configId: index, apiVersion } },
    )
  }
}

/** Length from which a list of messages is remembered; a shorter list is checked quickly. */
const MIN_REMEMBERED_MESSAGES = 32

/**
 * The messages of the last request of a wrapper, if they are many. The next request of a chat begins with the same messages,
 * so only the rest has to be checked: comparing references costs a fraction of checking each message.
 */
export interface LastMessages {
  lastMessages: readonly ChatMessage[] | null
}

/** Counts the leading messages that were checked with the last request. */
function countChecked({ lastMessages: last }: LastMessages, messages: readonly ChatMessage[]): number {
  if (!last) return 0
  const max = Math.min(last.length, messages.length)
  let count = 0
  while (count < max && last[count] === messages[count]) count++
  return count
}

/** Remembers a checked list. */
function noteChecked(memory: LastMessages, messages: readonly ChatMessage[]): void {
  memory.lastMessages = messages.length < MIN_REMEMBERED_MESSAGES ? null : messages
}
