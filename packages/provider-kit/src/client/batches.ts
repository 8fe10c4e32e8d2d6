import type { ClientBatches, ModelAnswer, ModelCallOptions, ModelParams } from '@x/interfaces'
import type { XError } from '@x/kernel'
import { RefusalError } from '../failure/convert-error.ts'
import { modelFailure } from '../failure/model-failure.ts'
import { isRecord, parseJson, recordOf } from '../json/wire-values.ts'
import type { AskBatch, BatchDialect, BatchResult, LoweredRequest } from './dialect.ts'

/** Parts of a client that its batches need; `P` is a request that is ready to be sent. */
interface BatchClient<P extends { readonly request: LoweredRequest }> {
  readonly prepare: (params: ModelParams, options: ModelCallOptions) => P
  /** Returns what sends requests about batches, with the limits and errors of any request. */
  readonly askWith: (options: ModelCallOptions) => AskBatch
  /** Reads an answer to a request. */
  readonly read: (prepared: P, body: unknown) => ModelAnswer
  /** Returns the error of a refusal as that of a single request. */
  readonly failureOf: (refusal: RefusalError, options: ModelCallOptions) => Error
}

/** Makes the batches of a client by the wire format of its provider. */
export function createBatches<P extends { readonly request: LoweredRequest }>(
  dialect: BatchDialect,
  client: BatchClient<P>,
): ClientBatches {
  const idsOf = (key: string, requests: readonly ModelParams[]): string[] =>
    requests.map((_, index) => `${key}-${index}`)
  const outcomeOf = (prepared: P, result: BatchResult | undefined, options: ModelCallOptions): ModelAnswer | Error => {
    if (!result) return modelFailure('server', 'its batch has no result for the request')
    if ('error' in result) return result.error
    if ('refusal' in result) {
      const { status, refusal } = result
      const error = new RefusalError({ status, headers: new Headers(), body: JSON.stringify(refusal) })
      return client.failureOf(error, options)
    }
    try {
      return withoutTier(client.read(prepared, result.body))
    } catch (error) {
      return error instanceof Error ? error : modelFailure('server', 'the answer has an unexpected form')
    }
  }
  return {
    maxRequests: dialect.maxRequests,
    priceFactor: dialect.priceFactor,
    async submit(requests, key, options) {
      const ids = idsOf(key, requests)
      const items = requests.map((params, index) => ({
        id: ids[index]!,
        request: client.prepare(params, options).request,
      }))
      return await dialect.submit(items, key, client.askWith(options))
    },
    find: async (key, options) => await dialect.find(key, client.askWith(options)),
    hasEnded: async (id, options) => await dialect.hasEnded(id, client.askWith(options)),
    async results({ id, key, requests }, options) {
      const ids = idsOf(key, requests)
      const prepared = requests.map((params) => client.prepare(params, options))
      const results = await dialect.results(id, ids, client.askWith(options))
      return prepared.map((each, index) => outcomeOf(each, results.get(ids[index]!), options))
    },
    cancel: async (id, options) => await dialect.cancel(id, client.askWith(options)),
  }
}

/** Leaves the tier of batches out of an answer: `priceFactor` stands for its price, and would count once more. */
function withoutTier(answer: ModelAnswer): ModelAnswer {
  const { usage } = answer
  if (usage?.service_tier !== 'batch') return answer
  const { service_tier: _, ...others } = usage
  return { ...answer, usage: others }
}

/**
 * Reads the results at a path, however many there are: objects with a `custom_id`, one a line. `read` returns true if it needs
 * no more of them. What is no result is left out; fails with kind `server` if there is nothing else, as in a web page.
 */
export async function batchRecords(
  ask: AskBatch,
  path: string,
  read: (id: string, record: Readonly<Record<string, unknown>>) => boolean,
): Promise<void> {
  let others = 0
  let results = 0
  const onLine = (line: string): boolean => {
    const record = recordOf(parseJson(line))
    const { custom_id: id } = record
    if (typeof id !== 'string') {
      others++
      return false
    }
    results++
    return read(id, record)
  }
  await ask({ method: 'GET', path, onLine })
  if (results === 0 && others > 0) throw modelFailure('server', 'the answer about a batch has no results')
}

/** Reads the answer to a request about a batch. */
export function batchRecord(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  if (isRecord(value)) return value
  throw modelFailure('server', 'the answer about a batch is not an object')
}

/** Reads the identifier of a batch or file out of the answer to the request that has made it. */
export function batchId(text: string, name: string): string {
  const id = batchRecord(text)[name]
  if (typeof id === 'string' && id !== '') return id
  throw modelFailure('server', `the answer about a batch has no \`${name}\``)
}

/** Makes the error of a request that was not answered in the time of its batch. */
export const expiredInBatch = (): XError =>
  modelFailure('timeout', 'the request has expired: its batch had no answer in time; ask it again')

/** Makes the error of a request whose batch was cancelled before its answer. */
export const cancelledInBatch = (): XError =>
  modelFailure('aborted', 'the request was cancelled with its batch, before it was answered')
