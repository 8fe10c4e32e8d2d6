import { isXError } from '@x/kernel'
import {
  batchId,
  batchRecord,
  batchRecords,
  cancelledInBatch,
  expiredInBatch,
  isRecord,
  listOf,
  type BatchDialect,
} from '@x/provider-kit'

type AskBatch = Parameters<BatchDialect['cancel']>[1]
type BatchResult = ReturnType<Awaited<ReturnType<BatchDialect['results']>>['get']> & object

/** Most requests of one batch. */
const MAX_REQUESTS = 100_000
/** Batches of one page of their list, and most pages that are looked through for a key. */
const PAGE_SIZE = 1000
const MAX_PAGES = 10

const PATH = '/v1/messages/batches'
const BETA_HEADER = 'anthropic-beta'

/** Status of an error of a result by its type, as a single request would have it. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
}

/** Message batches: the requests are in the request for the batch, the results are lines. */
export const BATCHES: BatchDialect = {
  maxRequests: MAX_REQUESTS,
  priceFactor: 0.5,
  async submit(items, _, ask) {
    const requests = items.map(({ id, request: { body } }) => ({ custom_id: id, params: body }))
    // One header names the betas of all requests.
    const betas = new Set(items.flatMap(({ request: { headers } }) => headers?.[BETA_HEADER]?.split(',') ?? []))
    const headers = betas.size > 0 ? { [BETA_HEADER]: [...betas].join(',') } : undefined
    return batchId(await ask({ method: 'POST', path: PATH, headers, body: JSON.stringify({ requests }) }), 'id')
  },
  // A batch has no name: it is known by its requests, which its results tell once it has ended.
  async find(key, ask) {
    let isOpen = false
    let after = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      // eslint-disable-next-line no-await-in-loop -- the newest first, and mostly the first one
      const list = batchRecord(await ask({ method: 'GET', path: `${PATH}?limit=${PAGE_SIZE}${after}` }))
      for (const each of listOf(list['data']).filter(isRecord)) {
        const { id } = each
        if (typeof id !== 'string') continue
        isOpen ||= !isEnded(each)
        // eslint-disable-next-line no-await-in-loop -- as above
        if (isEnded(each) && !each['archived_at'] && (await isOfKey(id, key, ask))) return id
      }
      const { has_more: hasMore, last_id: last } = list
      if (hasMore !== true || typeof last !== 'string') break
      after = `&after_id=${encodeURIComponent(last)}`
    }
    return isOpen ? undefined : null
  },
  async hasEnded(id, ask) {
    return isEnded(batchRecord(await ask({ method: 'GET', path: pathOf(id) })))
  },
  async results(id, _, ask) {
    const results = new Map<string, BatchResult>()
    await batchRecords(ask, resultsPathOf(id), (item, { result }) => {
      // An answer stands, whatever comes behind it.
      const known = results.get(item)
      if (isRecord(result) && !(known && 'body' in known)) results.set(item, resultIn(result))
      return false
    })
    return results
  },
  async cancel(id, ask) {
    await ask({ method: 'POST', path: `${pathOf(id)}/cancel` })
  },
}

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`

const isEnded = ({ processing_status: status }: Readonly<Record<string, unknown>>): boolean => status === 'ended'

const resultsPathOf = (id: string): string => `${pathOf(id)}/results`

/** Tells by its first result whether an ended batch belongs to a key; a batch whose results are gone does not. */
async function isOfKey(id: string, key: string, ask: AskBatch): Promise<boolean> {
  let isFound = false
  const read = (item: string): boolean => {
    isFound = item.startsWith(`${key}-`)
    return true
  }
  try {
    await batchRecords(ask, resultsPathOf(id), read)
  } catch (error) {
    if (!isXError(error) || error.kind !== 'not-found') throw error
  }
  return isFound
}

/** Reads a result: an answer, an error, or that there is none. */
function resultIn({ type, message, error }: Readonly<Record<string, unknown>>): BatchResult {
  if (type === 'succeeded') return { body: message }
  if (type === 'expired') return { error: expiredInBatch() }
  if (type === 'canceled') return { error: cancelledInBatch() }
  const refusal = isRecord(error) ? error : {}
  const { type: kind } = isRecord(refusal['error']) ? refusal['error'] : {}
  return { refusal, status: STATUSES[String(kind)] ?? 500 }
}
