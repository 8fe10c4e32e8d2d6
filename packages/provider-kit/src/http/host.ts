/** Tells whether a URL leads to a domain or a host below it, by HTTPS; what only looks like it, or is no URL, does not. */
export function isHostOf(url: string, domain: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && (hostname === domain || hostname.endsWith(`.${domain}`))
}
