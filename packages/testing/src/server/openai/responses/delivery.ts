import type { Delivery } from '../../delivery.ts'
import type { AnswerContent, FailedAnswer, ServerAnswer } from '../../reply.ts'
import { callId } from '../chat-answer.ts'
import type { ChatRequest } from '../chat-request.ts'
import { streamDelivery, wholeDelivery } from '../delivery-shapes.ts'
import { outputItems, responsesBody, unfinishedBody, type OutputItem, type ResponsesReply } from './body.ts'
import { responsesEvents, type ResponsesEvents } from './events.ts'

/** Builds the response of an answer by the Responses API. */
export function responsesDelivery(answer: ServerAnswer, request: ChatRequest): Delivery {
  const reply = settledReply(answer, request)
  if (!request.stream) return wholeDelivery(responsesBody(reply), answer, request)
  const { opening, content, closing } = responsesEvents(reply, answer.pieces)
  return streamDelivery({ opening, rest: [...content, ...closing] }, answer, request)
}

/** Builds the first part of an answer: without its end, or, for `whole`, without the last event. */
export function partialResponses(failed: FailedAnswer, request: ChatRequest, part: 'half' | 'whole'): Delivery {
  const events = eventsOf(failed, request)
  const content = part === 'half' ? firstHalf(events) : [...events.opening, ...events.content]
  return streamDelivery({ opening: [], rest: content }, failed, request)
}

/** Builds an answer that fails with status 200: at once by an `error` event, later by `response.failed`. */
export function failedResponses(failed: FailedAnswer, request: ChatRequest, midway: boolean): Delivery {
  const reply = settledReply(failed.answer ?? DEFAULT_ANSWER, request)
  const message = failed.message ?? 'The server had an error while processing your request. Sorry about that!'
  const body = unfinishedBody(reply, { code: 'server_error', message })
  if (!request.stream) return wholeDelivery(body, failed, request)
  const rest = midway
    ? [...firstHalf(responsesEvents(reply)), { type: 'response.failed', sequence_number: 99, response: body }]
    : [{ type: 'error', sequence_number: 0, code: 'server_error', message, param: null }]
  return streamDelivery({ opening: [], rest }, failed, request)
}

/** Body of a complete answer to a failure that sends a part of it. */
export const settledBody = (failed: FailedAnswer, request: ChatRequest): object =>
  responsesBody(settledReply(failed.answer ?? DEFAULT_ANSWER, request))

const DEFAULT_ANSWER: AnswerContent = { content: 'Half of this answer is all that comes.' }

const eventsOf = ({ answer = DEFAULT_ANSWER }: FailedAnswer, request: ChatRequest): ResponsesEvents =>
  responsesEvents(settledReply(answer, request), answer.pieces)

const firstHalf = ({ opening, content }: ResponsesEvents): object[] => [
  ...opening,
  ...content.slice(0, Math.ceil(content.length / 2)),
]

const INCOMPLETE_REASONS: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

function settledReply(answer: AnswerContent, { index, model: asked, body }: ChatRequest): ResponsesReply {
  const { usage = { prompt: 10, completion: 5 }, model = asked } = answer
  const choice = answer.choices?.[0] ?? answer
  const { content, pieces, refusal, reasoning_content: thoughts, tool_calls: calls, finish_reason: finish } = choice
  const sealed = Array.isArray(body['include']) && body['include'].includes('reasoning.encrypted_content')
  const output = outputItems({
    index: index + 1,
    text: content ?? pieces?.join(''),
    refusal: refusal ?? undefined,
    reasoning:
      thoughts === undefined ? undefined : { text: thoughts, sealed: sealed ? `sealed-${index + 1}` : undefined },
    items: choice.items as readonly OutputItem[] | undefined,
    calls: calls?.map((call, n) => ({ id: callId(call.id, n), ...call.function })),
  })
  return {
    id: `resp_${index + 1}`,
    created: 1_700_000_000 + index,
    model,
    output,
    incomplete: finish === undefined || refusal ? undefined : INCOMPLETE_REASONS[finish],
    usage,
  }
}
