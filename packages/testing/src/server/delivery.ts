/** A delay: milliseconds, or a promise to wait for. */
export type Delay = number | PromiseLike<unknown>

/** A delay between two packets. */
export interface Pause {
  readonly pause: Delay
}

/** End of a connection: closed properly, reset, or left open. */
export type Ending = 'close' | 'reset' | 'hang'

/** Response to one request, packet by packet; answers and failures alike. */
export interface Delivery {
  /** Wait before anything is sent. */
  readonly before?: Delay | undefined
  /** Status and headers; if absent, the connection ends before them. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined
  readonly body?: readonly (string | Uint8Array | Pause)[] | undefined
  /** Default `close`. */
  readonly ending?: Ending | undefined
}

/** A delivery of one JSON body. */
export function jsonDelivery(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Delivery {
  const text = JSON.stringify(body)
  const length = String(new TextEncoder().encode(text).length)
  return {
    head: { status, headers: { 'content-type': 'application/json', 'content-length': length, ...headers } },
    body: [text],
  }
}
