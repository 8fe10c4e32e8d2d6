import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
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
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      requests.push(request)
      const refusal = strict ? format.refusal(request) : undefined
      const step: WireStep = refusal
        ? { status: refusal.status, body: format.errorBody(refusal.status, refusal.message) }
        : stepFor(request, requests.length - 1)
      answer(step, format.isStream(request), format, response)
    })
  })
  const port = await listening(server)
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}`, requests, close, [Symbol.asyncDispose]: close }
}

async function listening(server: Server): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

const KEY_HEADER = /^(?:authorization|x-api-key|api-key|x-goog-api-key)$/u

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const headers = Object.entries(incoming.headers).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
    return [name, KEY_HEADER.test(name) && text !== '' ? '<key>' : text]
  })
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>,
  }
}

function answer(step: WireStep, stream: boolean, format: WireFormat, response: ServerResponse): void {
  if ('hang' in step) return
  if ('reset' in step) {
    response.destroy()
    return
  }
  if ('status' in step) {
    const { status, body = format.errorBody(status, `status ${status}`), headers } = step
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body))
    return
  }
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(format.whole(step.reply)))
    return
  }
  const { cutAfter, stallAfter, resetAfter, inserted } = step
  const planned = format.frames(step.reply)
  const frames = inserted ? planned.toSpliced(inserted.at, 0, ...inserted.frames) : planned
  const until = cutAfter ?? stallAfter ?? resetAfter ?? frames.length
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const frame of frames.slice(0, until)) response.write(frameText(frame))
  if (resetAfter !== undefined) setImmediate(() => response.destroy())
  else if (stallAfter === undefined) response.end()
  else response.flushHeaders()
}
