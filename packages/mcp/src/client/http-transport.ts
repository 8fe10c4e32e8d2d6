import {
  isJSONRPCRequest,
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type StreamableHTTPClientTransportOptions,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'

/** Error code of a request whose stream ended without an answer; servers cannot send it. */
export const STREAM_ENDED_CODE = -39_999

/** The shortest and the longest time before a stream is opened again, whatever a server asks for; in milliseconds. */
const [MIN_RETRY_MS, MAX_RETRY_MS] = [100, 60_000]

/**
 * Streamable HTTP on which a request and its stream end together. When a server dies in a call, the transport of the SDK
 * would leave the request to its timeout; when a call of the older protocol is cancelled, it would leave the stream open.
 */
export class HttpTransport implements Transport {
  readonly hasPerRequestStream = true
  readonly #inner: StreamableHTTPClientTransport
  readonly #waiting = new Map<unknown, AbortController>()
  #onmessage: Transport['onmessage']

  constructor(url: URL, options: StreamableHTTPClientTransportOptions) {
    this.#inner = new StreamableHTTPClientTransport(url, {
      ...options,
      reconnectionScheduler: (reconnect, delay) => {
        const timer = setTimeout(reconnect, Math.min(Math.max(delay, MIN_RETRY_MS), MAX_RETRY_MS))
        return () => clearTimeout(timer)
      },
    })
    this.#inner.onmessage = (message: JSONRPCMessage) => {
      const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)
      // The message answers no open request, or answers one twice; the SDK would take a text identifier for a number.
      if (isAnswer && !this.#waiting.delete(message.id)) return
      // A server must not fake the end of a stream by the code of this class.
      if (isJSONRPCErrorResponse(message) && message.error.code === STREAM_ENDED_CODE) message.error.code = -32_603
      this.#onmessage?.(message)
    }
  }

  get onmessage(): Transport['onmessage'] {
    return this.#onmessage
  }

  set onmessage(listener: Transport['onmessage']) {
    this.#onmessage = listener
  }

  get onclose(): (() => void) | undefined {
    return this.#inner.onclose
  }

  set onclose(listener: (() => void) | undefined) {
    if (listener) this.#inner.onclose = listener
    else delete this.#inner.onclose
  }

  get onerror(): ((error: Error) => void) | undefined {
    return this.#inner.onerror
  }

  set onerror(listener: ((error: Error) => void) | undefined) {
    if (listener) this.#inner.onerror = listener
    else delete this.#inner.onerror
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  setProtocolVersion = (version: string): void => this.#inner.setProtocolVersion(version)

  start = async (): Promise<void> => await this.#inner.start()

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const { onRequestStreamEnd, requestSignal, ...rest } = options ?? {}
    if (!isJSONRPCRequest(message)) {
      await this.#inner.send(message, withoutUndefined(rest))
      if ('method' in message && message.method === 'notifications/cancelled') this.#drop(message.params?.['requestId'])
      return
    }
    const { id } = message
    const stream = new AbortController()
    this.#waiting.set(id, stream)
    const signal = requestSignal ? AbortSignal.any([requestSignal, stream.signal]) : stream.signal
    const onEnd = (): void => {
      onRequestStreamEnd?.()
      if (!this.#waiting.delete(id)) return
      this.#onmessage?.({ jsonrpc: '2.0', id, error: { code: STREAM_ENDED_CODE, message: 'the connection broke' } })
    }
    requestSignal?.addEventListener('abort', () => this.#waiting.delete(id), { once: true })
    try {
      await this.#inner.send(message, { ...withoutUndefined(rest), requestSignal: signal, onRequestStreamEnd: onEnd })
    } catch (error) {
      this.#waiting.delete(id)
      throw error
    }
  }

  /** Ends the stream of a cancelled request. */
  #drop(id: unknown): void {
    this.#waiting.get(id)?.abort()
    this.#waiting.delete(id)
  }

  async finishAuth(parameters: URLSearchParams): Promise<void> {
    await this.#inner.finishAuth(parameters)
  }

  /** Tells the server that the session is over, if there is one. */
  async endSession(): Promise<void> {
    await this.#inner.terminateSession()
  }

  async close(): Promise<void> {
    this.#waiting.clear()
    await this.#inner.close()
  }
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

function withoutUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>
}
