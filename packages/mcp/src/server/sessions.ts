import {
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type EventStore,
  type JSONRPCMessage,
  type Server,
} from '@modelcontextprotocol/server'

/** Most sessions at once; beyond them one of the caller with the most ends, so that nobody ends those of others. */
const MAX_SESSIONS = 1000

interface Session {
  readonly caller: string
  readonly transport: WebStandardStreamableHTTPServerTransport
}

/** The sessions of clients of the older protocol. Each belongs to the caller that began it. */
export class Sessions {
  readonly #create: () => Server
  readonly #maxRequestBytes: number
  readonly #maxSessions: number
  readonly #open = new Map<string, Session>()

  constructor(create: () => Server, maxRequestBytes: number, maxSessions: number = MAX_SESSIONS) {
    this.#create = create
    this.#maxRequestBytes = maxRequestBytes
    this.#maxSessions = maxSessions
  }

  /** Answers a request of a session, or begins a session. */
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
    // The session that spoke last is removed last.
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
        if (this.#open.size > this.#maxSessions) await this.#endOne()
      },
      onsessionclosed: (id) => void this.#open.delete(id),
    })
    const server = this.#create()
    await server.connect(transport)
    return await transport.handleRequest(request, { authInfo })
  }

  /** Ends a session of the caller that has the most: the one that was silent longest. */
  async #endOne(): Promise<void> {
    const counts = new Map<string, number>()
    for (const { caller } of this.#open.values()) counts.set(caller, (counts.get(caller) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const [id, session] = [...this.#open].find(([, { caller }]) => counts.get(caller) === most)!
    this.#open.delete(id)
    await session.transport.close()
  }
}

/** Most messages of a session that are kept for a client that reconnects, and most characters of them. */
const MAX_BUFFERED_EVENTS = 1000
const MAX_BUFFERED_CHARACTERS = 8 * 2 ** 20

interface KeptEvent {
  readonly number: number
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly length: number
}

/** Keeps the last messages of a session, so that a broken stream can be resumed. */
export class EventBuffer implements EventStore {
  readonly #events: KeptEvent[] = []
  #count = 0
  #characters = 0

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const number = ++this.#count
    const { length } = JSON.stringify(message)
    this.#events.push({ number, stream, message, length })
    this.#characters += length
    while (
      this.#events.length > MAX_BUFFERED_EVENTS ||
      (this.#characters > MAX_BUFFERED_CHARACTERS && this.#events.length > 1)
    ) {
      this.#characters -= this.#events.shift()!.length
    }
    return await Promise.resolve(`${number}`)
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return await Promise.resolve(this.#find(id)?.stream)
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#find(last)
    if (!from) return ''
    const { stream } = from
    // Messages that arrive during the replay belong to it: the stream reconnects only after the replay.
    for (let at = from.number; ;) {
      const next = this.#events.find((each) => each.number > at && each.stream === stream)
      if (!next) return stream
      at = next.number
      await send(`${at}`, next.message)
    }
  }

  #find(id: string): KeptEvent | undefined {
    return this.#events.find(({ number }) => `${number}` === id)
  }
}
