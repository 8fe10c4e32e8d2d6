import type { DispatchController, DispatchHandler } from './platform-dispatcher.ts'

/** A response while it comes in: its head, then bytes that wait until they are read. */
export interface Incoming extends AsyncIterableIterator<Uint8Array> {
  readonly status: number
  readonly statusText: string
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Returns it up; the connection is not used again. */
  destroy(reason: Error): void
}

/** Bytes that may wait before the connection is paused. */
const HIGH_WATER = 64 * 1024

/** Makes the handler of one request and the promise of its response; it fails as `fetch` does. */
export function createIncoming(signal: AbortSignal | undefined): {
  handler: DispatchHandler
  response: Promise<Incoming>
} {
  const { promise: response, resolve, reject } = Promise.withResolvers<Incoming>()
  const chunks: Uint8Array[] = []
  let waiting = 0
  let controller: DispatchController | undefined
  let paused = false
  let over = false
  let failed: Error | undefined
  /** Who waits for the next bytes; nobody asks twice at once. */
  let asked: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined

  const abort = (): void => destroy(abortedError())
  const end = (error?: Error): void => {
    if (over) return
    over = true
    failed = error
    signal?.removeEventListener('abort', abort)
    if (error) reject(error)
    serve()
  }
  const destroy = (reason: Error): void => {
    if (over) return
    end(reason)
    controller?.abort(reason)
  }
  const start = (made: DispatchController): void => {
    controller = made
    if (over) made.abort(failed ?? abortedError())
  }
  /** Gives who waits what there is. */
  const serve = (): void => {
    if (!asked) return
    const value = chunks.shift()
    if (value) asked.resolve({ done: false, value })
    else if (failed) asked.reject(failed)
    else if (over) asked.resolve({ done: true, value: undefined })
    else return
    asked = undefined
    if (!value) return
    waiting -= value.length
    if (!paused || waiting >= HIGH_WATER / 2) return
    paused = false
    controller?.resume()
  }
  const take = (chunk: Uint8Array): boolean => {
    chunks.push(chunk)
    waiting += chunk.length
    serve()
    paused ||= waiting > HIGH_WATER
    return !paused
  }

  const incoming = (status: number, statusText: string, headers: ReadonlyMap<string, string>): Incoming => ({
    status,
    statusText,
    headers,
    destroy,
    next() {
      const { promise } = (asked = Promise.withResolvers())
      serve()
      return promise
    },
    async return() {
      destroy(abortedError())
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  })

  if (signal?.aborted) end(abortedError())
  else signal?.addEventListener('abort', abort)
  const handler: DispatchHandler = {
    onRequestStart: start,
    onResponseStart(_, status, headers, statusText = '') {
      if (status >= 200) resolve(incoming(status, statusText, namedHeaders(headers)))
    },
    onResponseData(made, chunk) {
      if (!take(chunk)) made.pause()
    },
    onResponseEnd: () => end(),
    onResponseError: (_, error) => end(networkError(error)),
    onConnect: (stop) => start({ abort: stop, pause() {}, resume() {} }),
    onHeaders(status, raw, resume, statusText) {
      const started = controller!
      controller = { abort: (reason) => started.abort(reason), pause() {}, resume }
      if (status >= 200) resolve(incoming(status, statusText, rawHeaders(raw)))
      return true
    },
    onData: take,
    onComplete: () => end(),
    onError: (error) => end(networkError(error)),
  }
  return { handler, response }
}

function namedHeaders(headers: Record<string, string | string[] | undefined>): Map<string, string> {
  const named = new Map<string, string>()
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) named.set(name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value)
  }
  return named
}

/** Version 6 gives names and values in turns, as bytes. */
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

/** The error that `fetch` gives when its signal fires. */
const abortedError = (): Error => new DOMException('This operation was aborted', 'AbortError')

/** The error that `fetch` gives when the network fails. */
const networkError = (cause: Error): Error =>
  cause.name === 'AbortError' ? cause : new TypeError('fetch failed', { cause })
