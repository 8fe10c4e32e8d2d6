import { modelFailure } from '../failure/model-failure.ts'
import type { DispatchController, DispatchHandler } from './platform-dispatcher.ts'
import { watchBody, type RequestWatcher } from './request-watch.ts'

/** Bytes that may wait before the connection is paused. */
const HIGH_WATER_BYTES = 64 * 1024

/** Stands for bytes that are there. */
const ARRIVED = Promise.resolve()

/** The promise of the head of a response. */
type HeadWaiter = Pick<PromiseWithResolvers<Response>, 'resolve' | 'reject'>

/**
 * One response of the dispatcher: the handler of its request, the promise of its head, and its bytes, which wait until they
 * are read; while too many wait, the connection is paused. It is a class and no closures, since every call makes one.
 */
export class IncomingResponse implements DispatchHandler, AsyncIterableIterator<Uint8Array> {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: IncomingResponse = new IncomingResponse('', undefined, undefined)
  /** The response; fails as `fetch` does, with the first error before the head. */
  readonly head: Promise<Response>
  readonly #url: string
  readonly #signal: AbortSignal | undefined
  readonly #watcher: RequestWatcher | undefined
  #waiter: HeadWaiter | undefined
  #chunks: Uint8Array[] = []
  #waitingBytes = 0
  #controller: DispatchController | undefined
  #isPaused = false
  #isOver = false
  #error: Error | undefined
  /** The wait of the reader, if nothing was there; there is at most one reader. */
  #arrival: PromiseWithResolvers<void> | undefined

  /** `signal` is absent where the watcher stops its request itself. */
  constructor(url: string, signal: AbortSignal | undefined, watcher: RequestWatcher | undefined) {
    const waiter = Promise.withResolvers<Response>()
    this.head = waiter.promise
    this.#waiter = waiter
    this.#url = url
    this.#signal = signal
    this.#watcher = watcher
    if (signal?.aborted) this.end(abortedError())
    else signal?.addEventListener('abort', this)
    watcher?.stops?.(this)
  }

  /** Hears the abort of the signal. */
  handleEvent(): void {
    this.stop()
  }

  /** Gives the response up. */
  stop(): void {
    this.leave(abortedError())
  }

  /** The dispatcher starts a request when it writes the request to a connection, in the same turn. */
  onRequestStart(controller: DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(this.#error ?? abortedError())
    else this.#watcher?.onSend()
  }

  onResponseStart(
    _: DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText: string = '',
  ): void {
    this.#respond(status, statusText, headers)
  }

  onResponseData(controller: DispatchController, chunk: Uint8Array): void {
    if (!this.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.end()
  }

  onResponseError(_: unknown, error: Error): void {
    this.end(networkError(error))
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.onRequestStart({ abort, pause() {}, resume() {} })
  }

  /** Version 6 tells with the head how a paused connection is resumed. */
  onHeaders(status: number, raw: readonly Uint8Array[], resume: () => void, statusText: string): boolean {
    const controller = this.#controller!
    this.#controller = { abort: (reason) => controller.abort(reason), pause() {}, resume }
    this.#respond(status, statusText, rawHeaders(raw))
    return true
  }

  onData(chunk: Uint8Array): boolean {
    return this.push(chunk)
  }

  onComplete(): void {
    this.end()
  }

  onError(error: Error): void {
    this.end(networkError(error))
  }

  #respond(status: number, statusText: string, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    const watcher = this.#watcher
    watcher?.onBytes()
    if (status === 101) this.leave(upgradeFailure())
    if (status < 200) return
    const waiter = this.#waiter
    this.#waiter = undefined
    const response = new LeanResponse({ status, statusText, url: this.#url }, new LeanHeaders(headers), this)
    if (watcher) watchBody(response as unknown as Response, watcher)
    waiter?.resolve(response as unknown as Response)
  }

  /** Takes bytes; returns whether the connection may send more. */
  push(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk)
    this.#waitingBytes += chunk.length
    this.#wake()
    this.#isPaused ||= this.#waitingBytes > HIGH_WATER_BYTES
    return !this.#isPaused
  }

  /** Ends the body, after an error or because it is whole. */
  end(error?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#signal?.removeEventListener('abort', this)
    if (error) this.#waiter?.reject(error)
    this.#wake()
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#chunks.length === 0 && !this.#isOver) this.#arrival ??= Promise.withResolvers()
    return (this.#arrival?.promise ?? ARRIVED).then(this.#give)
  }

  /** Returns all bytes if the body has arrived whole and nothing of it was read: most answers come at once. */
  takeWhole(): readonly Uint8Array[] | undefined {
    if (!this.#isOver || this.#error || this.#isPaused) return undefined
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
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

  /** Takes all bytes that wait: one read of a socket often brings many pieces, which cost less together. */
  #takeWaiting(): Uint8Array | undefined {
    const chunks = this.#chunks
    if (chunks.length < 2) return chunks.pop()
    const joined = new Uint8Array(this.#waitingBytes)
    let length = 0
    for (const chunk of chunks) {
      joined.set(chunk, length)
      length += chunk.length
    }
    chunks.length = 0
    return joined
  }

  /** Gives what there is, or the end. */
  readonly #give = (): IteratorResult<Uint8Array> => {
    const value = this.#takeWaiting()
    if (!value) {
      if (this.#error) throw this.#error
      return { done: true, value: undefined }
    }
    this.#waitingBytes -= value.length
    if (this.#isPaused && this.#waitingBytes < HIGH_WATER_BYTES / 2) {
      this.#isPaused = false
      this.#controller?.resume()
    }
    return { done: false, value }
  }

  /** Wakes the reader that waits, in the next turn: by then, all pieces of a read are there. */
  #wake(): void {
    this.#arrival?.resolve()
    this.#arrival = undefined
  }
}

/** Reads the headers of version 6: names and values in turns, as bytes. */
function rawHeaders(raw: readonly Uint8Array[]): Record<string, string> {
  const decoder = new TextDecoder('latin1')
  const named = new Map<string, string>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = decoder.decode(raw[i]).toLowerCase()
    const value = decoder.decode(raw[i + 1])
    named.set(name, named.has(name) ? `${named.get(name)}, ${value}` : value)
  }
  return Object.fromEntries(named)
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

/** The part of a `Response` that SDKs read; its body is an async iterable of bytes, not a WHATWG stream. */
class LeanResponse {
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly redirected = false
  readonly type = 'basic'
  readonly url: string
  readonly headers: LeanHeaders
  readonly body: LeanBody

  constructor(
    { status, statusText, url }: Pick<Response, 'status' | 'statusText' | 'url'>,
    headers: LeanHeaders,
    incoming: IncomingResponse,
  ) {
    this.status = status
    this.statusText = statusText
    this.ok = status >= 200 && status < 300
    this.url = url
    this.headers = headers
    this.body = new LeanBody(incoming, headers.get('content-encoding'))
  }

  async text(): Promise<string> {
    const decoder = new TextDecoder()
    let read = ''
    for await (const chunk of this.body) read += decoder.decode(chunk, { stream: true })
    return read + decoder.decode()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown
  }
}

/** The body of a response, decompressed: the transport does not ask for compression, but some servers compress all the same. */
class LeanBody implements AsyncIterable<Uint8Array> {
  readonly locked = false
  readonly #incoming: IncomingResponse
  readonly #decoded: AsyncIterable<Uint8Array>

  constructor(incoming: IncomingResponse, encoding: string | null) {
    this.#incoming = incoming
    this.#decoded = encoding ? decompressed(incoming, encoding) : incoming
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#decoded[Symbol.asyncIterator]()
  }

  /** SDKs cancel a body that nobody reads. */
  async cancel(): Promise<void> {
    await this.#incoming.return()
  }

  /** Returns all bytes if the body has arrived whole and needs no decoder. */
  takeWhole(): readonly Uint8Array[] | undefined {
    return this.#decoded === this.#incoming ? this.#incoming.takeWhole() : undefined
  }
}

/** Returns the chunks of a body of this transport that has arrived whole; undefined for any other one, which has to be awaited. */
export const wholeBody = (body: object): readonly Uint8Array[] | undefined =>
  body instanceof LeanBody ? body.takeWhole() : undefined

function decompressed(body: IncomingResponse, encoding: string): AsyncIterable<Uint8Array> {
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

/** The part of `Headers` that SDKs read. */
class LeanHeaders {
  /** Lives as long as the program, so that V8 keeps the layouts of responses and the code compiled for them. */
  static readonly kept: LeanResponse = new LeanResponse(
    { status: 200, statusText: '', url: '' },
    new LeanHeaders({}),
    IncomingResponse.kept,
  )
  /** Values by name; the names of undici are in lower case. */
  readonly #values: Readonly<Record<string, string | string[] | undefined>>

  constructor(values: Readonly<Record<string, string | string[] | undefined>>) {
    this.#values = hasLowerNames(values) ? values : withLowerNames(values)
  }

  get(name: string): string | null {
    return textOf(this.#values[name.toLowerCase()]) ?? null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  forEach(call: (value: string, name: string) => void): void {
    const values = this.#values
    for (const name in values) {
      const value = textOf(values[name])
      if (value !== undefined) call(value, name)
    }
  }

  entries(): IterableIterator<[name: string, value: string]> {
    const entries = new Map<string, string>()
    this.forEach((value, name) => void entries.set(name, value))
    return entries.entries()
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.entries()) yield name
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this.entries()) yield value
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.entries()
  }
}

/** Returns the value of a header as one text; what objects inherit is none. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : undefined
}

function hasLowerNames(values: object): boolean {
  for (const name in values) if (name !== name.toLowerCase()) return false
  return true
}

function withLowerNames<T>(values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]))
}
