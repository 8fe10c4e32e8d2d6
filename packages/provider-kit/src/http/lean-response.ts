import { modelFailure } from '../failure/model-failure.ts'
import type { DispatchController, DispatchHandler } from './platform-dispatcher.ts'
import type { RequestWatcher } from './request-watch.ts'

/** The head of a response, and its bytes as they arrive. */
export interface IncomingResponse {
  readonly status: number
  readonly statusText: string
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: AsyncIterableIterator<Uint8Array>
}

/** Makes the handler of one request and the promise of its response, which fails as `fetch` does. */
export function receiveResponse(
  signal: AbortSignal | undefined,
  watcher: RequestWatcher | undefined,
): {
  handler: DispatchHandler
  response: Promise<IncomingResponse>
} {
  const body = new IncomingBody(signal)
  /** The dispatcher starts a request when it writes the request to a connection, in the same turn. */
  const start = (controller: DispatchController): void => {
    if (body.start(controller)) watcher?.onSend()
  }
  const respond = (status: number, statusText: string, headers: ReadonlyMap<string, string>): void => {
    watcher?.onBytes()
    if (status === 101) body.leave(upgradeFailure())
    if (status >= 200) body.head.resolve({ status, statusText, headers, body })
  }
  const handler: DispatchHandler = {
    onRequestStart: start,
    onResponseStart: (_, status, headers, statusText = '') => respond(status, statusText, namedHeaders(headers)),
    onResponseData(controller, chunk) {
      if (!body.push(chunk)) controller.pause()
    },
    onResponseEnd: () => body.end(),
    onResponseError: (_, error) => body.end(networkError(error)),
    onConnect: (abort) => start({ abort, pause() {}, resume() {} }),
    onHeaders(status, raw, resume, statusText) {
      body.resumeBy(resume)
      respond(status, statusText, rawHeaders(raw))
      return true
    },
    onData: (chunk) => body.push(chunk),
    onComplete: () => body.end(),
    onError: (error) => body.end(networkError(error)),
  }
  return { handler, response: body.head.promise }
}

/** Bytes that may wait before the connection is paused. */
const HIGH_WATER_BYTES = 64 * 1024

/** The bytes of a response, which wait until they are read; while too many wait, the connection is paused. */
class IncomingBody implements AsyncIterableIterator<Uint8Array> {
  /** The response; fails with the first error before its head. */
  readonly head: PromiseWithResolvers<IncomingResponse> = Promise.withResolvers<IncomingResponse>()
  readonly #signal: AbortSignal | undefined
  readonly #chunks: Uint8Array[] = []
  #waitingBytes = 0
  #controller: DispatchController | undefined
  #isPaused = false
  #isOver = false
  #error: Error | undefined
  /** The reader that waits for the next bytes; there is at most one. */
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
    if (signal?.aborted) this.end(abortedError())
    else signal?.addEventListener('abort', this.#abort)
  }

  /** Takes the controls of the connection; returns false if nobody waits for the response any more. */
  start(controller: DispatchController): boolean {
    this.#controller = controller
    if (this.#isOver) controller.abort(this.#error ?? abortedError())
    return !this.#isOver
  }

  /** Sets how a paused connection is resumed, which version 6 tells with the head. */
  resumeBy(resume: () => void): void {
    const controller = this.#controller!
    this.#controller = { abort: (reason) => controller.abort(reason), pause() {}, resume }
  }

  /** Takes bytes; returns whether the connection may send more. */
  push(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk)
    this.#waitingBytes += chunk.length
    this.#serve()
    this.#isPaused ||= this.#waitingBytes > HIGH_WATER_BYTES
    return !this.#isPaused
  }

  /** Ends the body, after an error or because it is whole. */
  end(error?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#signal?.removeEventListener('abort', this.#abort)
    if (error) this.head.reject(error)
    this.#serve()
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const { promise } = (this.#reader = Promise.withResolvers())
    this.#serve()
    return promise
  }

  /** Gives the body up; the connection is not used again. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.leave(abortedError())
    return { done: true, value: undefined }
  }

  /** Fails unless the body is whole, and gives its connection up. */
  leave(reason: Error): void {
    if (this.#isOver) return
    this.end(reason)
    this.#controller?.abort(reason)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly #abort = (): void => this.leave(abortedError())

  #serve(): void {
    const reader = this.#reader
    if (!reader) return
    const value = this.#chunks.shift()
    if (value) reader.resolve({ done: false, value })
    else if (this.#error) reader.reject(this.#error)
    else if (this.#isOver) reader.resolve({ done: true, value: undefined })
    else return
    this.#reader = undefined
    if (!value) return
    this.#waitingBytes -= value.length
    if (!this.#isPaused || this.#waitingBytes >= HIGH_WATER_BYTES / 2) return
    this.#isPaused = false
    this.#controller?.resume()
  }
}

function namedHeaders(headers: Record<string, string | string[] | undefined>): Map<string, string> {
  const named = new Map<string, string>()
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) named.set(name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value)
  }
  return named
}

/** Reads the headers of version 6: names and values in turns, as bytes. */
function rawHeaders(raw: readonly Uint8Array[]): Map<string, string> {
  const decoder = new TextDecoder('latin1')
  const named = new Map<string, string>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = decoder.decode(raw[i]).toLowerCase()
    const value = decoder.decode(raw[i + 1])
    named.set(name, named.has(name) ? `${named.get(name)}, ${value}` : value)
  }
  return named
}

/** Makes the error of `fetch` for an aborted signal. */
export const abortedError = (): Error => new DOMException('This operation was aborted', 'AbortError')

/** Makes the error of `fetch` for a failed network. */
function networkError(cause: Error): Error {
  if (isUpgradeError(cause)) return upgradeFailure()
  return cause.name === 'AbortError' ? cause : new TypeError('fetch failed', { cause })
}

/** Tells undici's error for status 101. */
export const isUpgradeError = (error: unknown): boolean => error instanceof Error && error.message === 'bad upgrade'

/** Makes the failure of a response with status 101. */
export const upgradeFailure = (): Error =>
  modelFailure('server', 'the endpoint answered with status 101, a change of protocol that nobody asked for', {
    status: 101,
  })

/** Makes the part of a `Response` that SDKs read; its body is an async iterable of bytes, not a WHATWG stream. */
export function createLeanResponse(incoming: IncomingResponse, url: string): Response {
  const { status, statusText, headers } = incoming
  const body = decompressed(incoming)
  const text = async (): Promise<string> => {
    const decoder = new TextDecoder()
    let read = ''
    for await (const chunk of body) read += decoder.decode(chunk, { stream: true })
    return read + decoder.decode()
  }
  const response = {
    status,
    statusText,
    ok: status >= 200 && status < 300,
    redirected: false,
    type: 'basic',
    url,
    headers: createLeanHeaders(headers),
    body: {
      [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
      // SDKs cancel a body that nobody reads.
      cancel: async () => void (await incoming.body.return?.()),
      locked: false,
    },
    text,
    json: async () => JSON.parse(await text()) as unknown,
  }
  return response as unknown as Response
}

/** Decompresses a body: the transport does not ask for compression, but some servers compress all the same. */
function decompressed({ headers, body }: IncomingResponse): AsyncIterable<Uint8Array> {
  const encoding = headers.get('content-encoding')
  if (!encoding) return body
  const names = encoding.split(',').map((name) => name.trim().toLowerCase())
  // The last encoding of a list was applied last.
  const decoders = names
    .filter((name) => name !== '' && name !== 'identity')
    .toReversed()
    .map((name) => decoderOf(name))
  if (decoders.length === 0) return body
  const isKnown = decoders.every((decoder) => decoder !== undefined)
  return isKnown ? decodedBy(decoders, body) : unreadable(encoding, body)
}

/** Decodes a body. The bytes of one that breaks off are given before its error. */
async function* decodedBy(
  decoders: readonly NodeJS.ReadWriteStream[],
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const { Readable, pipeline } = process.getBuiltinModule('node:stream')
  let failure: unknown
  const arrived = async function* (): AsyncGenerator<Uint8Array, void> {
    try {
      yield* body
    } catch (error) {
      failure = error
    }
  }
  // The reader of the last decoder gets the errors of all.
  pipeline([Readable.from(arrived()), ...decoders], () => {})
  yield* decoders.at(-1) as unknown as AsyncIterable<Uint8Array>
  if (failure !== undefined) throw failure
}

/** Fails as soon as a body is read whose encoding is unknown; the status of a refusal stands without its body. */
function unreadable(encoding: string, body: AsyncIterableIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  const next = async (): Promise<never> => {
    await body.return?.()
    throw modelFailure(
      'server',
      `the answer has the encoding \`${encoding}\`, which cannot be read: let the endpoint, or the gateway before it, send plain text, \`gzip\`, \`deflate\` or \`br\``,
    )
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

/**
 * Makes a decoder that gives all that can be decompressed of a truncated body, as browsers do: the reader of the text tells
 * whether it is whole.
 */
function decoderOf(name: string): NodeJS.ReadWriteStream | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  if (name === 'br') {
    return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
  }
  const options = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip(options)
  return name === 'deflate' ? zlib.createInflate(options) : undefined
}

/** Makes the part of `Headers` that SDKs read. */
function createLeanHeaders(headers: ReadonlyMap<string, string>): Headers {
  const lean = {
    get: (name: string) => headers.get(name.toLowerCase()) ?? null,
    has: (name: string) => headers.has(name.toLowerCase()),
    entries: () => headers.entries(),
    keys: () => headers.keys(),
    values: () => headers.values(),
    forEach: (call: (value: string, name: string) => void) => headers.forEach((value, name) => call(value, name)),
    [Symbol.iterator]: () => headers.entries(),
  }
  return lean as unknown as Headers
}
