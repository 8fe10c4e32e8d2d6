import { createIncoming } from './incoming.ts'
import { createLeanResponse } from './lean-response.ts'
import { platformDispatcher } from './platform-dispatcher.ts'

/** The part of `fetch` that SDKs use. */
type Fetch = typeof globalThis.fetch

/**
 * Makes a `fetch` for the SDKs that costs a fraction of the platform's: it hands the request to the dispatcher behind
 * the platform's `fetch`, so that connections, proxies and TLS options are the same, and leaves out the WHATWG streams.
 * What it does not know (redirects, other bodies, a `fetch` that was replaced, another runtime) the platform does.
 */
export function createTransport(): Fetch {
  return async (input, init = {}) => {
    const { body, signal, redirect, method = 'GET' } = init
    const manual = redirect === 'manual'
    const known = redirect === undefined || manual
    const plain = typeof body === 'string' && typeof input === 'string' && known && !('dispatcher' in init)
    const dispatcher = plain ? platformDispatcher() : undefined
    if (!dispatcher || !plain) return await globalThis.fetch(input, init)
    const url = new URL(input)
    const { handler, response } = createIncoming(signal ?? undefined)
    const { origin, pathname, search } = url
    const headers = headersOf(init)
    dispatcher.dispatch(
      // The SDK has a clock of its own; the dispatcher's would cut long answers at five minutes.
      { origin, path: pathname + search, method, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      handler,
    )
    const incoming = await response
    if (!manual && incoming.status >= 300 && incoming.status < 400 && incoming.headers.has('location')) {
      await incoming.return?.()
      return await globalThis.fetch(input, init)
    }
    return createLeanResponse(incoming, url.href)
  }
}

function headersOf({ headers }: RequestInit): Record<string, string> {
  if (headers && Object.getPrototypeOf(headers) === Object.prototype) return headers as Record<string, string>
  const out: Record<string, string> = {}
  for (const [name, value] of headers instanceof Headers ? headers : new Headers(headers)) out[name] = value
  return out
}
