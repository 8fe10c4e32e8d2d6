import {
  createMcpHandler,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  validateHostHeader,
  type AuthInfo,
} from '@modelcontextprotocol/server'
import type { Readable, Writable } from 'node:stream'
import { listenOn } from '@x/kernel/node-http'
import { StateSeal } from './sealed-state.ts'
import { createSdkServer, type ServerParts } from './sdk-server.ts'
import { checkServerOptions, type ListeningServer, type McpServer, type McpServerOptions } from './server-options.ts'
import { Sessions } from './sessions.ts'

/** Default of `maxRequestBytes`. */
const DEFAULT_MAX_REQUEST_BYTES = 4 * 2 ** 20

/**
 * Offers tools and agents to MCP clients, over HTTP and over stdio. It keeps no state between requests, so that any of
 * several servers may get the next one; the client keeps the sealed state of a task that waits.
 */
export function mcpServer(options: McpServerOptions): McpServer {
  checkServerOptions(options)
  const {
    now = Date.now,
    key = randomKey(),
    approvalTimeout = 600,
    maxRequestBytes = DEFAULT_MAX_REQUEST_BYTES,
  } = options
  const seal = new StateSeal({ key, now, ttlMs: approvalTimeout * 1000 })
  const parts: ServerParts = { options, seal, calls: new Set() }
  const endpoint = new HttpEndpoint(parts, maxRequestBytes, now)
  const listening = new Set<ListeningServer>()
  const fetch = async (request: Request): Promise<Response> => {
    try {
      return await endpoint.answer(request)
    } catch (error) {
      options.onError?.(error)
      return new Response('Internal server error', { status: 500 })
    }
  }
  const close = async (): Promise<void> => {
    await Promise.allSettled([...[...listening].map(async (listener) => await listener.close()), endpoint.close()])
    listening.clear()
  }
  return {
    fetch,
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      const server = await listenOn(fetch, { port, host })
      const listener = { url: server.url, close: server.close, [Symbol.asyncDispose]: server.close }
      listening.add(listener)
      return listener
    },
    async stdio(streams = {}) {
      const { input = process.stdin, output = process.stdout } = streams as { input?: Readable; output?: Writable }
      const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
      const transport = new StdioServerTransport(input, output, { maxBufferSize: maxRequestBytes })
      const onerror = (error: Error): void => options.onError?.(error)
      const connection = serveStdio(() => createSdkServer(parts), { transport, onerror })
      // At the end of the input, and behind a message that is too long.
      const { onclose } = transport
      const ended = Promise.withResolvers<void>()
      Object.assign(transport, { onclose: () => (onclose?.(), ended.resolve()) })
      await ended.promise
      await connection.close()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The HTTP side of a server: refuses requests, limits their rate, and answers clients of both protocol versions. */
class HttpEndpoint {
  readonly #options: McpServerOptions
  readonly #maxRequestBytes: number
  readonly #handler: ReturnType<typeof createMcpHandler>
  readonly #sessions: Sessions | undefined
  readonly #rate: RateLimit

  constructor(parts: ServerParts, maxRequestBytes: number, now: () => number) {
    const { options } = parts
    this.#options = options
    this.#maxRequestBytes = maxRequestBytes
    this.#handler = createMcpHandler(() => createSdkServer(parts), {
      maxRequestBodySize: maxRequestBytes,
      onerror: (error) => options.onError?.(error),
      legacy: options.sessions ? 'reject' : 'stateless',
    })
    this.#sessions = options.sessions ? new Sessions(() => createSdkServer(parts), maxRequestBytes) : undefined
    this.#rate = new RateLimit(options.requestsPerMinute ?? 600, now)
  }

  /** Answers one request. */
  async answer(request: Request): Promise<Response> {
    const { authenticate } = this.#options
    const refusal = refuseForeign(request, this.#options)
    if (refusal) return refusal
    const caller = authenticate ? await authenticate(request) : ''
    if (caller === null) return new Response('Unauthorized', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
    const wait = this.#rate.take(caller)
    if (wait > 0) return new Response('Too many requests', { status: 429, headers: { 'retry-after': `${wait}` } })
    const authInfo: AuthInfo = { token: '', clientId: caller, scopes: [] }
    const limits = { maxRequestBodySize: this.#maxRequestBytes }
    const isOld = this.#sessions && (await isLegacyRequest(request, undefined, limits))
    return isOld ? await this.#sessions.handle(request, authInfo) : await this.#handler.fetch(request, { authInfo })
  }

  /** Ends all sessions and open requests. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#sessions?.close(), this.#handler.close()])
  }
}

/** Refuses pages of other sites, and host names that only resolve to this server (DNS rebinding). */
function refuseForeign(request: Request, { allowedHosts, allowedOrigins }: McpServerOptions): Response | undefined {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const validated = validateHostHeader(host, [...(allowedHosts ?? localhostAllowedHostnames())])
  if (!validated.ok) return new Response('This host is not served here', { status: 403 })
  return originValidationResponse(request, [...(allowedOrigins ?? localhostAllowedOrigins())])
}

const randomKey = (): string => `${globalThis.crypto.randomUUID()}${globalThis.crypto.randomUUID()}`

/** Most callers that are counted; beyond them the oldest is forgotten. */
const MAX_COUNTED_CALLERS = 10_000

/** A token bucket for each caller: a minute's requests at once, then at the rate of the limit. */
class RateLimit {
  readonly #perMinute: number
  readonly #now: () => number
  readonly #callers = new Map<string, { left: number; at: number }>()

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute
    this.#now = now
  }

  /** Counts a request; returns 0, or the seconds to wait when there are too many. */
  take(caller: string): number {
    const now = this.#now()
    const before = this.#callers.get(caller) ?? { left: this.#perMinute, at: now }
    // A clock that is set back takes nothing away.
    const passed = Math.max(0, now - before.at)
    const left = Math.min(this.#perMinute, before.left + (passed / 60_000) * this.#perMinute)
    this.#callers.delete(caller)
    this.#callers.set(caller, { left: left < 1 ? left : left - 1, at: now })
    for (const oldest of this.#callers.keys()) {
      if (this.#callers.size <= MAX_COUNTED_CALLERS) break
      this.#callers.delete(oldest)
    }
    return left < 1 ? Math.ceil(((1 - left) / this.#perMinute) * 60) : 0
  }
}
