import type { Delivery } from '../delivery.ts'
import type { AnswerContent, FailedAnswer, RefusedFailure } from '../reply.ts'
import { chatAnswer, chatCompletion } from './chat-answer.ts'
import { chatChunks, type ChatChunks } from './chat-chunks.ts'
import type { ChatRequest } from './chat-request.ts'
import { failedResponses, partialResponses, settledBody } from './responses/delivery.ts'
import { refusedDelivery, streamDelivery, usualHeaders, wholeDelivery } from './delivery-shapes.ts'
import { refusalOf } from './wire-error.ts'

const DEFAULT_ANSWER: AnswerContent = { content: 'Half of this answer is all that comes.' }
const BROKEN_JSON = '{"id":"chatcmpl-1","choices":[{"ind'
const ERROR_PAGE_HTML = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'

/** Builds the response of a failure. */
export function brokenDelivery(failed: FailedAnswer, request: ChatRequest): Delivery {
  const { failure, headers, headersAfter: before } = failed
  const custom = (status: number, type: string, body: string): Delivery => ({
    before,
    head: {
      status: failed.status ?? status,
      headers: { ...usualHeaders(request), 'content-type': type, 'content-length': String(body.length), ...headers },
    },
    body: [body],
  })
  const responses = request.api === 'responses'
  switch (failure) {
    case 'reset':
    case 'hang':
      return { before, ending: failure }
    case 'reset-midway':
      return { ...half(failed, request), ending: 'reset' }
    case 'hang-midway':
      return { ...half(failed, request), ending: 'hang' }
    case 'cut':
      return half(failed, request)
    case 'no-done':
      return withoutDone(failed, request)
    case 'malformed':
      return request.stream
        ? pieces(failed, request, ({ opening }) => [...opening, BROKEN_JSON])
        : custom(200, 'application/json', BROKEN_JSON)
    case 'error-frame':
      return responses ? failedResponses(failed, request, false) : withError(failed, request, () => [])
    case 'error-frame-midway':
      return responses ? failedResponses(failed, request, true) : withError(failed, request, firstHalf)
    case 'html':
      return custom(502, 'text/html', ERROR_PAGE_HTML)
    case 'empty':
      return custom(200, 'application/json', '')
    default:
      return refusedAs(failure, failed, request)
  }
}

function refusedAs(failure: RefusedFailure, failed: FailedAnswer, request: ChatRequest): Delivery {
  const { status, error } = refusalOf(failure, request)
  const { message = error.message } = failed
  const headers = { ...retryHeaders(failed), ...failed.headers }
  const refusal = { status: failed.status ?? status, error: { ...error, message } }
  return refusedDelivery(refusal, request.index, { ...failed, headers })
}

/** Builds the retry headers of the API. */
function retryHeaders({ retryAfter }: FailedAnswer): Record<string, string> {
  if (retryAfter === undefined) return {}
  if (typeof retryAfter === 'number') return { 'retry-after': String(retryAfter) }
  if ('ms' in retryAfter) return { 'retry-after-ms': String(retryAfter.ms) }
  return { 'retry-after': new Date(retryAfter.date).toUTCString() }
}

/** The first half of an answer, in a body of unknown length. */
function half(failed: FailedAnswer, request: ChatRequest): Delivery {
  const responses = request.api === 'responses'
  if (request.stream) return responses ? partialResponses(failed, request, 'half') : pieces(failed, request, firstHalf)
  const text = JSON.stringify(responses ? settledBody(failed, request) : chatCompletion(settled(failed, request)))
  const { before, head } = wholeDelivery({}, failed, request)
  const { 'content-length': _, ...headers } = head!.headers
  return { before, head: { status: 200, headers }, body: [text.slice(0, text.length >> 1)] }
}

const firstHalf = ({ opening, content }: ChatChunks): object[] => [
  ...opening,
  ...content.slice(0, Math.ceil(content.length / 2)),
]

function withoutDone(failed: FailedAnswer, request: ChatRequest): Delivery {
  if (request.api === 'responses') {
    return request.stream
      ? partialResponses(failed, request, 'whole')
      : wholeDelivery(settledBody(failed, request), failed, request)
  }
  if (request.stream)
    return pieces(failed, request, ({ opening, content, closing }) => [...opening, ...content, ...closing])
  return wholeDelivery(chatCompletion(settled(failed, request)), failed, request)
}

/** Builds an error with status 200: as a frame of a stream, or as the body. */
function withError(failed: FailedAnswer, request: ChatRequest, before: (chunks: ChatChunks) => object[]): Delivery {
  const { error } = refusalOf('500', request)
  const body = { error: { ...error, message: failed.message ?? error.message } }
  return request.stream
    ? pieces(failed, request, (chunks) => [...before(chunks), body])
    : wholeDelivery(body, failed, request)
}

function pieces(
  failed: FailedAnswer,
  request: ChatRequest,
  choose: (chunks: ChatChunks) => (object | string)[],
): Delivery {
  return streamDelivery({ opening: [], rest: choose(chatChunks(settled(failed, request), request)) }, failed, request)
}

const settled = ({ answer = DEFAULT_ANSWER }: FailedAnswer, request: ChatRequest): ReturnType<typeof chatAnswer> =>
  chatAnswer(answer, request)
