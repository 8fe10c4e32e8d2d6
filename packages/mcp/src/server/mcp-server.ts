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
import { listenOn } from './node-http.ts'
import { RateLimit } from './rate-limit.ts'
import { StateSeal } from './sealed-state.ts'
import { createSdkServer, type ServerParts } from './sdk-server.ts'
import { checkServerOptions, type ListeningServer, type McpServer, type McpServerOptions } from './server-options.ts'
import { Sessions } from './sessions.ts'

/** Bytes of a request. */
const LONGEST_REQUEST = 4 * 2 ** 20

/**
 * Offers tools and agents to MCP clients, over HTTP and by the input and output of the process. It keeps nothing between
 * requests, so that any of several servers may get the next one; what a task needs to go on waits at the client, sealed.
 */
export function mcpServer(options: McpServerOptions): McpServer {
  checkServerOptions(options)
  const { now = Date.now, key = randomKey(), approvalTimeout = 600, maxRequestBytes = LONGEST_REQUEST } = options
  const seal = new StateSeal({ key, now, ttlMs: approvalTimeout * 1000 })
  const parts: ServerParts = { options, seal, calls: new Set() }
  const onerror = (error: Error): void => options.onError?.(error)
  const handler = createMcpHandler(() => createSdkServer(parts), {
    maxRequestBodySize: maxRequestBytes,
    onerror,
    legacy: options.sessions ? 'reject' : 'stateless',
  })
  const sessions = options.sessions ? new Sessions(() => createSdkServer(parts), maxRequestBytes) : undefined
  const rate = new RateLimit(options.requestsPerMinute ?? 600, now)
  const listening = new Set<ListeningServer>()

  const answer = async (request: Request): Promise<Response> => {
    const refused = refusal(request, options)
    if (refused) return refused
    const caller = options.authenticate ? await options.authenticate(request) : ''
    if (caller === null) return new Response('Unauthorized', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
    const wait = rate.take(caller)
    if (wait > 0) return new Response('Too many requests', { status: 429, headers: { 'retry-after': `${wait}` } })
    const authInfo: AuthInfo = { token: '', clientId: caller, scopes: [] }
    const isOld = sessions && (await isLegacyRequest(request, undefined, { maxRequestBodySize: maxRequestBytes }))
    return isOld ? await sessions.handle(request, authInfo) : await handler.fetch(request, { authInfo })
  }
  const fetch = async (request: Request): Promise<Response> => {
    try {
      return await answer(request)
    } catch (error) {
      options.onError?.(error)
      return new Response('Internal server error', { status: 500 })
    }
  }
  const close = async (): Promise<void> => {
    await Promise.allSettled([
      ...[...listening].map(async (its) => await its.close()),
      sessions?.close(),
      handler.close(),
    ])
    listening.clear()
  }
  return {
    fetch,
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      const its = await listenOn(fetch, { port, host })
      listening.add(its)
      return its
    },
    async stdio(streams = {}) {
      const { input = process.stdin, output = process.stdout } = streams as { input?: Readable; output?: Writable }
      const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
      const transport = new StdioServerTransport(input, output, { maxBufferSize: maxRequestBytes })
      const ended = new Promise<void>((resolve) => {
        input.once('end', resolve)
        input.once('close', resolve)
      })
      const its = serveStdio(() => createSdkServer(parts), { transport, onerror })
      await ended
      await its.close()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Pages of other sites, and names that lead here by a trick, get no answer. */
function refusal(request: Request, { allowedHosts, allowedOrigins }: McpServerOptions): Response | undefined {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const named = validateHostHeader(host, [...(allowedHosts ?? localhostAllowedHostnames())])
  if (!named.ok) return new Response('This host is not served here', { status: 403 })
  return originValidationResponse(request, [...(allowedOrigins ?? localhostAllowedOrigins())])
}

const randomKey = (): string => `${globalThis.crypto.randomUUID()}${globalThis.crypto.randomUUID()}`
