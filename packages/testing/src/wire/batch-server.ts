import { anthropicFormat } from '../anthropic/anthropic-format.ts'
import { googleFormat } from '../google/google-format.ts'
import { responsesFormat } from '../openai/responses-format.ts'
import { chatAnswer, chatCompletion } from '../server/openai/chat-answer.ts'
import { jsonDelivery, type Delivery } from '../server/delivery.ts'
import { startHttpShell, type HttpRequest, type HttpShell } from '../server/http-shell.ts'
import { isRecord } from '../server/openai/chat-request.ts'
import type { PlainReply } from './wire-format.ts'

/** Vendors whose batches the server speaks. */
export type BatchVendor = 'anthropic' | 'google' | 'openai'

/** End of one request of a batch: an answer, a refusal with a status, or none. */
export type BatchOutcome = PlainReply | { readonly status: number } | 'cancelled' | 'expired' | 'missing'

/** Options of {@link startBatchServer}. */
export interface BatchServerOptions {
  readonly vendor: BatchVendor
  /** Returns the end of a request by its body and its number in the batch; default: an answer with that number. */
  readonly outcomeOf?: ((body: Readonly<Record<string, unknown>>, index: number) => BatchOutcome) | undefined
  /** Questions that a batch answers with "not yet"; default 1. */
  readonly polls?: number | undefined
  /** Time at which answers in the background say they were begun, in seconds since 1970; default: they do not say. */
  readonly createdAt?: number | undefined
  /** Returns a status with which a request is answered instead, or `lost` if it is carried out and its answer is lost. */
  readonly fault?:
    | ((request: { readonly method: string; readonly path: string }) => number | 'lost' | undefined)
    | undefined
}

/** A batch that a fake server has. */
export interface FakeBatch {
  readonly id: string
  /** Bodies of its requests. */
  readonly requests: readonly Readonly<Record<string, unknown>>[]
  readonly isCancelled: boolean
}

/** A server on loopback that speaks the batches of a vendor, and the answers in the background of OpenAI. */
export interface BatchServer extends Omit<HttpShell, 'origin'> {
  /** Base URL for a config entry. */
  readonly url: string
  /** The batches so far, oldest first. */
  readonly batches: readonly FakeBatch[]
}

interface Batch {
  readonly id: string
  readonly items: readonly { readonly id: string; readonly body: Readonly<Record<string, unknown>> }[]
  readonly details: Readonly<Record<string, unknown>>
  polls: number
  isCancelled: boolean
}

type Ask = (request: HttpRequest) => Delivery | undefined

/**
 * Starts a server that answers batches as a vendor does: after some questions, with a result for each request, in another order
 * than theirs where the vendor promises none. An answer in the background of OpenAI is a batch of one.
 */
export async function startBatchServer(options: BatchServerOptions): Promise<BatchServer> {
  const { vendor, fault = () => undefined } = options
  const batches: Batch[] = []
  const answer = VENDORS[vendor](batches, options)
  const shell = await startHttpShell({
    handle: (request) => {
      const failed = fault(request)
      if (typeof failed === 'number') return jsonDelivery(failed, errorBody(vendor, failed))
      const delivery = answer(request) ?? jsonDelivery(404, errorBody(vendor, 404))
      return failed === 'lost' ? { ending: 'reset' } : delivery
    },
  })
  return {
    url: vendor === 'openai' ? `${shell.origin}/v1` : shell.origin,
    get batches() {
      return batches.map(({ id, items, isCancelled }) => ({ id, requests: items.map(({ body }) => body), isCancelled }))
    },
    get requests() {
      return shell.requests
    },
    requested: (count) => shell.requested(count),
    idle: () => shell.idle(),
    close: () => shell.close(),
    [Symbol.asyncDispose]: () => shell.close(),
  }
}

const FORMATS = { anthropic: anthropicFormat, google: googleFormat, openai: responsesFormat }

const errorBody = (vendor: BatchVendor, status: number): object => FORMATS[vendor].errorBody(status, `status ${status}`)

/** Returns the end of each request of a batch; a batch that was cancelled before its end has no answers. */
function endsOf(batch: Batch, { outcomeOf, polls = 1 }: BatchServerOptions): readonly BatchOutcome[] {
  if (batch.isCancelled && batch.polls <= polls) return batch.items.map(() => 'cancelled')
  return batch.items.map(({ body }, index) => outcomeOf?.(body, index) ?? { text: `answer ${index}` })
}

/** Counts a question; true once the batch has ended. */
const hasEnded = (batch: Batch, { polls = 1 }: BatchServerOptions): boolean =>
  ++batch.polls > polls || batch.isCancelled

const isReply = (outcome: BatchOutcome): outcome is PlainReply => typeof outcome === 'object' && !('status' in outcome)

const lines = (values: readonly object[]): Delivery => ({
  head: { status: 200, headers: { 'content-type': 'application/jsonl' } },
  body: [values.map((value) => `${JSON.stringify(value)}\n`).join('')],
})

function openaiView(batch: Batch, ended: boolean, options: BatchServerOptions): object {
  const end = batch.isCancelled ? 'cancelled' : endsOf(batch, options).includes('expired') ? 'expired' : 'completed'
  return {
    ...{ id: batch.id, object: 'batch', status: ended ? end : 'in_progress', ...batch.details },
    output_file_id: ended ? `${batch.id}-output` : null,
    error_file_id: ended ? `${batch.id}-errors` : null,
  }
}

/** Returns the lines of the file with the answers, or of that with everything else. */
const openaiLines = (batch: Batch, isOutput: boolean, options: BatchServerOptions): object[] =>
  endsOf(batch, options)
    .flatMap((end, index): object[] => {
      const { id, body: asked } = batch.items[index]!
      const line = { id: `batch_req_${index}`, custom_id: id }
      if (end === 'missing' || isReply(end) !== isOutput) return []
      if (typeof end === 'string') {
        return [{ ...line, response: null, error: { code: `batch_${end}`, message: `This request is ${end}.` } }]
      }
      const [status, body] = isReply(end)
        ? [200, openaiBody(end, asked)]
        : [end.status, errorBody('openai', end.status)]
      return [{ ...line, response: { status_code: status, request_id: 'r', body }, error: null }]
    })
    .toReversed()

/** Answers a request about an answer in the background, which is a batch of one. */
function backgroundAnswer(
  { method, path, body }: Pick<HttpRequest, 'method' | 'path' | 'body'>,
  batches: Batch[],
  options: BatchServerOptions,
): Delivery | undefined {
  const view = (batch: Batch, ended: boolean): Delivery => {
    const [end] = endsOf(batch, options)
    const { id, details } = batch
    const common = { id, object: 'response', output: [], ...details }
    if (!ended && !batch.isCancelled) return jsonDelivery(200, { ...common, status: 'in_progress' })
    if (end === 'missing') return jsonDelivery(404, errorBody('openai', 404))
    if (isReply(end!)) return jsonDelivery(200, { ...responsesFormat.whole(end), id })
    if (typeof end === 'string') return jsonDelivery(200, { ...common, status: 'cancelled' })
    return jsonDelivery(200, { ...common, status: 'failed', error: { code: 'server_error', message: 'it failed' } })
  }
  const [, id, action] = /^\/v1\/responses\/(resp_\d+)(?:\/(cancel))?$/u.exec(path) ?? []
  if (id === undefined) {
    if (method !== 'POST' || !isRecord(body) || body['background'] !== true) return undefined
    const { createdAt } = options
    const details = { background: true, model: body['model'], ...(createdAt && { created_at: createdAt }) }
    const made: Batch = {
      id: `resp_${batches.length + 1}`,
      items: [{ id: '', body }],
      details,
      polls: 0,
      isCancelled: false,
    }
    batches.push(made)
    return view(made, false)
  }
  const batch = batches.find((each) => each.id === id)
  if (!batch) return undefined
  if (action === 'cancel') {
    batch.isCancelled = true
    return view(batch, false)
  }
  return view(batch, hasEnded(batch, options))
}

/** Returns the text of the file in an upload. */
function uploadedText(body: string, type: string): string {
  const boundary = type.slice(type.indexOf('boundary=') + 'boundary='.length)
  const file = body.split(`--${boundary}`).find((part) => part.includes('name="file"')) ?? ''
  return file.slice(file.indexOf('\r\n\r\n') + 4).trim()
}

function openaiItem(line: string): Batch['items'][number] {
  const { custom_id: id, body } = JSON.parse(line) as { custom_id: string; body: Record<string, unknown> }
  return { id, body }
}

const VENDORS: Readonly<Record<BatchVendor, (batches: Batch[], options: BatchServerOptions) => Ask>> = {
  openai(batches, options) {
    const files = new Map<string, string>()
    const view = (batch: Batch, ended: boolean): object => openaiView(batch, ended, options)
    return ({ method, path, body, headers }) => {
      if (path.startsWith('/v1/responses')) return backgroundAnswer({ method, path, body }, batches, options)
      const [, name, id = '', action] = /^\/v1\/(files|batches)(?:\/([\w-]+))?(?:\/(\w+))?$/u.exec(path) ?? []
      const batch = batches.find((each) => each.id === id)
      if (method === 'POST' && name === 'files') {
        const fileId = `file-${files.size + 1}`
        files.set(fileId, uploadedText(String(body), headers['content-type'] ?? ''))
        return jsonDelivery(200, { id: fileId, object: 'file', purpose: 'batch' })
      }
      if (method === 'POST' && name === 'batches' && !id && isRecord(body)) {
        const text = files.get(String(body['input_file_id']))
        if (text === undefined) return jsonDelivery(400, errorBody('openai', 400))
        const items = text.split('\n').map(openaiItem)
        const details = { metadata: body['metadata'], endpoint: body['endpoint'] }
        const made: Batch = { id: `batch_${batches.length + 1}`, items, details, polls: 0, isCancelled: false }
        batches.push(made)
        return jsonDelivery(200, view(made, false))
      }
      if (name === 'batches' && !id)
        return jsonDelivery(200, { data: batches.map((each) => view(each, false)).toReversed() })
      const [, owner, part] = /^(batch_\d+)-(output|errors)$/u.exec(id) ?? []
      const of = batches.find((each) => each.id === owner)
      if (name === 'files' && action === 'content' && of) return lines(openaiLines(of, part === 'output', options))
      if (!batch || name !== 'batches') return undefined
      if (action === 'cancel') {
        batch.isCancelled = true
        return jsonDelivery(200, view(batch, false))
      }
      return jsonDelivery(200, view(batch, hasEnded(batch, options)))
    }
  },

  anthropic(batches, options) {
    const view = (batch: Batch, ended: boolean): object => ({
      ...{ id: batch.id, type: 'message_batch', processing_status: ended ? 'ended' : 'in_progress' },
      results_url: ended ? `/v1/messages/batches/${batch.id}/results` : null,
    })
    return ({ method, path, body }) => {
      const [isBatches, id = '', action] = /^\/v1\/messages\/batches(?:\/([\w-]+))?(?:\/(\w+))?$/u.exec(path) ?? []
      if (isBatches === undefined) return undefined
      if (method === 'POST' && !id && isRecord(body)) {
        const requests = body['requests'] as { custom_id: string; params: Record<string, unknown> }[]
        const items = requests.map(({ custom_id: item, params }) => ({ id: item, body: params }))
        const made: Batch = { id: `msgbatch_${batches.length + 1}`, items, details: {}, polls: 0, isCancelled: false }
        batches.push(made)
        return jsonDelivery(200, view(made, false))
      }
      if (!id)
        return jsonDelivery(200, { data: batches.map((each) => view(each, hasEnded(each, options))).toReversed() })
      const batch = batches.find((each) => each.id === id)
      if (!batch) return undefined
      if (action === 'cancel') {
        batch.isCancelled = true
        return jsonDelivery(200, view(batch, false))
      }
      if (action !== 'results') return jsonDelivery(200, view(batch, hasEnded(batch, options)))
      const results = endsOf(batch, options).flatMap((end, index) => {
        if (end === 'missing') return []
        const result = isReply(end)
          ? { type: 'succeeded', message: inBatchTier(anthropicFormat.whole(end)) }
          : typeof end === 'object'
            ? { type: 'errored', error: errorBody('anthropic', end.status) }
            : { type: end === 'cancelled' ? 'canceled' : end }
        return [{ custom_id: batch.items[index]!.id, result }]
      })
      return lines(results.toReversed())
    }
  },

  google(batches, options) {
    const view = (batch: Batch, ended: boolean): object => {
      const ends = endsOf(batch, options)
      const state = !ended
        ? 'RUNNING'
        : batch.isCancelled
          ? 'CANCELLED'
          : ends.includes('expired')
            ? 'EXPIRED'
            : 'SUCCEEDED'
      const inlinedResponses = ends.flatMap((end, index) => {
        if (typeof end === 'string') return []
        const result = isReply(end)
          ? { response: googleFormat.whole(end) }
          : { error: { code: GRPC_CODES[end.status] ?? 13, message: `status ${end.status}` } }
        // The vendor does not give every key back.
        const isKeyed = ends.some((each) => typeof each === 'string') || index % 2 === 0
        return [{ ...result, ...(isKeyed && { metadata: { key: batch.items[index]!.id } }) }]
      })
      const output = { inlinedResponses: { inlinedResponses } }
      return {
        ...{ name: batch.id, metadata: { ...batch.details, state: `BATCH_STATE_${state}` }, done: ended },
        ...(ended && { response: output }),
      }
    }
    return ({ method, path, body }) => {
      if (method === 'POST' && path.endsWith(':batchGenerateContent') && isRecord(body)) {
        const { displayName, inputConfig } = body['batch'] as {
          displayName: string
          inputConfig: { requests: { requests: { request: Record<string, unknown>; metadata: { key: string } }[] } }
        }
        const items = inputConfig.requests.requests.map(({ request, metadata }) => ({
          id: metadata.key,
          body: request,
        }))
        const id = `batches/${batches.length + 1}`
        const made: Batch = { id, items, details: { displayName }, polls: 0, isCancelled: false }
        batches.push(made)
        return jsonDelivery(200, view(made, false))
      }
      const [isBatches, number, isCancel] = /^\/v1beta\/batches(?:\/(\d+)(:cancel)?)?$/u.exec(path) ?? []
      if (isBatches === undefined) return undefined
      if (!number) return jsonDelivery(200, { operations: batches.map((each) => view(each, false)).toReversed() })
      const batch = batches.find(({ id }) => id === `batches/${number}`)
      if (!batch) return undefined
      if (!isCancel) return jsonDelivery(200, view(batch, hasEnded(batch, options)))
      batch.isCancelled = true
      return jsonDelivery(200, {})
    }
  },
}

/** Names the tier of service in an answer of Anthropic, as it does in batches. */
const inBatchTier = (message: object): object => {
  const { usage } = message as { readonly usage?: object }
  return { ...message, usage: { ...usage, service_tier: 'batch' } }
}

const GRPC_CODES: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 503: 14 }

/** The body of an answer in the form of the endpoint that the request is for. */
function openaiBody(reply: PlainReply, { input, model = 'gpt-5-mini' }: Readonly<Record<string, unknown>>): object {
  if (input !== undefined) return responsesFormat.whole(reply)
  const { text = '', usage } = reply
  const request = { index: 0, n: 1, model } as unknown as Parameters<typeof chatAnswer>[1]
  return chatCompletion(chatAnswer({ content: text, ...(usage && { usage }) }, request))
}
