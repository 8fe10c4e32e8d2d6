import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { Delivery } from './delivery.ts'
import { redactedHeaders, type ExchangeState, type LoggedRequest } from './http-log.ts'
import { playDelivery, type Player } from './play-delivery.ts'

/** A request with the headers as they came, secrets included. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Headers, secrets included. */
  readonly headers: IncomingMessage['headers']
  /** Parsed JSON body, or the text of a body that is not JSON. */
  readonly body: unknown
}

/** Builds the response to a request; an error it throws becomes status 500. */
export type Handler = (request: HttpRequest) => MaybePromise<Delivery>

/** Options of the HTTP part of a fake server. */
export interface ShellOptions {
  readonly handle: Handler
  /** Port on loopback; default 0: any free one. */
  readonly port?: number | undefined
}

/** HTTP part of a fake server: sends the responses that a wire format builds, and logs the requests. */
export interface HttpShell extends AsyncDisposable {
  /** Root URL without a trailing slash. */
  readonly origin: string
  /** All requests so far, in order of arrival, as a snapshot. */
  readonly requests: readonly LoggedRequest[]
  /** Resolves when that many requests have arrived. */
  requested(count: number): Promise<void>
  /** Resolves when no request is open. */
  idle(): Promise<void>
  /** Closes every connection and frees the port; so does `await using`. */
  close(): Promise<void>
}

type Entry = { -readonly [K in keyof LoggedRequest]: LoggedRequest[K] }

/** Starts a server on loopback. `close` closes every connection and removes all listeners. */
export async function startHttpShell({ handle, port = 0 }: ShellOptions): Promise<HttpShell> {
  const log: Entry[] = []
  const stopped = new AbortController()
  let changed = Promise.withResolvers<void>()
  const change = (): void => {
    const { resolve } = changed
    changed = Promise.withResolvers()
    resolve()
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await changed.promise
  }

  const server = createServer((request, response) => {
    void serve(request, response, { handle, log, change, stopped: stopped.signal })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new XError(
          'invalid-argument',
          `the fake server cannot listen on port ${port}: give a free port, or leave \`port\` out`,
          {
            cause: error,
          },
        ),
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  const close = async (): Promise<void> => {
    stopped.abort()
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return log.map((entry) => Object.freeze({ ...entry }))
    },
    requested: (count) => until(() => log.length >= count),
    idle: () => until(() => log.every(({ state }) => state !== 'open')),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Serving {
  readonly handle: Handler
  readonly log: Entry[]
  readonly change: () => void
  readonly stopped: AbortSignal
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { handle, log, change, stopped }: Serving,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const requestLine = {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
  }
  let body: unknown
  try {
    body = parsed(await text(request))
  } catch {
    return // The client left before the end of its request.
  }
  const entry: Entry = { ...requestLine, headers: redactedHeaders(request.headers), body, status: null, state: 'open' }
  const end = (state: ExchangeState): void => {
    if (entry.state !== 'open') return
    entry.state = state
    change()
  }
  const left = new AbortController()
  response.on('close', () => {
    left.abort()
    end(response.writableFinished ? 'answered' : 'aborted')
  })
  log.push(entry)
  change()
  const gone = AbortSignal.any([left.signal, stopped])
  const player: Player = { response, gone, onHead: (status) => (entry.status = status), onReset: () => end('reset') }
  try {
    await playDelivery(await handle({ ...requestLine, headers: request.headers, body }), player)
  } catch (error) {
    // What the script of a test throws must not pass for an answer, nor take the process down.
    if (response.headersSent) response.destroy()
    else await playDelivery(scriptFailure(error), player)
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

const scriptFailure = (error: unknown): Delivery => ({
  head: { status: 500, headers: { 'content-type': 'text/plain', 'x-should-retry': 'false' } },
  body: [`the script of the fake server failed: ${error instanceof Error ? error.message : String(error)}`],
})
