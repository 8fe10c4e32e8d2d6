/** Sends one request. */
type Send = () => Promise<Response>

/** Most origins that are remembered. */
const MOST_ORIGINS = 1000

/** Most kept connections that one request finds closed. */
const MOST_CLOSED = 5

/**
 * Makes a function that sends a request, and once more at once if its connection was closed by the other side before the
 * first byte of an answer, provided that the connection was used before: a server closes one that was idle just when the
 * next request is on its way. On a new connection the request may have been what the server failed at.
 *
 * A connection that was closed says how much it had read. One that was reset does not: it counts as used if its origin has
 * answered before, and that leads to one more attempt only.
 */
export function createResend(): (
  origin: string,
  signal: AbortSignal | null | undefined,
  send: Send,
) => Promise<Response> {
  /** Origins that have answered, and so may have connections that are kept. */
  const answered = new Set<string>()
  const sendOnce = async (origin: string, send: Send): Promise<Response> => {
    const response = await send()
    if (answered.size >= MOST_ORIGINS) answered.clear()
    answered.add(origin)
    return response
  }
  return async (origin, signal, send) => {
    for (let closed = 1; ; closed++) {
      try {
        return await sendOnce(origin, send)
      } catch (error) {
        const mayBeKept = closed === 1 && answered.has(origin)
        if (signal?.aborted || closed > MOST_CLOSED || !wasKept(error, mayBeKept)) throw error
      }
      // Within a turn of the event loop the platform hears of other connections that were closed at the same time.
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
}

/** Tells whether a request failed because a connection that was used before was closed by the other side. */
function wasKept(error: unknown, mayBeKept: boolean): boolean {
  const { code, socket } = ((error as Error | undefined)?.cause ?? {}) as Closed
  if (typeof socket?.bytesRead === 'number') return code === 'UND_ERR_SOCKET' && socket.bytesRead > 0
  return mayBeKept && (code === 'ECONNRESET' || code === 'EPIPE')
}

/** Cause of an error of undici whose connection was closed. */
interface Closed {
  readonly code?: unknown
  readonly socket?: { readonly bytesRead?: unknown }
}
