import type { FetchLike } from '@modelcontextprotocol/client'
import { XError } from '@x/kernel'
import { limitBody } from './limit-body.ts'
import { connectionPool } from './connection-pool.ts'

/** Settings of the requests to one server. */
export interface HttpSettings {
  readonly url: URL
  /** Sent to the origin of `url`, and nowhere else. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: FetchLike | undefined
  /** Most bytes of a message. */
  readonly maxMessageBytes: number
}

/** A `fetch` for one server, and what ends its connections. */
export interface ServerFetch {
  readonly fetch: FetchLike
  close(): Promise<void>
}

/** Redirects that are followed for one request. */
const MOST_REDIRECTS = 5

/**
 * Makes the `fetch` of one server: its headers go to its own origin alone, redirects are followed within the origin of
 * each request, and no message may be longer than the limit. A given `fetch` brings its own connections: a proxy, TLS
 * settings.
 */
export function serverFetch({ url, headers, fetch, maxMessageBytes }: HttpSettings): ServerFetch {
  const pool = fetch ? undefined : connectionPool()
  const send: FetchLike =
    fetch ?? ((target, init) => globalThis.fetch(target, { ...init, ...pool?.init } as RequestInit))
  return {
    async fetch(target, init) {
      let at = new URL(target)
      for (let hops = 0; ; hops++) {
        const all = new Headers(init?.headers)
        if (at.origin === url.origin) for (const [name, value] of Object.entries(headers)) setOnce(all, name, value)
        const response = await send(at, { ...init, headers: all, redirect: 'manual' })
        const next = redirectOf(response, at)
        if (!next) return limitBody(response, maxMessageBytes)
        await response.body?.cancel()
        if (hops === MOST_REDIRECTS || !mayFollow(response, init?.method, at, next)) throw refusedRedirect(at, next)
        at = next
      }
    },
    close: async () => await pool?.close(),
  }
}

/** A header that the protocol or a token sets holds. */
function setOnce(all: Headers, name: string, value: string): void {
  if (!all.has(name)) all.set(name, value)
}

function redirectOf({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get('location')
  if (status < 300 || status >= 400 || location === null) return undefined
  return URL.canParse(location, from.href) ? new URL(location, from) : undefined
}

/** A redirect stays with its host, and keeps its method. */
function mayFollow({ status }: Response, method = 'GET', from: URL, to: URL): boolean {
  const keepsMethod = status === 307 || status === 308 || method === 'GET'
  return keepsMethod && to.origin === from.origin
}

const refusedRedirect = (from: URL, to: URL): XError =>
  new XError(
    'connection-failed',
    `cannot follow the redirect of \`${from.origin}${from.pathname}\` to \`${to.origin}\`: it leaves the server, changes the method or is one of many; give the address that answers as \`url\``,
    { details: { from: from.origin, to: to.origin } },
  )
