import type { ConfigEntry } from '@x/interfaces'

const SECRET_HEADER = /auth|key|token|secret|cookie/iu

/** Collects the secrets of a config: the key, and secrets in headers and URL. */
export function secretsOf({ apiKey, baseUrl, defaultHeaders }: ConfigEntry): Set<string> {
  const secrets = new Set<string>()
  if (typeof apiKey === 'string' && apiKey !== '') secrets.add(apiKey)
  for (const [name, value] of Object.entries(defaultHeaders ?? {})) {
    if (SECRET_HEADER.test(name) && typeof value === 'string') secrets.add(value)
  }
  if (typeof baseUrl === 'string' && URL.canParse(baseUrl)) {
    const { password, searchParams } = new URL(baseUrl)
    for (const text of [password, decoded(password)]) if (text) secrets.add(text)
    for (const [name, value] of searchParams) if (SECRET_HEADER.test(name) && value) secrets.add(value)
  }
  return secrets
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns a URL without credentials and query, to show it in errors. */
export function shownUrl(url: string): string {
  return url.replace(/\/\/[^/@]*@/u, '//').replace(/\?.*$/u, '')
}
