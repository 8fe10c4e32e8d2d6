import type { XError } from '@x/kernel'
import { modelFailure } from '../failure/model-failure.ts'
import { wellFormedJson } from '../json/wire-values.ts'
import { abortedError, IncomingResponse, isUpgradeError, upgradeFailure } from './lean-response.ts'
import { platformDispatcher, type Dispatcher } from './platform-dispatcher.ts'
import { plainInit, watchBody, watcherOf, type RequestWatcher } from './request-watch.ts'

/** The part of `fetch` that SDKs use. */
type Fetch = typeof globalThis.fetch

/**
 * Makes a `fetch` for adapters. Each call of it sends one request at most: it sends nothing again by itself, and tells the
 * watcher of the call how far the request came.
 *
 * It keeps keys where they belong: a redirect within an origin, or from http to https of the same host, is remembered and
 * fails with `details.askAgain`, and the next request for the same URL goes to the target. No redirect leads to another host,
 * because the platform would send along the keys in headers that only the provider knows. A GET is followed at once, since
 * nobody pays for it.
 *
 * Without `fetch`, it costs a fraction of the platform's: it hands the request to the dispatcher behind the platform's
 * `fetch`, so that connections, proxies and TLS options are the same, and leaves out the WHATWG streams. Requests that it
 * does not know (other bodies, a `fetch` that was replaced, another runtime) go to the platform.
 */
export function createTransport(fetch?: Fetch, now: () => number = Date.now): Fetch {
  const transport = new Transport(fetch, now)
  return (input, init = {}) => transport.send(input, init)
}

/** The address of a request for a dispatcher. */
interface Address {
  readonly href: string
  readonly origin: string
  readonly path: string
}

class Transport {
  readonly #fetch: Fetch | undefined
  readonly #moved: MovedUrls
  /** The latest text of a URL, and its address: most requests of a client go to one place. */
  #latestText: string | undefined
  #latest: Address | undefined

  constructor(fetch: Fetch | undefined, now: () => number) {
    this.#fetch = fetch
    this.#moved = new MovedUrls(now)
  }

  /** Sends a request to the place where its URL has moved, and remembers a redirect of the answer. */
  async send(input: Parameters<Fetch>[0], init: RequestInit): Promise<Response> {
    const { body, redirect = 'follow', method = 'GET' } = init
    const watcher = watcherOf(init) ?? watcherOf(init.signal)
    watcher?.begin()
    // A watcher that stops its requests needs no signal, which is made when it is read.
    if (watcher?.stops ? watcher.isAborted : init.signal?.aborted) throw abortedError()
    const isLean = typeof body === 'string' && typeof input === 'string' && redirect !== 'error' && !this.#fetch
    const dispatcher = isLean && !('dispatcher' in init) ? platformDispatcher() : undefined
    if (redirect !== 'follow') return await this.#sendTo(dispatcher, input, { init, watcher, redirect: undefined })
    const moved = this.#moved
    const isUrl = typeof input === 'string' || input instanceof URL
    const asked = isUrl ? String(input) : input.url
    for (let hops = 0; ; hops++) {
      const target = isUrl ? moved.targetOf(asked) : undefined
      let response: Response
      try {
        response = await this.#sendTo(dispatcher, target ?? input, { init, watcher, redirect: 'manual' })
      } catch (error) {
        moved.forget(asked)
        throw error
      }
      const { status } = response
      if (response.type === 'opaqueredirect') throw refusedRedirect(undefined)
      const location = REDIRECT_STATUSES.has(status) ? response.headers.get('location') : null
      if (location === null) return response
      response.body?.cancel().catch(() => {})
      const to = redirectTarget(new URL(target ?? asked, pageUrl()), location)
      // A `Request` holds its URL, and its body can be read only once.
      if (!isUrl) throw refusedRedirect(to)
      moved.remember(asked, to.href, status)
      // Nobody pays for a GET.
      const isFree = method === 'GET' || method === 'HEAD'
      if (!isFree || hops === MAX_REDIRECTS) throw followedRedirect(to, status)
    }
  }

  /** Sends a request by a dispatcher, or by a whole `fetch`, which is told how to take redirects. */
  #sendTo(
    dispatcher: Dispatcher | undefined,
    input: Parameters<Fetch>[0],
    {
      init,
      watcher,
      redirect,
    }: { init: RequestInit; watcher: RequestWatcher | undefined; redirect: 'manual' | undefined },
  ): Promise<Response> {
    if (!dispatcher) {
      const fetch = this.#fetch ?? globalThis.fetch
      const plain = plainInit(init)
      if (redirect) plain.redirect = redirect
      if (typeof plain.body === 'string') plain.body = wellFormedJson(plain.body)
      return fetchWatched(fetch, input, { init: plain, watcher })
    }
    const { method = 'GET' } = init
    const body = wellFormedJson(init.body as string)
    const { href, origin, path } = this.#addressOf(input as string)
    const signal = watcher?.stops ? undefined : (init.signal ?? undefined)
    const incoming = new IncomingResponse(href, signal, watcher)
    dispatcher.dispatch(
      // The caller has a clock; the timeouts of the dispatcher would cut long answers at five minutes.
      { origin, path, method, headers: headersOf(init), body, headersTimeout: 0, bodyTimeout: 0 },
      incoming,
    )
    return incoming.head
  }

  #addressOf(text: string): Address {
    if (!this.#latest || text !== this.#latestText) {
      const { href, origin, pathname, search } = new URL(text)
      this.#latest = { href, origin, path: pathname + search }
      this.#latestText = text
    }
    return this.#latest
  }
}

function headersOf({ headers }: RequestInit): Record<string, string> {
  if (headers && Object.getPrototypeOf(headers) === Object.prototype) return headers as Record<string, string>
  const out: Record<string, string> = {}
  for (const [name, value] of headers instanceof Headers ? headers : new Headers(headers)) out[name] = value
  return out
}

/** Sends a request by a whole `fetch`, of which nobody can see when it writes to a connection. */
async function fetchWatched(
  fetch: Fetch,
  input: Parameters<Fetch>[0],
  { init, watcher }: { readonly init: RequestInit; readonly watcher: RequestWatcher | undefined },
): Promise<Response> {
  watcher?.onSend()
  try {
    const response = await fetch(input, init)
    watcher?.onBytes()
    if (watcher) watchBody(response, watcher)
    return response
  } catch (error) {
    if (watcher && isUnsent(error)) watcher.onUnsent()
    throw error instanceof Error && isUpgradeError(error.cause) ? upgradeFailure() : error
  }
}

/** Codes of errors before a connection stands. */
const UNSENT_CODES: ReadonlySet<unknown> = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL UND_ERR_CONNECT_TIMEOUT ERR_SSL_WRONG_VERSION_NUMBER CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REVOKED CERT_REJECTED CERT_UNTRUSTED CERT_CHAIN_TOO_LONG CERT_SIGNATURE_FAILURE DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE INVALID_CA INVALID_PURPOSE PATH_LENGTH_EXCEEDED HOSTNAME_MISMATCH ERR_TLS_CERT_ALTNAME_INVALID'.split(
    ' ',
  ),
)

/** System calls before a connection stands: their errors have codes, such as ETIMEDOUT, that a connection in use has too. */
const CONNECT_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo'])

/** Deepest cause of an error that is read. */
const MAX_CAUSE_DEPTH = 4

/** Tells whether an error shows that no connection was made, so that nothing has left. */
function isUnsent(error: unknown, depth: number = 0): boolean {
  if (!(error instanceof Error) || depth > MAX_CAUSE_DEPTH) return false
  const { code, syscall, errors } = error as { code?: unknown; syscall?: unknown; errors?: unknown }
  if (UNSENT_CODES.has(code) || CONNECT_CALLS.has(syscall)) return true
  // A host with several addresses has an error for each.
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => isUnsent(each, depth + 1))
  return isUnsent(error.cause, depth + 1)
}

/** Redirects that one GET follows. */
const MAX_REDIRECTS = 5

/** Statuses that send the same request to another place. */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 307, 308])

/** Statuses of redirects that hold for good. */
const PERMANENT_STATUSES: ReadonlySet<number> = new Set([301, 308])

/** Time for which a redirect holds that is not for good. */
const REDIRECT_LIFE_MS = 60_000

/** URLs whose redirects are remembered. */
const MAX_MOVED_URLS = 1000

/** Remembers where URLs have moved. */
class MovedUrls {
  readonly #targets = new Map<string, { readonly target: string; readonly until: number }>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  targetOf(url: string): string | undefined {
    if (this.#targets.size === 0) return undefined
    const { target, until = 0 } = this.#targets.get(url) ?? {}
    if (target === undefined || this.#now() < until) return target
    this.#targets.delete(url)
    return undefined
  }

  /** Remembers a redirect; one that came by an earlier redirect holds no longer than that. */
  remember(url: string, target: string, status: number): void {
    const life = PERMANENT_STATUSES.has(status) ? Infinity : this.#now() + REDIRECT_LIFE_MS
    const until = Math.min(life, this.#targets.get(url)?.until ?? Infinity)
    this.#targets.delete(url)
    if (target === url) return
    if (this.#targets.size >= MAX_MOVED_URLS) this.#targets.clear()
    this.#targets.set(url, { target, until })
  }

  /** Forgets a target that cannot be reached. */
  forget(url: string): void {
    this.#targets.delete(url)
  }
}

/** Returns the URL of the page in a browser, where others may be relative to it. */
const pageUrl = (): string | undefined =>
  (globalThis as { readonly location?: { readonly href?: string } }).location?.href

function redirectTarget(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const isUpgrade = to?.hostname === from.hostname && from.protocol === 'http:' && to.protocol === 'https:'
  if (to && (to.origin === from.origin || isUpgrade)) return to
  throw refusedRedirect(to)
}

/** Makes the failure of a redirect whose target the next request is sent to. */
function followedRedirect({ origin, pathname }: URL, status: number): XError {
  const redirect = origin + pathname
  return modelFailure('connection', `the endpoint redirects to \`${redirect}\`: set \`baseUrl\` to it`, {
    status,
    details: { askAgain: true, redirect },
  })
}

/** Makes the failure of a redirect that no request follows; a browser does not tell its target. */
function refusedRedirect(to: URL | undefined): XError {
  const target = to?.origin ?? 'another place'
  return modelFailure(
    'connection',
    `a redirect to \`${target}\` is not followed, because the key would go along: set \`baseUrl\` to it if that is right`,
    { details: { refusedRedirect: target, shouldRetry: false } },
  )
}
