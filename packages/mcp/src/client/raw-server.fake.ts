import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received message. */
interface Message {
  readonly id?: number | string
  readonly method: string
  readonly params?: Record<string, unknown>
}

/** The behaviour of a server at a request, which may be worse than an answer. */
type Behaviour = (message: Message, exchange: Exchange) => unknown

/** One HTTP request of a client. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Tells the server that the behaviour has answered, or never will. */
export const HANDLED: unique symbol = Symbol('handled')

/** Options of a raw server. */
interface RawOptions {
  readonly tools?: readonly unknown[]
  /** Whether clients have sessions, which the server forgets on restart. */
  readonly sessions?: boolean
  /** Behaviours by method; other methods behave normally. `GET` is the request for messages that the server starts. */
  readonly on?: Record<string, Behaviour>
  readonly capabilities?: Record<string, unknown>
}

/** Makes a tool as servers list it. */
export const listed = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  ...more,
})

/** A hand-written server of the older protocol, which can break every rule. */
export class RawServer implements AsyncDisposable {
  readonly received: (Message & { readonly headers: IncomingMessage['headers'] })[] = []
  tools: readonly unknown[]
  readonly on: Record<string, Behaviour>
  readonly #sessions: boolean
  readonly #capabilities: Record<string, unknown>
  #known = new Set<string>()
  #count = 0
  #server!: Server
  #port = 0
  /** Streams for messages that the server starts. */
  readonly streams = new Set<ServerResponse>()

  private constructor({ tools = [listed('echo')], sessions = false, on = {}, capabilities }: RawOptions) {
    this.tools = tools
    this.on = on
    this.#sessions = sessions
    this.#capabilities = capabilities ?? { tools: { listChanged: true } }
  }

  static async start(options: RawOptions = {}): Promise<RawServer> {
    const server = new RawServer(options)
    await server.up()
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`
  }

  /** The received calls of tools. */
  get calls(): Message[] {
    return this.received.filter(({ method }) => method === 'tools/call')
  }

  count(method: string): number {
    return this.received.filter((each) => each.method === method).length
  }

  async up(): Promise<void> {
    this.#known = new Set()
    this.#server = createServer((request, response) => void this.#serve({ request, response }))
    // While the server was down, another program may have used its port for a moment.
    while (!(await this.#listens())) await new Promise(setImmediate)
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async #listens(): Promise<boolean> {
    return await new Promise((resolve) => {
      const fail = (): void => resolve(false)
      this.#server.once('error', fail).listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', fail)
        resolve(true)
      })
    })
  }

  async down(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /** The number of open connections. */
  async connections(): Promise<number> {
    return await new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
  }

  notify(method: string): void {
    for (const stream of this.streams) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
  }

  async #serve({ request, response }: Exchange): Promise<void> {
    if (request.method === 'GET') {
      if (this.on['GET']) return void this.on['GET']({ method: 'GET' }, { request, response })
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      this.streams.add(response)
      response.on('close', () => this.streams.delete(response))
      return
    }
    if (request.method === 'DELETE') {
      this.#known.delete(String(request.headers['mcp-session-id']))
      response.writeHead(200).end()
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message
    this.received.push({ ...message, headers: request.headers })
    const behaviour = this.on[message.method]
    const known = this.#known.has(String(request.headers['mcp-session-id']))
    if (this.#sessions && message.method !== 'initialize' && message.method !== 'server/discover' && !known) {
      response.writeHead(404).end('Session not found')
      return
    }
    if (message.id === undefined) {
      if (behaviour?.(message, { request, response }) !== HANDLED) response.writeHead(202).end()
      return
    }
    const result = behaviour ? await behaviour(message, { request, response }) : this.#usual(message, response)
    if (result === HANDLED) return
    const answer = result === undefined ? { error: { code: -32_601, message: 'no such method' } } : { result }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }))
  }

  #usual({ method, params }: Message, response: ServerResponse): unknown {
    switch (method) {
      case 'initialize': {
        const session = `session-${++this.#count}`
        this.#known.add(session)
        if (this.#sessions) response.setHeader('mcp-session-id', session)
        return {
          protocolVersion: '2025-11-25',
          capabilities: this.#capabilities,
          serverInfo: { name: 'raw', version: '1' },
        }
      }
      case 'tools/list':
        return { tools: this.tools }
      case 'tools/call':
        return { content: [{ type: 'text', text: `called ${String(params?.['name'])}` }] }
      default:
        return undefined
    }
  }
}
