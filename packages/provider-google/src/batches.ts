import {
  batchId,
  batchRecord,
  cancelledInBatch,
  expiredInBatch,
  isRecord,
  listOf,
  modelFailure,
  type BatchDialect,
} from '@x/provider-kit'
import { modelPath } from './endpoint.ts'

type AskBatch = Parameters<BatchDialect['cancel']>[1]
type BatchResult = ReturnType<Awaited<ReturnType<BatchDialect['results']>>['get']> & object

/** Requests of one batch; the provider limits their bytes, to 20 megabytes. */
const MAX_REQUESTS = 10_000
/** Batches of a page of the list, newest first, and pages that are looked through for a key. */
const PAGE_SIZE = 100
const MAX_PAGES = 100

const ENDED: ReadonlySet<unknown> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED'])

/** HTTP statuses of the codes of errors in results, which are those of gRPC; others are 500. */
const STATUSES: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  14: 503,
  16: 401,
}

/** Code of gRPC for what was cancelled. */
const CANCELLED_CODE = 1

/** Batch mode with requests in the request for the batch, whose results are in the operation that stands for it. */
export const BATCHES: BatchDialect = {
  maxRequests: MAX_REQUESTS,
  priceFactor: 0.5,
  async submit(items, key, ask) {
    const model = items[0]?.request.model ?? ''
    const other = items.find(({ request }) => request.model !== model)
    if (other) {
      const problem = `requests to \`${model}\` and \`${other.request.model}\` cannot be in one batch: make two`
      throw modelFailure('invalid-request', problem)
    }
    const requests = items.map(({ id, request: { body } }) => ({ request: body, metadata: { key: id } }))
    const body = JSON.stringify({ batch: { displayName: key, inputConfig: { requests: { requests } } } })
    const path = `/${modelPath(model)}:batchGenerateContent`
    return batchId(await ask({ method: 'POST', path, body }), 'name')
  },
  async find(key, ask) {
    let after = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      // eslint-disable-next-line no-await-in-loop -- the newest first, and mostly the first page
      const list = batchRecord(await ask({ method: 'GET', path: `/batches?pageSize=${PAGE_SIZE}${after}` }))
      const found = listOf(list['operations']).find((each) => isRecord(each) && metadataOf(each)['displayName'] === key)
      if (found) return (found as { name: string }).name
      const { nextPageToken: token } = list
      if (typeof token !== 'string' || token === '') return null
      after = `&pageToken=${encodeURIComponent(token)}`
    }
    return null
  },
  async hasEnded(id, ask) {
    return isOver(await readOperation(id, ask))
  },
  async results(id, ids, ask) {
    const operation = await readOperation(id, ask)
    if (!isOver(operation)) throw modelFailure('server', 'the answer about a batch that has ended does not say so')
    const results = new Map<string, BatchResult>()
    const responses = responsesIn(operation).map((each) => (isRecord(each) ? each : undefined))
    const keyOf = (each: Readonly<Record<string, unknown>>): unknown => metadataOf(each)['key']
    for (const each of responses) {
      const key = each && keyOf(each)
      if (each && typeof key === 'string') results.set(key, resultIn(each))
    }
    // They stand in the order of the requests, and not each of them tells its key.
    for (const [index, each] of responses.entries()) {
      const item = ids[index]
      if (each && item !== undefined && keyOf(each) === undefined && !results.has(item))
        results.set(item, resultIn(each))
    }
    for (const each of ids) if (!results.has(each)) results.set(each, missingResult(operation))
    return results
  },
  async cancel(id, ask) {
    await ask({ method: 'POST', path: `${pathOf(id)}:cancel` })
  },
}

/** Returns the path of a batch, whose name has a slash. */
const pathOf = (name: string): string => `/${name.split('/').map(encodeURIComponent).join('/')}`

const readOperation = async (name: string, ask: AskBatch): Promise<Readonly<Record<string, unknown>>> =>
  batchRecord(await ask({ method: 'GET', path: pathOf(name) }))

const metadataOf = ({ metadata }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  isRecord(metadata) ? metadata : {}

/** Returns the state without its prefix, which is `BATCH_STATE_` or `JOB_STATE_`. */
function stateOf(operation: Readonly<Record<string, unknown>>): string {
  const { state } = metadataOf(operation)
  return typeof state === 'string' ? state.slice(state.indexOf('STATE_') + 'STATE_'.length) : ''
}

const isOver = (operation: Readonly<Record<string, unknown>>): boolean =>
  operation['done'] === true || ENDED.has(stateOf(operation))

/** Returns the results, which are in the response of the operation, or in the output of its metadata. */
function responsesIn(operation: Readonly<Record<string, unknown>>): readonly unknown[] {
  for (const holder of [operation['response'], metadataOf(operation)['output']]) {
    const inlined = isRecord(holder) ? holder['inlinedResponses'] : undefined
    if (Array.isArray(inlined)) return inlined
    if (isRecord(inlined)) return listOf(inlined['inlinedResponses'])
  }
  return []
}

function resultIn({ response, error }: Readonly<Record<string, unknown>>): BatchResult {
  if (!isRecord(error)) return { body: response }
  const { code } = error
  if (code === CANCELLED_CODE) return { error: cancelledInBatch() }
  const status = typeof code === 'number' ? (STATUSES[code] ?? 500) : 500
  return { refusal: { error }, status }
}

function missingResult(operation: Readonly<Record<string, unknown>>): BatchResult {
  const state = stateOf(operation)
  if (state === 'CANCELLED') return { error: cancelledInBatch() }
  if (state === 'EXPIRED') return { error: expiredInBatch() }
  const { error } = operation
  const message = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : 'no reason'
  return { error: modelFailure('server', `the batch has no answer to the request: ${message}`) }
}
