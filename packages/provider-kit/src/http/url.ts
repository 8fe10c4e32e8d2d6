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
