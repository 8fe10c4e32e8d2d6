import { createLeanResponse, receiveResponse } from './lean-response.ts'
import { platformDispatcher, type Dispatcher } from './platform-dispatcher.ts'

/** The part of `fetch` that SDKs use. */
type Fetch = typeof globalThis.fetch

/**
 * Makes a `fetch` for adapters that keeps keys where they belong: it follows a redirect within an origin and from http to
 * https, never to another host, because the platform would send along the keys in headers that only the provider knows.
 *
 * Without `fetch`, it costs a fraction of the platform's: it hands the request to the dispatcher behind the platform's
 * `fetch`, so that connections, proxies and TLS options are the same, and leaves out the WHATWG streams. A request that
 * meets a closed connection is sent once more at once. Requests that it does not know (other bodies, a `fetch` that was
 * replaced, another runtime) go to the platform.
 */
export function createTransport(fetch?: Fetch): Fetch {
  const resend = createResend()
  return async (input, init = {}) => {
    const { body, redirect } = init
    if (redirect === 'error') return await (fetch ?? globalThis.fetch)(input, init)
    const isText = typeof body === 'string' && typeof input === 'string'
    const dispatcher = isText && !fetch && !('dispatcher' in init) ? platformDispatcher() : undefined
    if (dispatcher) {
      const textInit = { ...init, body: body as string }
      const send = async (url: URL): Promise<Response> =>
        await resend(url.origin, init.signal, async () => await dispatch(dispatcher, url, textInit))
      return redirect === 'manual' ? await send(new URL(input)) : await followRedirects(new URL(input), send)
    }
    const platformFetch = fetch ?? globalThis.fetch
    if (redirect === 'manual') return await platformFetch(input, init)
    return await fetchAndFollow(platformFetch, input, init, resend)
  }
}

async function dispatch(dispatcher: Dispatcher, url: URL, init: RequestInit & { body: string }): Promise<Response> {
  const { body, signal, method = 'GET' } = init
  const { handler, response } = receiveResponse(signal ?? undefined)
  const { origin, pathname, search } = url
  dispatcher.dispatch(
    // The caller has a clock; the timeouts of the dispatcher would cut long answers at five minutes.
    { origin, path: pathname + search, method, headers: headersOf(init), body, headersTimeout: 0, bodyTimeout: 0 },
    handler,
  )
  return createLeanResponse(await response, url.href)
}

function headersOf({ headers }: RequestInit): Record<string, string> {
  if (headers && Object.getPrototypeOf(headers) === Object.prototype) return headers as Record<string, string>
  const out: Record<string, string> = {}
  for (const [name, value] of headers instanceof Headers ? headers : new Headers(headers)) out[name] = value
  return out
}

/** Sends a request by a whole `fetch`, which is told to follow no redirect. */
async function fetchAndFollow(
  fetch: Fetch,
  input: Parameters<Fetch>[0],
  init: RequestInit,
  resend: Resend,
): Promise<Response> {
  const isUrl = typeof input === 'string' || input instanceof URL
  const { body } = init
  // A `Request` and a stream can be read only once.
  const canRepeat = isUrl && (body === undefined || body === null || typeof body === 'string')
  const manual: RequestInit = { ...init, redirect: 'manual' }
  const base = (globalThis as { readonly location?: { readonly href?: string } }).location?.href
  const first = new URL(isUrl ? input : input.url, base)
  let isRepeated = false
  return await followRedirects(first, async (url) => {
    if (isRepeated && !canRepeat) throw redirectError(url)
    const send = async (): Promise<Response> => await fetch(isRepeated ? url.href : input, manual)
    const response = canRepeat ? await resend(url.origin, init.signal, send) : await send()
    isRepeated = true
    return response
  })
}

const MAX_REDIRECTS = 5

/** Statuses that send the same request to another place. */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 307, 308])

/** Follows redirects within an origin and from http to https, as the same request; refuses those to another host. */
async function followRedirects(first: URL, send: (url: URL) => Promise<Response>): Promise<Response> {
  let url = first
  for (let hops = 0; ; hops++) {
    const response = await send(url)
    if (response.type === 'opaqueredirect') throw redirectError(undefined)
    const location = REDIRECT_STATUSES.has(response.status) ? response.headers.get('location') : null
    if (location === null || hops === MAX_REDIRECTS) return response
    await response.body?.cancel()
    url = redirectTarget(url, location)
  }
}

function redirectTarget(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const isUpgrade = to?.hostname === from.hostname && from.protocol === 'http:' && to.protocol === 'https:'
  if (to && (to.origin === from.origin || isUpgrade)) return to
  throw redirectError(to)
}

/** Makes the error of a redirect that is not followed; a browser does not tell its target. */
function redirectError(to: URL | undefined): TypeError {
  const cause = new Error(
    `a redirect to \`${to?.origin ?? 'another place'}\` is not followed, because the key would go along: set \`baseUrl\` to it if that is right`,
  )
  return new TypeError('fetch failed', { cause })
}

/** Sends a request to an origin, and again if its connection turns out to be closed. */
type Resend = (
  origin: string,
  signal: AbortSignal | null | undefined,
  send: () => Promise<Response>,
) => Promise<Response>

/** Origins that are remembered. */
const MAX_ORIGINS = 1000

/** Closed connections that one request may meet. */
const MAX_CLOSED_CONNECTIONS = 5

/**
 * Makes a function that sends a request, and once more at once if the other side closed its connection before the first byte
 * of an answer, provided that the connection was used before: a server closes an idle connection just when the next request
 * is on its way. On a new connection the server may have failed at the request itself.
 *
 * The error of a closed connection says how much was read from it. The error of a reset connection does not: it counts as
 * used if its origin has answered before, which allows one more attempt only.
 */
function createResend(): Resend {
  /** Origins that have answered, and so may have idle connections. */
  const answered = new Set<string>()
  const sendOnce = async (origin: string, send: () => Promise<Response>): Promise<Response> => {
    const response = await send()
    if (answered.size >= MAX_ORIGINS) answered.clear()
    answered.add(origin)
    return response
  }
  return async (origin, signal, send) => {
    for (let closed = 1; ; closed++) {
      try {
        return await sendOnce(origin, send)
      } catch (error) {
        const mayBeReused = closed === 1 && answered.has(origin)
        if (signal?.aborted || closed > MAX_CLOSED_CONNECTIONS || !isReusedConnection(error, mayBeReused)) throw error
      }
      // Within a turn of the event loop the platform hears of other connections that were closed at the same time.
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
}

/** Tells whether a request failed because the other side closed a connection that was used before. */
function isReusedConnection(error: unknown, mayBeReused: boolean): boolean {
  const { code, socket } = ((error as Error | undefined)?.cause ?? {}) as ConnectionError
  if (typeof socket?.bytesRead === 'number') return code === 'UND_ERR_SOCKET' && socket.bytesRead > 0
  return mayBeReused && (code === 'ECONNRESET' || code === 'EPIPE')
}

/** Cause of an error of undici for a closed connection. */
interface ConnectionError {
  readonly code?: unknown
  readonly socket?: { readonly bytesRead?: unknown }
}
