import { jsonDelivery, type Delivery } from '../server/delivery.ts'
import { redactedHeaders } from '../server/http-log.ts'
import { startHttpShell, type HttpRequest, type HttpShell } from '../server/http-shell.ts'
import { isRecord } from '../server/openai/chat-request.ts'
import { writeFrame, type PlainReply, type WireFormat, type WireFrame, type WireRequest } from './wire-format.ts'

/** Reaction of a fake server to one request. */
export type WireStep =
  /** Answers; after that many frames, `cutAfter` ends the stream cleanly, `stallAfter` leaves it open, `resetAfter` breaks the connection. */
  | {
      readonly reply: PlainReply
      readonly cutAfter?: number | undefined
      readonly stallAfter?: number | undefined
      readonly resetAfter?: number | undefined
      /** Extra frames before the frame with the number `at`. */
      readonly inserted?: { readonly at: number; readonly frames: readonly WireFrame[] } | undefined
    }
  /** Answers with a status and, by default, the provider's error body. */
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly body?: string | object | undefined
    }
  /** Never answers. */
  | { readonly hang: true }
  /** Breaks the connection before the headers. */
  | { readonly reset: true }

/** Options of a fake server. */
export interface WireServerOptions {
  /** Reactions in the order of the requests, the last one repeated; or a function that returns one. */
  readonly steps: readonly WireStep[] | ((request: WireRequest, index: number) => WireStep)
  /** Refuses requests that the real endpoint would refuse; default true. */
  readonly strict?: boolean | undefined
}

/** A server on loopback that speaks the wire format of a provider. */
export interface WireServer extends Omit<HttpShell, 'origin'> {
  /** Root URL, without a path. */
  readonly url: string
}

/** Starts a server on a free port of the loopback that speaks the wire format of a provider over real HTTP. */
export async function startWireServer(format: WireFormat, options: WireServerOptions): Promise<WireServer> {
  let arrived = 0
  const { steps, strict = true } = options
  const stepFor = (request: WireRequest, index: number): WireStep =>
    typeof steps === 'function' ? steps(request, index) : (steps[Math.min(index, steps.length - 1)] ?? { status: 500 })
  const shell = await startHttpShell({
    handle: (incoming) => {
      const request = wireRequest(incoming)
      const index = arrived++
      const refusal = strict ? format.refusal(request) : undefined
      const step: WireStep = refusal
        ? { status: refusal.status, body: format.errorBody(refusal.status, refusal.message) }
        : stepFor(request, index)
      return deliveryOf(step, format.isStream(request), format)
    },
  })
  return {
    url: shell.origin,
    get requests() {
      return shell.requests
    },
    requested: (count) => shell.requested(count),
    idle: () => shell.idle(),
    close: () => shell.close(),
    [Symbol.asyncDispose]: () => shell.close(),
  }
}

function wireRequest(request: HttpRequest): WireRequest {
  return {
    ...request,
    headers: redactedHeaders(request.headers),
    body: isRecord(request.body) ? request.body : {},
  }
}

function deliveryOf(step: WireStep, stream: boolean, format: WireFormat): Delivery {
  if ('hang' in step) return { ending: 'hang' }
  if ('reset' in step) return { ending: 'reset' }
  if ('status' in step) {
    const { status, body = format.errorBody(status, `status ${status}`), headers } = step
    if (typeof body !== 'string') return jsonDelivery(status, body, headers)
    return { head: { status, headers: { 'content-type': 'text/html', ...headers } }, body: [body] }
  }
  if (!stream) return jsonDelivery(200, format.whole(step.reply))
  const { cutAfter, stallAfter, resetAfter, inserted } = step
  const planned = format.frames(step.reply)
  const frames = inserted ? planned.toSpliced(inserted.at, 0, ...inserted.frames) : planned
  const until = cutAfter ?? stallAfter ?? resetAfter ?? frames.length
  return {
    head: { status: 200, headers: { 'content-type': 'text/event-stream' } },
    body: frames.slice(0, until).map(writeFrame),
    ending: resetAfter !== undefined ? 'reset' : stallAfter !== undefined ? 'hang' : 'close',
  }
}
