/** Response of a fake `fetch`. */
export interface FakeResponse {
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Pieces of the body, as they arrive. */
  readonly pieces: readonly Uint8Array[]
  /** Keeps the body open after its last piece. */
  readonly open?: boolean | undefined
  /** Gives no response at all. */
  readonly hang?: boolean | undefined
  /** Breaks the connection with this code of the system, in place of the response or, with pieces, behind the last of them. */
  readonly broken?: string | undefined
}

/** A request that reached a fake `fetch`. */
export interface FakeRequest {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Tells whether its signal has fired. */
  readonly stopped: () => boolean
}

/** A `fetch` that reaches no network. */
export interface FakeFetch {
  readonly fetch: typeof globalThis.fetch
  readonly requests: readonly FakeRequest[]
  /** Counts the bodies that their reader cancelled before the end. */
  readonly cancelled: () => number
}

/**
 * Makes a `fetch` that answers each request with the response of a function. As the platform does, it follows redirects
 * unless it is told otherwise, and takes all headers but `authorization` to another host.
 */
export function fakeFetch(respond: (index: number) => FakeResponse): FakeFetch {
  const requests: FakeRequest[] = []
  let cancelled = 0

  const answer = async (request: FakeRequest, signal: AbortSignal | null | undefined): Promise<Response> => {
    signal?.throwIfAborted()
    requests.push(request)
    const { status = 200, headers, pieces, open = false, hang = false, broken } = respond(requests.length - 1)
    if (broken !== undefined && pieces.length === 0) throw brokenConnection(broken)
    if (hang) {
      return await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
    }
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
        else if (broken !== undefined) {
          stopped = true
          controller.error(brokenConnection(broken))
        } else if (!open) {
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

  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { signal, body, redirect = 'follow' } = init
    const request: FakeRequest = {
      url: input instanceof Request ? input.url : input.toString(),
      headers: Object.fromEntries(new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))),
      body: typeof body === 'string' ? body : '',
      stopped: () => signal?.aborted ?? false,
    }
    const response = await answer(request, signal)
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (location === null || redirect === 'manual') return response
    if (redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    const { authorization: _, ...headers } = request.headers
    return await answer({ ...request, url: new URL(location, request.url).href, headers }, signal)
  }
  return { fetch, requests, cancelled: () => cancelled }
}

/** Makes the error of a broken connection as the platform's `fetch` throws it. */
const brokenConnection = (code: string): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) })

/** Encodes a text as UTF-8 and cuts it at these offsets. */
export function bytesOf(text: string, cuts: readonly number[] = []): Uint8Array[] {
  const all = new TextEncoder().encode(text)
  const places = [0, ...cuts, all.length]
  return places.slice(1).map((end, n) => all.subarray(places[n], end))
}
