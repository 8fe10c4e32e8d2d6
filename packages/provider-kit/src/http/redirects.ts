/** Redirects after which a request is given up. */
const MOST_REDIRECTS = 5

/** Statuses that send the same request to another place. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])

/** Sends one request and follows no redirect. */
type Send = (url: URL) => Promise<Response>

/**
 * Follows redirects within an origin and from http to https, as the same request. To another host it refuses them: the
 * platform would take keys along that stand in headers of the provider's own.
 */
export async function followRedirects(first: URL, send: Send): Promise<Response> {
  let url = first
  for (let hops = 0; ; hops++) {
    const response = await send(url)
    if (response.type === 'opaqueredirect') throw refused(undefined)
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null
    if (location === null || hops === MOST_REDIRECTS) return response
    await response.body?.cancel()
    url = redirected(url, location)
  }
}

function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const upgraded = to?.hostname === from.hostname && from.protocol === 'http:' && to.protocol === 'https:'
  if (to && (to.origin === from.origin || upgraded)) return to
  throw refused(to)
}

/** Makes the error of a redirect that is not followed; a browser does not tell where it leads. */
export function refused(to: URL | undefined): TypeError {
  const cause = new Error(
    `a redirect to \`${to?.origin ?? 'another place'}\` is not followed, because the key would go along: set \`baseUrl\` to it if that is right`,
  )
  return new TypeError('fetch failed', { cause })
}
