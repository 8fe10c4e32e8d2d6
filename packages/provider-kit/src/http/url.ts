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
