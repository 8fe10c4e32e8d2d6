/** Tells whether a text is an HTTPS URL of a domain or of one of its subdomains. */
export function isHostOf(url: string, domain: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && (hostname === domain || hostname.endsWith(`.${domain}`))
}
