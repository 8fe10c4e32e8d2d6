import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The address at which a server listens. */
interface ListenAddress {
  readonly port: number
  readonly host: string
}

/** A server that listens. */
interface OpenServer {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Listens on a port of Node with a handler of web requests; port 0 takes a free one. */
export async function listenOn(
  handle: (request: Request) => Promise<Response>,
  { port, host }: ListenAddress,
): Promise<OpenServer> {
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 }, (request, response) => {
    serve(handle, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const hostText = address.family === 'IPv6' ? `[${address.address}]` : address.address
  const close = async (): Promise<void> => await closeServer(server)
  return { url: `http://${hostText}:${address.port}`, close }
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

async function serve(
  handle: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { status, headers, body } = await handle(toRequest(request, gone.signal))
  response.writeHead(status, Object.fromEntries(headers))
  if (!body) return void response.end()
  const reader = body.getReader()
  gone.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}))
  response.flushHeaders()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || gone.signal.aborted) break
    if (!response.write(value)) await waitForDrain(response, gone.signal)
  }
  response.end()
}

/** Waits until a slow reader has read the buffer, or has disconnected. */
async function waitForDrain(response: ServerResponse, gone: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once('drain', resolve)
    gone.addEventListener('abort', () => resolve(), { once: true })
  })
}

function toRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = request
  const all = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const each of [value ?? []].flat()) all.append(name, each)
  }
  const host = headers.host ?? 'localhost'
  const address = URL.canParse(url, `http://${host}`) ? new URL(url, `http://${host}`) : new URL('http://localhost/')
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const { Readable } = process.getBuiltinModule('node:stream')
  const body = hasBody ? { body: Readable.toWeb(request), duplex: 'half' } : {}
  return new Request(address, { method, headers: all, signal, ...body } as RequestInit)
}
