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

/** Watchers by their calls, and by the responses whose bodies are read later. */
const watchers = new WeakMap<AbortSignal | Pick<Response, 'body'>, RequestWatcher>()

/** Registers the watcher of a call under its signal, which every wire passes to the transport. */
export function watchRequest(signal: AbortSignal, watcher: RequestWatcher): void {
  watchers.set(signal, watcher)
}

/** Registers the watcher of a request under its response, which the reader of its body knows. */
export function watchBody(response: Response, watcher: RequestWatcher): void {
  watchers.set(response, watcher)
}

/** Returns the watcher of a call or of a response. */
export function watcherOf(
  subject: AbortSignal | Pick<Response, 'body'> | null | undefined,
): RequestWatcher | undefined {
  return subject ? watchers.get(subject) : undefined
}
