import { createResend } from './closed-connection.ts'
import { createIncoming } from './incoming.ts'
import { createLeanResponse } from './lean-response.ts'
import { platformDispatcher, type Dispatcher } from './platform-dispatcher.ts'
import { followRedirects, refused } from './redirects.ts'

/** The part of `fetch` that SDKs use. */
type Fetch = typeof globalThis.fetch

/**
 * Makes a `fetch` for adapters that keeps keys where they belong: a redirect is followed within an origin and from http to
 * https, never to another host, because the platform would take keys along that stand in headers of the provider's own.
 *
 * Without `fetch`, it costs a fraction of the platform's: it hands the request to the dispatcher behind the platform's
 * `fetch`, so that connections, proxies and TLS options are the same, and leaves out the WHATWG streams. A request whose
 * kept connection turns out to be closed is sent once more at once. What it does not know (other bodies, a `fetch` that was
 * replaced, another runtime) the platform does.
 */
export function createTransport(fetch?: Fetch): Fetch {
  const resend = createResend()
  return async (input, init = {}) => {
    const { body, redirect } = init
    if (redirect === 'error') return await (fetch ?? globalThis.fetch)(input, init)
    const isText = typeof body === 'string' && typeof input === 'string'
    const dispatcher = isText && !fetch && !('dispatcher' in init) ? platformDispatcher() : undefined
    if (dispatcher) {
      const text = { ...init, body: body as string }
      const send = async (url: URL): Promise<Response> =>
        await resend(url.origin, init.signal, async () => await sent(dispatcher, url, text))
      return redirect === 'manual' ? await send(new URL(input)) : await followRedirects(new URL(input), send)
    }
    const ask = fetch ?? globalThis.fetch
    if (redirect === 'manual') return await ask(input, init)
    return await followed(ask, input, init, resend)
  }
}

/** Sends a request by a whole `fetch`, which is not left to follow redirects. */
async function followed(
  fetch: Fetch,
  input: Parameters<Fetch>[0],
  init: RequestInit,
  resend: ReturnType<typeof createResend>,
): Promise<Response> {
  const known = typeof input === 'string' || input instanceof URL
  const { body } = init
  // What can be read only once cannot be sent again.
  const again = known && (body === undefined || body === null || typeof body === 'string')
  const manual: RequestInit = { ...init, redirect: 'manual' }
  const here = (globalThis as { readonly location?: { readonly href?: string } }).location?.href
  const first = new URL(known ? input : input.url, here)
  let asked = false
  return await followRedirects(first, async (url) => {
    if (asked && !again) throw refused(url)
    const send = async (): Promise<Response> => await fetch(asked ? url.href : input, manual)
    const response = again ? await resend(url.origin, init.signal, send) : await send()
    asked = true
    return response
  })
}

type TextInit = RequestInit & { body: string }

async function sent(dispatcher: Dispatcher, url: URL, init: TextInit): Promise<Response> {
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

function headersOf({ headers }: RequestInit): Record<string, string> {
  if (headers && Object.getPrototypeOf(headers) === Object.prototype) return headers as Record<string, string>
  const out: Record<string, string> = {}
  for (const [name, value] of headers instanceof Headers ? headers : new Headers(headers)) out[name] = value
  return out
}
