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
/** Batches that are looked through for a key, newest first. */
const SEARCHED_BATCHES = 100

const PATH = '/v1/messages/batches'

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
    return batchId(await ask({ method: 'POST', path: PATH, body: JSON.stringify({ requests }) }), 'id')
  },
  // A batch has no name: it is known by its requests, which its results tell once it has ended.
  async find(key, ask) {
    const { data } = batchRecord(await ask({ method: 'GET', path: `${PATH}?limit=${SEARCHED_BATCHES}` }))
    let isOpen = false
    for (const each of listOf(data).filter(isRecord)) {
      const { id } = each
      if (typeof id !== 'string') continue
      isOpen ||= !isEnded(each)
      // eslint-disable-next-line no-await-in-loop -- the newest first, and mostly the first one
      if (isEnded(each) && (await isOfKey(id, key, ask))) return id
    }
    return isOpen ? undefined : null
  },
  async hasEnded(id, ask) {
    return isEnded(batchRecord(await ask({ method: 'GET', path: pathOf(id) })))
  },
  async results(id, _, ask) {
    const results = new Map<string, BatchResult>()
    for (const { custom_id: item, result } of await linesOf(id, ask)) {
      if (typeof item === 'string' && isRecord(result)) results.set(item, resultIn(result))
    }
    return results
  },
  async cancel(id, ask) {
    await ask({ method: 'POST', path: `${pathOf(id)}/cancel` })
  },
}

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`

const isEnded = ({ processing_status: status }: Readonly<Record<string, unknown>>): boolean => status === 'ended'

const linesOf = async (id: string, ask: AskBatch): Promise<ReturnType<typeof batchRecords>> =>
  batchRecords(await ask({ method: 'GET', path: `${pathOf(id)}/results` }))

async function isOfKey(id: string, key: string, ask: AskBatch): Promise<boolean> {
  const item = (await linesOf(id, ask))[0]?.['custom_id']
  return typeof item === 'string' && item.startsWith(`${key}-`)
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
