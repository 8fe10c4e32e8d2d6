import { createIncoming } from './incoming.ts'
import { createLeanResponse } from './lean-response.ts'
import { platformDispatcher, type Dispatcher } from './platform-dispatcher.ts'

/** The part of `fetch` that SDKs use. */
type Fetch = typeof globalThis.fetch

/** Redirects after which a request is given up. */
const MOST_REDIRECTS = 5

/** Statuses that send the same request to another place. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])

/**
 * Makes a `fetch` for the SDKs that costs a fraction of the platform's: it hands the request to the dispatcher behind
 * the platform's `fetch`, so that connections, proxies and TLS options are the same, and leaves out the WHATWG streams.
 * What it does not know (other bodies, a `fetch` that was replaced, another runtime) the platform does. A redirect is
 * followed within an origin and from http to https, never to another host: the platform would take keys along that
 * stand in headers of the provider's own.
 */
export function createTransport(): Fetch {
  return async (input, init = {}) => {
    const { body, redirect } = init
    const known = redirect === undefined || redirect === 'manual'
    const plain = typeof body === 'string' && typeof input === 'string' && known && !('dispatcher' in init)
    const dispatcher = plain ? platformDispatcher() : undefined
    if (!dispatcher || !plain) return await globalThis.fetch(input, init)
    let url = new URL(input)
    for (let hops = 0; ; hops++) {
      const response = await sent(dispatcher, url, { ...init, body })
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null
      if (location === null || redirect === 'manual' || hops === MOST_REDIRECTS) return response
      await response.body?.cancel()
      url = redirected(url, location)
    }
  }
}

async function sent(dispatcher: Dispatcher, url: URL, init: RequestInit & { body: string }): Promise<Response> {
  const { body, signal, method = 'GET' } = init
  const { handler, response } = createIncoming(signal ?? undefined)
  const { origin, pathname, search } = url
  dispatcher.dispatch(
    // The SDK has a clock of its own; the dispatcher's would cut long answers at five minutes.
    { origin, path: pathname + search, method, headers: headersOf(init), body, headersTimeout: 0, bodyTimeout: 0 },
    handler,
  )
  return createLeanResponse(await response, url.href)
}

function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const upgraded = to?.hostname === from.hostname && from.protocol === 'http:' && to.protocol === 'https:'
  if (to && (to.origin === from.origin || upgraded)) return to
  const cause = new Error(
    `a redirect to \`${to?.origin ?? 'no URL'}\` is not followed, because the key would go along: set \`baseUrl\` to it if that is right`,
  )
  throw new TypeError('fetch failed', { cause })
}

function headersOf({ headers }: RequestInit): Record<string, string> {
  if (headers && Object.getPrototypeOf(headers) === Object.prototype) return headers as Record<string, string>
  const out: Record<string, string> = {}
  for (const [name, value] of headers instanceof Headers ? headers : new Headers(headers)) out[name] = value
  return out
}
