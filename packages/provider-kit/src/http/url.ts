/** Tells whether a text is an HTTPS URL of a domain or of one of its subdomains. */
export function isHostOf(url: string, domain: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && (hostname === domain || hostname.endsWith(`.${domain}`))
}

/** Returns a URL without credentials and query, to show it in errors. */
export function shownUrl(url: string): string {
  const [shown = ''] = url.split('?', 1)
  return shown.replace(/\/\/[^/@]*@/u, '//')
}

/** Returns a URL without the slashes at its end. */
export function withoutTrailingSlashes(url: string): string {
  let end = url.length
  while (end > 0 && url[end - 1] === '/') end--
  return url.slice(0, end)
}

/** Moves the query of a base URL behind the path that was added to it, and behind a query of that path. */
export function withQueryLast(url: string, baseUrl: string = ''): string {
  const at = baseUrl.indexOf('?')
  const query = at === -1 ? '' : withoutTrailingSlashes(baseUrl.slice(at))
  if (query.length < 2 || !url.includes(query)) return url
  const path = url.replace(query, () => '')
  return `${path}${path.includes('?') ? '&' : '?'}${query.slice(1)}`
}
