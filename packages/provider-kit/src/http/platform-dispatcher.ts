/** Callbacks of an undici dispatcher, for version 6 and for version 7 and later. */
export interface DispatchHandler {
  onRequestStart(controller: DispatchController): void
  onResponseStart(
    controller: DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText?: string,
  ): void
  onResponseData(controller: DispatchController, chunk: Uint8Array): void
  onResponseEnd(): void
  onResponseError(controller: unknown, error: Error): void
  onConnect(abort: (reason?: Error) => void): void
  onHeaders(status: number, headers: Uint8Array[], resume: () => void, statusText: string): boolean
  onData(chunk: Uint8Array): boolean
  onComplete(): void
  onError(error: Error): void
}

/** Controls of a response. */
export interface DispatchController {
  abort(reason: Error): void
  pause(): void
  resume(): void
}

/** The pool of connections behind the platform's `fetch`. */
export interface Dispatcher {
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean
}

/** One request of a dispatcher; timeouts are in milliseconds, 0 disables them. */
export interface DispatchOptions {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly headersTimeout: number
  readonly bodyTimeout: number
}

/** Keys under which undici and the platform share the dispatcher; programs may replace it. */
const DISPATCHER_KEYS = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]

/**
 * Returns the dispatcher behind the platform's `fetch`: the pool of the platform, or the proxy, mock or agent that a program
 * set instead. Returns undefined where `fetch` was replaced or has no dispatcher.
 */
export function platformDispatcher(): Dispatcher | undefined {
  if (!isOwnFetch(globalThis.fetch)) return undefined
  const dispatcher = sharedDispatcher()
  if (dispatcher) return dispatcher
  // The first use of undici creates its dispatcher.
  void new Headers()
  return sharedDispatcher()
}

function sharedDispatcher(): Dispatcher | undefined {
  for (const key of DISPATCHER_KEYS) {
    const shared: unknown = Reflect.get(globalThis, key)
    if (isDispatcher(shared)) return shared
  }
  return undefined
}

/** The `fetch` of the platform, once it was seen: its text is long to read. */
let ownFetch: unknown

/** Tells the `fetch` of Node, which loads undici at its first call: no replacement has this text. */
function isOwnFetch(fetch: unknown): boolean {
  if (fetch === ownFetch && fetch !== undefined) return true
  const isOwn =
    typeof fetch === 'function' && Function.prototype.toString.call(fetch).includes('internal/deps/undici/undici')
  if (isOwn) ownFetch = fetch
  return isOwn
}

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof (value as Partial<Dispatcher> | undefined)?.dispatch === 'function'
