import {
  batchId,
  batchRecord,
  batchRecords,
  cancelledInBatch,
  expiredInBatch,
  isRecord,
  listOf,
  modelFailure,
  type BatchDialect,
} from '@x/provider-kit'
import { pathOf } from './endpoint.ts'

type AskBatch = Parameters<BatchDialect['cancel']>[1]
type BatchItem = Parameters<BatchDialect['submit']>[0][number]
type BatchResult = ReturnType<Awaited<ReturnType<BatchDialect['results']>>['get']> & object

/** Most requests of one batch. */
const MAX_REQUESTS = 50_000
/** Key of the metadata of a batch under which it is found again. */
const KEY_NAME = 'x_batch'
/** Batches of a page of the list, newest first, and pages that are looked through for a key. */
const PAGE_SIZE = 100
const MAX_PAGES = 100

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'expired', 'cancelled'])

/**
 * The Batch API: the requests are lines of a file that is uploaded first, the results are lines of one file for answers and
 * one for errors.
 */
export const BATCHES: BatchDialect = {
  maxRequests: MAX_REQUESTS,
  priceFactor: 0.5,
  async submit(items, key, ask) {
    const endpoint = `/v1${endpointOf(items)}`
    const lines = items.map(({ id, request: { body } }) =>
      JSON.stringify({ custom_id: id, method: 'POST', url: endpoint, body }),
    )
    const file = batchId(await ask(uploadOf(lines.join('\n'), key)), 'id')
    const body = JSON.stringify({
      input_file_id: file,
      endpoint,
      completion_window: '24h',
      metadata: { [KEY_NAME]: key },
    })
    return batchId(await ask({ method: 'POST', path: '/batches', body }), 'id')
  },
  async find(key, ask) {
    let after = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      // eslint-disable-next-line no-await-in-loop -- the newest first, and mostly the first page
      const list = batchRecord(await ask({ method: 'GET', path: `/batches?limit=${PAGE_SIZE}${after}` }))
      const batches = listOf(list['data']).filter(isRecord)
      const found = batches.find((each) => metadataOf(each)[KEY_NAME] === key)
      if (found) return found['id'] as string
      const { id } = batches.at(-1) ?? {}
      if (list['has_more'] !== true || typeof id !== 'string') return null
      after = `&after=${encodeURIComponent(id)}`
    }
    return null
  },
  async hasEnded(id, ask) {
    return ENDED.has((await readBatch(id, ask))['status'])
  },
  async results(id, ids, ask) {
    const batch = await readBatch(id, ask)
    const { status, output_file_id: output, error_file_id: errors } = batch
    if (!ENDED.has(status)) throw modelFailure('server', 'the answer about a batch that has ended does not say so')
    const results = new Map<string, BatchResult>()
    for (const file of [output, errors]) {
      if (typeof file !== 'string') continue
      await batchRecords(ask, `/files/${encodeURIComponent(file)}/content`, (item, line) => {
        // An answer stands, whatever comes behind it.
        const known = results.get(item)
        if (!known || !('body' in known)) results.set(item, resultIn(line))
        return false
      })
    }
    for (const each of ids) {
      if (results.has(each)) continue
      if (status === 'cancelled') results.set(each, { error: cancelledInBatch() })
      if (status === 'expired') results.set(each, { error: expiredInBatch() })
      if (status === 'failed') results.set(each, { error: refusedBatch(batch) })
    }
    return results
  },
  async cancel(id, ask) {
    await ask({ method: 'POST', path: `/batches/${encodeURIComponent(id)}/cancel` })
  },
}

/** Returns the endpoint of all requests of a batch: there is one for a whole batch. */
function endpointOf(items: readonly BatchItem[]): string {
  const [first = '/chat/completions', ...others] = new Set(items.map(({ request }) => pathOf(request)))
  if (others.length === 0) return first
  throw modelFailure(
    'invalid-request',
    `requests for \`${first}\` and \`${others[0]}\` cannot be in one batch: set \`api\` in the config entry, or make two batches`,
  )
}

/** Makes the upload of a file. No line of JSON has the boundary: their line breaks are escaped. */
function uploadOf(text: string, key: string): Parameters<AskBatch>[0] {
  const boundary = `x-batch-${key}`
  const part = (name: string, value: string, more = ''): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const file = part('file', text, `; filename="${key}.jsonl"\r\ncontent-type: application/jsonl`)
  const body = `${part('purpose', 'batch')}${file}--${boundary}--\r\n`
  return { method: 'POST', path: '/files', body, type: `multipart/form-data; boundary=${boundary}` }
}

const readBatch = async (id: string, ask: AskBatch): Promise<Readonly<Record<string, unknown>>> =>
  batchRecord(await ask({ method: 'GET', path: `/batches/${encodeURIComponent(id)}` }))

const metadataOf = ({ metadata }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  isRecord(metadata) ? metadata : {}

/** Reads a line of results. */
function resultIn({ response, error }: Readonly<Record<string, unknown>>): BatchResult {
  if (isRecord(response)) {
    const { status_code: status, body } = response
    if (status === 200) return { body }
    if (typeof status === 'number') return { status, refusal: isRecord(body) ? body : {} }
  }
  const { code, message } = isRecord(error) ? error : {}
  if (code === 'batch_expired') return { error: expiredInBatch() }
  if (code === 'batch_cancelled') return { error: cancelledInBatch() }
  return {
    error: modelFailure('server', `the batch has no answer: ${typeof message === 'string' ? message : 'no reason'}`),
  }
}

/** Makes the error of each request of a batch that the provider has refused as a whole. */
function refusedBatch({ errors }: Readonly<Record<string, unknown>>): Error {
  const [first] = isRecord(errors) ? listOf(errors['data']) : []
  const message = isRecord(first) && typeof first['message'] === 'string' ? first['message'] : 'no reason'
  return modelFailure('invalid-request', `the provider refused the batch: ${message}`)
}
