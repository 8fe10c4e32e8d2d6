import { jsonDelivery, type Delivery } from '../server/delivery.ts'
import { redactedHeaders } from '../server/http-log.ts'
import { startHttpShell, type HttpRequest } from '../server/http-shell.ts'
import { frameText, type PlainReply, type WireFormat, type WireFrame, type WireRequest } from './wire-format.ts'

/** What a fake server does with one request. */
export type WireStep =
  /** Answers; `cutAfter` ends the stream cleanly after so many frames, `stallAfter` keeps it open, `resetAfter` breaks it. */
  | {
      readonly reply: PlainReply
      readonly cutAfter?: number | undefined
      readonly stallAfter?: number | undefined
      readonly resetAfter?: number | undefined
      /** Frames to write before the one of that number. */
      readonly inserted?: { readonly at: number; readonly frames: readonly WireFrame[] } | undefined
    }
  /** Refuses, or answers with a body of your own. */
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
  /** What happens to the requests, in their order; the last step stays. A function decides for each. */
  readonly steps: readonly WireStep[] | ((request: WireRequest, index: number) => WireStep)
  /** Whether requests that the real endpoint refuses are refused; default true. */
  readonly strict?: boolean | undefined
}

/** A server on this machine that speaks like a provider. */
export interface WireServer extends AsyncDisposable {
  /** Root URL, without a path. */
  readonly url: string
  /** What has arrived, oldest first. */
  readonly requests: readonly WireRequest[]
  close(): Promise<void>
}

/** Starts a server that speaks one provider's wire format: real HTTP, real framing, on a free port of the loopback. */
export async function startWireServer(format: WireFormat, options: WireServerOptions): Promise<WireServer> {
  const requests: WireRequest[] = []
  const { steps, strict = true } = options
  const stepFor = (request: WireRequest, index: number): WireStep =>
    typeof steps === 'function' ? steps(request, index) : (steps[Math.min(index, steps.length - 1)] ?? { status: 500 })
  const shell = await startHttpShell({
    handle: (came) => {
      const request = wireRequest(came)
      requests.push(request)
      const refusal = strict ? format.refusal(request) : undefined
      const step: WireStep = refusal
        ? { status: refusal.status, body: format.errorBody(refusal.status, refusal.message) }
        : stepFor(request, requests.length - 1)
      return deliveryOf(step, format.isStream(request), format)
    },
  })
  const close = async (): Promise<void> => await shell[Symbol.asyncDispose]()
  return { url: shell.origin, requests, close, [Symbol.asyncDispose]: close }
}

function wireRequest({ method, path, query, headers, body }: HttpRequest): WireRequest {
  const asked = new URLSearchParams(query).toString()
  return {
    method,
    path: asked === '' ? path : `${path}?${asked}`,
    headers: redactedHeaders(headers),
    body: (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>,
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
    body: frames.slice(0, until).map(frameText),
    ending: resetAfter !== undefined ? 'reset' : stallAfter !== undefined ? 'hang' : 'close',
  }
}
