import type { ConfigEntry } from '@x/interfaces'

const SECRET_HEADER = /auth|key|token|secret|cookie/iu

/** Collects the texts of a config that must not be shown: its key and what its headers carry. */
export function secretsOf({ apiKey, defaultHeaders }: ConfigEntry): Set<string> {
  const secrets = new Set<string>()
  if (typeof apiKey === 'string' && apiKey !== '') secrets.add(apiKey)
  for (const [name, value] of Object.entries(defaultHeaders ?? {})) {
    if (SECRET_HEADER.test(name) && typeof value === 'string') secrets.add(value)
  }
  return secrets
}

/** Gives a URL as it may be shown: without credentials and query. */
export function shownUrl(url: string): string {
  return url.replace(/\/\/[^/@]*@/u, '//').replace(/\?.*$/u, '')
}
