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
  /** Takes the request to stop it when the call ends; without this method, the transport listens to the signal. */
  stops?(request: { stop(): void }): void
  /** Whether the call has ended, for a watcher that stops its requests. */
  readonly isAborted?: boolean
}

/** Key of a watcher on its signal or response. A property costs nothing at garbage collection; entries of a `WeakMap` do. */
const WATCHER = Symbol('watcher of the request')

/** The signal of a call, the options of its request, or the response to it. */
interface Watched {
  [WATCHER]?: RequestWatcher
}

/** Registers the watcher of a call under its signal, which every wire passes to the transport. */
export function watchRequest(signal: AbortSignal, watcher: RequestWatcher): void {
  ;(signal as Watched)[WATCHER] = watcher
}

/** Returns the options of a `fetch` for a call, with its watcher. The signal is made when it is read: our transport needs none. */
export function watchedInit(
  init: RequestInit,
  watcher: RequestWatcher & { readonly signal: AbortSignal },
): RequestInit {
  return new WatchedInit(init, watcher) as RequestInit
}

class WatchedInit implements Watched {
  /** Lives as long as the program, so that V8 keeps the layout and the code compiled for it. */
  static readonly kept: WatchedInit = new WatchedInit({}, {} as WatchedInit[typeof WATCHER])
  readonly method: string | undefined
  readonly headers: RequestInit['headers'] | undefined
  readonly body: RequestInit['body'] | undefined
  readonly redirect: RequestInit['redirect'] | undefined
  readonly [WATCHER]: RequestWatcher & { readonly signal: AbortSignal }

  constructor({ method, headers, body, redirect }: RequestInit, watcher: WatchedInit[typeof WATCHER]) {
    this.method = method
    this.headers = headers
    this.body = body
    this.redirect = redirect
    this[WATCHER] = watcher
  }

  get signal(): AbortSignal {
    return this[WATCHER].signal
  }
}

/** Returns the options of a request as a `fetch` of the platform or of the user takes them. */
export function plainInit(init: RequestInit): RequestInit {
  if (!(init instanceof WatchedInit)) return { ...init }
  const { method, headers, body, redirect, signal } = init
  return { method, headers, body, redirect, signal } as RequestInit
}

/** Registers the watcher of a request under its response, which the reader of its body knows. */
export function watchBody(response: Response, watcher: RequestWatcher): void {
  ;(response as Watched)[WATCHER] = watcher
}

/** Returns the watcher of a call, by its signal or the options of its request, or of a response. */
export const watcherOf = (
  subject: AbortSignal | RequestInit | Pick<Response, 'body'> | null | undefined,
): RequestWatcher | undefined => (subject as Watched | null | undefined)?.[WATCHER]
