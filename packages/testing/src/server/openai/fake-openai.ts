import type { LoggedRequest } from '../http-log.ts'
import { startHttpShell, type Handler, type HttpRequest, type HttpShell } from '../http-shell.ts'
import { queueReplies, type ReplyQueue, type ScriptedReplies } from '../server-script.ts'
import { chatDelivery } from './chat-delivery.ts'
import { chatPath, readChatRequest, type ChatRequest } from './chat-request.ts'
import { refusedDelivery } from './delivery-shapes.ts'
import { strictRefusal } from './strict.ts'
import { noSuchPath, refusalOf, type Refusal } from './wire-error.ts'

/** Options of a fake server that speaks OpenAI's chat completions; without replies it repeats what it is told. */
export interface FakeOpenAIOptions extends ScriptedReplies<ChatRequest> {
  /** Refuses what the real API refuses; default false. */
  readonly strict?: boolean | undefined
  /** The one key that is let in; default: any, also none. */
  readonly apiKey?: string | undefined
  /** Port on loopback; default 0: any free one. */
  readonly port?: number | undefined
}

/** A server on loopback that speaks OpenAI's chat completions, also by the path of Azure. */
export interface FakeOpenAI extends AsyncDisposable {
  /** What to give as `baseUrl`, ending in `/v1`. */
  readonly url: string
  /** Root of the server: what to give as `baseUrl` for Azure. */
  readonly origin: string
  /**
   * Every request so far, in the order of their arrival; keys are redacted. What became of one is certain after `idle()`.
   */
  readonly requests: readonly LoggedRequest[]
  /** Comes when that many requests have arrived. */
  requested(count: number): Promise<void>
  /** Comes when no request is open. */
  idle(): Promise<void>
  /** Fails with `invalid-state` unless every reply was asked for and no request went without. */
  assertComplete(): void
  /** Breaks off what is open and frees the port; so does `await using`. */
  close(): Promise<void>
}

/** Starts the server in this thread. */
export async function listenAsOpenAI({ strict, apiKey, port, ...script }: FakeOpenAIOptions): Promise<FakeOpenAI> {
  const queue = queueReplies(script, echo)
  const judge = (request: HttpRequest, azure: boolean): Refusal | undefined => {
    const keys = [request.headers.authorization?.replace(/^Bearer /u, ''), request.headers['api-key']]
    if (apiKey !== undefined && !keys.includes(apiKey)) return refusalOf('401', { model: '', azure })
    return strict ? strictRefusal(request.body, azure) : undefined
  }
  const shell = await startHttpShell({ port, handle: openAIHandler(queue, judge) })
  return fakeOf(shell, queue)
}

/** Answers requests in OpenAI's format with the replies of a queue, unless `judge` refuses them. */
function openAIHandler(
  queue: ReplyQueue<ChatRequest>,
  judge: (request: HttpRequest, azure: boolean) => Refusal | undefined,
): Handler {
  let arrived = 0
  return async (request) => {
    const index = arrived++
    const found = chatPath(request)
    if (!found) return refusedDelivery(noSuchPath(request), index)
    const refused = judge(request, found.deployment !== '')
    if (refused) return refusedDelivery(refused, index)
    const chat = readChatRequest(request.body, found.deployment, index)
    return chatDelivery(await queue.next(chat.model, chat), chat)
  }
}

function fakeOf(shell: HttpShell, queue: ReplyQueue<ChatRequest>): FakeOpenAI {
  const close = (): Promise<void> => Promise.resolve(shell[Symbol.asyncDispose]())
  return {
    url: `${shell.origin}/v1`,
    origin: shell.origin,
    get requests() {
      return shell.requests
    },
    requested: (count) => shell.requested(count),
    idle: () => shell.idle(),
    assertComplete: () => queue.assertComplete(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function echo({ messages }: ChatRequest): string {
  const last = messages.at(-1)?.['content']
  return typeof last === 'string' ? last : JSON.stringify(last ?? '')
}
