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

/** One request of a dispatcher; timeouts are milliseconds, 0 for none. */
export interface DispatchOptions {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly headersTimeout: number
  readonly bodyTimeout: number
}

/** Keys under which undici and the platform share the dispatcher that programs may set. */
const SHARED = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]

/**
 * Returns the dispatcher behind the platform's `fetch`: its pool, or the proxy, the mock or the agent that a program set
 * in its place. None where `fetch` was replaced or has no such thing behind it.
 */
export function platformDispatcher(): Dispatcher | undefined {
  if (!isOwnFetch(globalThis.fetch)) return undefined
  const known = sharedDispatcher()
  if (known) return known
  void new Headers()
  return sharedDispatcher()
}

/** It is there once something of undici was used. */
function sharedDispatcher(): Dispatcher | undefined {
  for (const key of SHARED) {
    const shared: unknown = Reflect.get(globalThis, key)
    if (isDispatcher(shared)) return shared
  }
  return undefined
}

/** The `fetch` of Node loads undici when it is first called: no replacement has this text. */
const isOwnFetch = (fetch: unknown): boolean =>
  typeof fetch === 'function' && Function.prototype.toString.call(fetch).includes('internal/deps/undici/undici')

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof (value as Partial<Dispatcher> | undefined)?.dispatch === 'function'
