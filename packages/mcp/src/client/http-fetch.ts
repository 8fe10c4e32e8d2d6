import type { FetchLike } from '@modelcontextprotocol/client'
import { XError } from '@x/kernel'

/** Settings of the requests to one server. */
interface HttpSettings {
  readonly url: URL
  /** Headers for the origin of `url` only. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: FetchLike | undefined
  /** Most bytes of a message. */
  readonly maxMessageBytes: number
}

/** The `fetch` for one server, and the function that ends its connections. */
interface ServerFetch {
  readonly fetch: FetchLike
  close(): Promise<void>
}

/** Most redirects that are followed for one request. */
const MAX_REDIRECTS = 5

/**
 * Makes the `fetch` for one server: the headers go to the origin of the server only, redirects are followed within the
 * origin of each request, and messages over the limit are errors. A `fetch` in the settings uses its own connections, for
 * example with a proxy or TLS settings.
 */
export function createServerFetch({ url, headers, fetch, maxMessageBytes }: HttpSettings): ServerFetch {
  const pool = fetch ? undefined : createConnectionPool()
  const send: FetchLike =
    fetch ?? ((target, init) => globalThis.fetch(target, { ...init, ...pool?.init } as RequestInit))
  return {
    async fetch(target, init) {
      let at = new URL(target)
      for (let hops = 0; ; hops++) {
        const all = new Headers(init?.headers)
        if (at.origin === url.origin) for (const [name, value] of Object.entries(headers)) setIfAbsent(all, name, value)
        const response = await send(at, { ...init, headers: all, redirect: 'manual' })
        const next = readRedirect(response, at)
        if (!next) return limitBody(response, maxMessageBytes)
        await response.body?.cancel()
        if (hops === MAX_REDIRECTS || !mayFollow(response, init?.method, at, next)) throw redirectError(at, next)
        at = next
      }
    },
    close: async () => await pool?.close(),
  }
}

/** Sets a header, unless the protocol or a token has set it. */
function setIfAbsent(all: Headers, name: string, value: string): void {
  if (!all.has(name)) all.set(name, value)
}

function readRedirect({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get('location')
  if (status < 300 || status >= 400 || location === null) return undefined
  return URL.canParse(location, from.href) ? new URL(location, from) : undefined
}

/** True if a redirect stays within its origin and keeps its method. */
function mayFollow({ status }: Response, method = 'GET', from: URL, to: URL): boolean {
  const keepsMethod = status === 307 || status === 308 || method === 'GET'
  return keepsMethod && to.origin === from.origin
}

const redirectError = (from: URL, to: URL): XError =>
  new XError(
    'connection-failed',
    `cannot follow the redirect of \`${from.origin}${from.pathname}\` to \`${to.origin}\`: it leaves the server, changes the method or is one of too many; give the final address as \`url\``,
    { details: { from: from.origin, to: to.origin } },
  )

/** The connections of one server, which close together. */
interface ConnectionPool {
  /** Options of `fetch` that use these connections. */
  readonly init: { readonly dispatcher: unknown }
  close(): Promise<void>
}

/** The part of a dispatcher of undici that is used here. */
interface Dispatcher {
  destroy(): Promise<void>
}

/** Keys under which undici and the platform share the dispatcher that programs may set. */
const SHARED_DISPATCHER_KEYS = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]

/**
 * Creates a pool of connections like the one behind the `fetch` of the platform, so that closing it leaves none open.
 * Undefined where a program has set another dispatcher, such as a proxy, and on other platforms: `fetch` then uses its
 * own connections.
 */
function createConnectionPool(): ConnectionPool | undefined {
  // Loads the implementation of `fetch`, which sets the shared dispatcher.
  void new Headers()
  const shared = SHARED_DISPATCHER_KEYS.map((key) => Reflect.get(globalThis, key) as object | undefined).find(Boolean)
  if (shared?.constructor.name !== 'Agent') return undefined
  // Connections are not reused: on one that the server has closed, it is unknown whether a call has run.
  const dispatcher = new (shared.constructor as new (options: object) => Dispatcher)({
    pipelining: 0,
    // In milliseconds: after an abort, undici opens a connection that stays unused.
    keepAliveTimeout: 1,
  })
  return { init: { dispatcher }, close: async () => await dispatcher.destroy() }
}

/** Ends a response with an error when one message of it, a whole body or one event of a stream, is too long. */
function limitBody(response: Response, maxBytes: number): Response {
  if (!response.body) return response
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
  let bytes = 0
  let lastWasBreak = false
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const byte of isStream ? chunk : []) {
        if (byte === 13) continue
        const isBreak = byte === 10
        bytes = isBreak && lastWasBreak ? 0 : bytes + 1
        lastWasBreak = isBreak
        if (bytes > maxBytes) break
      }
      if (!isStream) bytes += chunk.length
      if (bytes > maxBytes) controller.error(messageTooLongError(maxBytes))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers })
}

const messageTooLongError = (maxBytes: number): XError =>
  new XError('connection-failed', `the server sent a message of more than ${maxBytes} bytes`)
