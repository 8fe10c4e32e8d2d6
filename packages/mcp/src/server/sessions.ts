import { WebStandardStreamableHTTPServerTransport, type AuthInfo, type Server } from '@modelcontextprotocol/server'
import { EventBuffer } from './event-buffer.ts'

/** Sessions at once; beyond them the one that was silent longest ends. */
const MOST_SESSIONS = 1000

interface Session {
  readonly caller: string
  readonly transport: WebStandardStreamableHTTPServerTransport
}

/** Sessions of clients of the older protocol. Each belongs to the caller that began it. */
export class Sessions {
  readonly #create: () => Server
  readonly #maxRequestBytes: number
  readonly #open = new Map<string, Session>()

  constructor(create: () => Server, maxRequestBytes: number) {
    this.#create = create
    this.#maxRequestBytes = maxRequestBytes
  }

  /** Answers a request of a session, or begins one. */
  async handle(request: Request, authInfo: AuthInfo): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return await this.#begin(request, authInfo)
    const session = this.#open.get(id)
    if (!session || session.caller !== authInfo.clientId) {
      return Response.json(
        { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } },
        { status: 404 },
      )
    }
    // The one that spoke last is the last to go.
    this.#open.delete(id)
    this.#open.set(id, session)
    return await session.transport.handleRequest(request, { authInfo })
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map(async ({ transport }) => await transport.close()))
  }

  async #begin(request: Request, authInfo: AuthInfo): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => globalThis.crypto.randomUUID(),
      eventStore: new EventBuffer(),
      maxRequestBodySize: this.#maxRequestBytes,
      onsessioninitialized: async (id) => {
        this.#open.set(id, { caller: authInfo.clientId, transport })
        for (const [oldest, its] of this.#open) {
          if (this.#open.size <= MOST_SESSIONS) break
          this.#open.delete(oldest)
          await its.transport.close()
        }
      },
      onsessionclosed: (id) => void this.#open.delete(id),
    })
    const server = this.#create()
    await server.connect(transport)
    return await transport.handleRequest(request, { authInfo })
  }
}
