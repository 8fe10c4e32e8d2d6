import type { Delivery } from '../delivery.ts'
import { startHttpShell, type Handler, type HttpRequest, type HttpShell } from '../http-shell.ts'
import type { ServerAnswer, ServerReply } from '../reply.ts'
import { queueReplies, type ReplyQueue, type ScriptedReplies } from '../server-script.ts'
import { brokenDelivery } from './broken-delivery.ts'
import { chatAnswer, chatCompletion } from './chat-answer.ts'
import { chatChunks } from './chat-chunks.ts'
import { readChatRequest, requestPath, type ChatRequest, type RequestPath } from './chat-request.ts'
import { refusedDelivery, streamDelivery, wholeDelivery } from './delivery-shapes.ts'
import { responsesDelivery } from './responses/delivery.ts'
import { strictResponses } from './responses/strict.ts'
import { strictRefusal } from './strict.ts'
import { noSuchPath, refusalOf, type Refusal } from './wire-error.ts'

/** Options of a fake server for OpenAI's chat completions and Responses API; without replies it repeats the last message. */
export interface OpenAIServerOptions extends ScriptedReplies<ChatRequest> {
  /** Refuses requests that the real API refuses; default false. */
  readonly strict?: boolean | undefined
  /** The only key that is accepted; default: any key, or none. */
  readonly apiKey?: string | undefined
  /** Port on loopback; default 0: any free one. */
  readonly port?: number | undefined
}

/** A server on loopback that speaks OpenAI's chat completions and Responses API, also by the paths of Azure. */
export interface FakeOpenAI extends HttpShell {
  /** `baseUrl` for clients, ending in `/v1`; for Azure it is `origin`. */
  readonly url: string
  /** Fails with `invalid-state` when a reply was not used or a request found none. */
  assertComplete(): void
}

/** Starts the server in this thread. */
export async function listenAsOpenAI({ strict, apiKey, port, ...script }: OpenAIServerOptions): Promise<FakeOpenAI> {
  const queue = queueReplies(script, echo)
  const judge = (request: HttpRequest, { api, deployment }: RequestPath): Refusal | undefined => {
    const azure = deployment !== ''
    const keys = [request.headers.authorization?.replace(/^Bearer /u, ''), request.headers['api-key']]
    if (apiKey !== undefined && !keys.includes(apiKey)) return refusalOf('401', { model: '', azure })
    if (!strict) return undefined
    return api === 'responses' ? strictResponses(request.body) : strictRefusal(request.body, azure)
  }
  const shell = await startHttpShell({ port, handle: openAIHandler(queue, judge) })
  return fakeOf(shell, queue)
}

/** Answers requests in OpenAI's format with the replies of a queue, unless `judge` refuses them. */
function openAIHandler(
  queue: ReplyQueue<ChatRequest>,
  judge: (request: HttpRequest, path: RequestPath) => Refusal | undefined,
): Handler {
  let arrived = 0
  return async (request) => {
    const index = arrived++
    const path = requestPath(request)
    if (!path) return refusedDelivery(noSuchPath(request), index)
    const refused = judge(request, path)
    if (refused) return refusedDelivery(refused, index)
    const chat = readChatRequest(request.body, path, index)
    return chatDelivery(await queue.next(chat.model, chat), chat)
  }
}

/** Builds the response for a reply. */
function chatDelivery(reply: ServerReply, request: ChatRequest): Delivery {
  if (typeof reply === 'string') return answerDelivery({ content: reply }, request)
  return 'failure' in reply ? brokenDelivery(reply, request) : answerDelivery(reply, request)
}

function answerDelivery(answer: ServerAnswer, request: ChatRequest): Delivery {
  if (request.api === 'responses') return responsesDelivery(answer, request)
  const chat = chatAnswer(answer, request)
  if (!request.stream) return wholeDelivery(chatCompletion(chat), answer, request)
  const { opening, content, closing } = chatChunks(chat, request)
  return streamDelivery({ opening, rest: [...content, ...closing, '[DONE]'] }, answer, request)
}

function fakeOf(shell: HttpShell, queue: ReplyQueue<ChatRequest>): FakeOpenAI {
  return {
    url: `${shell.origin}/v1`,
    origin: shell.origin,
    get requests() {
      return shell.requests
    },
    requested: (count) => shell.requested(count),
    idle: () => shell.idle(),
    assertComplete: () => queue.assertComplete(),
    close: () => shell.close(),
    [Symbol.asyncDispose]: () => shell.close(),
  }
}

function echo({ messages }: ChatRequest): string {
  const last = messages.at(-1)?.['content']
  return typeof last === 'string' ? last : JSON.stringify(last ?? '')
}
