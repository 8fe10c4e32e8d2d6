import type { Delivery } from '../delivery.ts'
import type { ServerAnswer, ServerReply } from '../reply.ts'
import { brokenDelivery } from './broken-delivery.ts'
import { chatAnswer, chatCompletion } from './chat-answer.ts'
import { chatChunks } from './chat-chunks.ts'
import type { ChatRequest } from './chat-request.ts'
import { responsesDelivery } from './responses/delivery.ts'
import { streamDelivery, wholeDelivery } from './delivery-shapes.ts'

/** Builds the response for a reply. */
export function chatDelivery(reply: ServerReply, request: ChatRequest): Delivery {
  if (typeof reply === 'string') return answered({ content: reply }, request)
  return 'failure' in reply ? brokenDelivery(reply, request) : answered(reply, request)
}

function answered(answer: ServerAnswer, request: ChatRequest): Delivery {
  if (request.api === 'responses') return responsesDelivery(answer, request)
  const settled = chatAnswer(answer, request)
  if (!request.stream) return wholeDelivery(chatCompletion(settled), answer, request)
  const { opening, content, closing } = chatChunks(settled, request)
  return streamDelivery({ opening, rest: [...content, ...closing, '[DONE]'] }, answer, request)
}
