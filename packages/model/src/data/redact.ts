import type { ConfigEntry } from '@x/interfaces'

const HIDDEN = '[redacted]'
const SECRET_NAME = /key|token|secret|auth|cookie|password|credential/iu
const SECRET_SHAPE =
  /\b(?:sk|pk|rk|key|xai|gsk)-[\w-]{12,}|\b(?:Bearer|Basic)\s+[\w.~+/-]{8,}=*|\bAIza[\w-]{20,}|\/\/[^/\s:@]*:[^/\s@]+@|[?&][\w.-]*(?:key|token|secret|auth|password|credential|sig)[\w.-]*=[^&\s"'`#]+/giu

/** Takes secrets out of a text: the given ones, and what looks like a key. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) clean = clean.replaceAll(secret, HIDDEN)
  return clean.replaceAll(SECRET_SHAPE, (secret) => {
    if (secret.startsWith('//')) return `//${HIDDEN}@`
    return /^[?&]/u.test(secret) ? `${secret.slice(0, secret.indexOf('='))}=${HIDDEN}` : HIDDEN
  })
}

/** Copies plain data without secrets, as `redact` does for a text. */
export function redactData(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redact(value, secrets)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => redactData(item, secrets))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key, secrets), redactData(item, secrets)]),
  )
}

/** Lists the texts of an entry that must never be shown: its key, secret headers, further secrets by name, those of its URL. */
export function secretsOf(entry: Readonly<ConfigEntry>): string[] {
  const secrets: string[] = []
  for (const [key, value] of Object.entries({ ...entry, ...entry.defaultHeaders })) {
    if (typeof value === 'string' && isSecretName(key)) secrets.push(value, value.trim())
  }
  const { baseUrl } = entry
  if (typeof baseUrl === 'string' && URL.canParse(baseUrl)) {
    const { password, searchParams } = new URL(baseUrl)
    secrets.push(password)
    for (const [name, value] of searchParams) if (isSecretName(name)) secrets.push(value)
  }
  // A text of a few letters would be taken out of words.
  return [...new Set(secrets)].filter((secret) => secret.length >= 6)
}

/** Gives a copy of an entry for logs and `inspect`: secrets hidden, functions by name, no live objects. */
export function publicEntry(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, publicValue(key, value)]))
}

function publicValue(key: string, value: unknown): unknown {
  if (isSecretName(key)) return value === undefined || value === null ? value : HIDDEN
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`
  // A `baseUrl` that is not a URL may be a key in the wrong place.
  if (typeof value === 'string') return key === 'baseUrl' && !/^https?:\/\//iu.test(value) ? HIDDEN : redact(value, [])
  if (Array.isArray(value)) return value.map((item: unknown) => publicValue('', item))
  if (typeof value !== 'object' || value === null) return value
  const plain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null
  return plain ? publicEntry(value as Record<string, unknown>) : `[${value.constructor.name}]`
}

// Counts of tokens and the cache key of a prompt are named like secrets.
const isSecretName = (key: string): boolean => SECRET_NAME.test(key) && !/tokens$|^prompt_cache_key$|^tool/iu.test(key)
