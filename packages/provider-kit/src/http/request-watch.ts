/** Hears how far a request of a call comes. */
export interface RequestWatcher {
  /**
   * The transport has taken the request, and nothing has left. Throws if a request of the call has left before: a client
   * sends one request per call.
   */
  begin(): void
  /** The first byte is handed to a connection: from now on nobody can know whether the request was paid for. */
  onSend(): void
  /** It turned out that nothing had left, such as a refused connection under a `fetch` of the user. */
  onUnsent(): void
  /** Bytes of the response have arrived: its head, or a piece of its body, of any content. */
  onBytes(): void
}

/** Key of a watcher on its signal or response. A property costs nothing at garbage collection; entries of a `WeakMap` do. */
const WATCHER = Symbol('watcher of the request')

/** The signal of a call, or the response to it. */
interface Watched {
  [WATCHER]?: RequestWatcher
}

/** Registers the watcher of a call under its signal, which every wire passes to the transport. */
export function watchRequest(signal: AbortSignal, watcher: RequestWatcher): void {
  ;(signal as Watched)[WATCHER] = watcher
}

/** Registers the watcher of a request under its response, which the reader of its body knows. */
export function watchBody(response: Response, watcher: RequestWatcher): void {
  ;(response as Watched)[WATCHER] = watcher
}

/** Returns the watcher of a call or of a response. */
export const watcherOf = (
  subject: AbortSignal | Pick<Response, 'body'> | null | undefined,
): RequestWatcher | undefined => (subject as Watched | null | undefined)?.[WATCHER]
