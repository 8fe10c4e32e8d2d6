import { jsonDelivery, type Delivery } from '../delivery.ts'
import type { Transport } from '../reply.ts'
import { splitBytes, sseFrame } from '../sse-writer.ts'
import type { ChatRequest } from './chat-request.ts'
import type { Refusal } from './wire-error.ts'

/** A body sent whole. */
export function wholeDelivery(body: object, transport: Transport, request: ChatRequest): Delivery {
  const { headers, headersAfter: before, firstTokenAfter: pause } = transport
  const { head, body: parts = [] } = jsonDelivery(200, body, { ...usualHeaders(request), ...headers })
  return { before, head, body: [...(pause === undefined ? [] : [{ pause }]), ...parts] }
}

/** Frames of a stream: those before the content, and the rest; a text is sent as it is. */
export function streamDelivery(
  { opening, rest }: { opening: readonly (object | string)[]; rest: readonly (object | string)[] },
  { headers, headersAfter: before, firstTokenAfter: pause, splits, eol }: Transport,
  request: ChatRequest,
): Delivery {
  const head = { status: 200, headers: { ...usualHeaders(request), 'content-type': EVENT_STREAM, ...headers } }
  const cut = (frames: readonly (object | string)[]): readonly (string | Uint8Array)[] => {
    const texts = frames.map((frame) => sseFrame(frame, { eol, event: eventType(frame) }))
    return splits === undefined ? texts : splitBytes(texts, splits)
  }
  if (pause === undefined) return { before, head, body: cut([...opening, ...rest]) }
  return { before, head, body: [...cut(opening), { pause }, ...cut(rest)] }
}

/** Events of the Responses API name their type twice; chunks of chat completions have none. */
const eventType = (frame: object | string): string | undefined =>
  typeof frame === 'object' && 'type' in frame && typeof frame.type === 'string' ? frame.type : undefined

/** Builds the response to a refused request. */
export function refusedDelivery({ status, error }: Refusal, index: number, transport: Transport = {}): Delivery {
  const { headers, headersAfter: before } = transport
  return { ...jsonDelivery(status, { error }, { ...usualHeaders({ index }), ...headers }), before }
}

const EVENT_STREAM = 'text/event-stream; charset=utf-8'

/** The headers of every answer. */
export const usualHeaders = ({ index }: { index: number }): Record<string, string> => ({
  'x-request-id': `req_${index + 1}`,
  'openai-processing-ms': '1',
  'openai-version': '2020-10-01',
})
