/** Response of a fake `fetch`. */
export interface FakeResponse {
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Pieces of the body, as they arrive. */
  readonly pieces: readonly Uint8Array[]
  /** Keeps the body open after its last piece. */
  readonly open?: boolean | undefined
}

/** A `fetch` that reaches no network. */
export interface FakeFetch {
  readonly fetch: typeof globalThis.fetch
  /** Bodies that were sent, as text. */
  readonly sent: readonly string[]
  /** Counts the bodies that their reader cancelled before the end. */
  readonly cancelled: () => number
}

/** Makes a `fetch` that answers each request with the response of a function. */
export function fakeFetch(respond: (index: number) => FakeResponse): FakeFetch {
  const sent: string[] = []
  let cancelled = 0
  const fetch = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    const { signal, body } = init
    signal?.throwIfAborted()
    sent.push(typeof body === 'string' ? body : '')
    const { status = 200, headers, pieces, open = false } = respond(sent.length - 1)
    let at = 0
    let stopped = false
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        signal?.addEventListener('abort', () => {
          if (stopped) return
          stopped = true
          cancelled++
          controller.error(signal.reason)
        })
      },
      pull(controller) {
        if (stopped) return
        const piece = pieces[at++]
        if (piece) controller.enqueue(piece)
        else if (!open) {
          stopped = true
          controller.close()
        }
      },
      cancel() {
        stopped = true
        cancelled++
      },
    })
    return new Response(stream, { status, headers: { ...headers } })
  }
  return { fetch, sent, cancelled: () => cancelled }
}

/** Encodes a text as UTF-8 and cuts it at these offsets. */
export function bytesOf(text: string, cuts: readonly number[] = []): Uint8Array[] {
  const all = new TextEncoder().encode(text)
  const places = [0, ...cuts, all.length]
  return places.slice(1).map((end, n) => all.subarray(places[n], end))
}
