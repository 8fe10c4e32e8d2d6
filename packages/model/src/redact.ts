import type { ConfigEntry } from '@x/interfaces'

const HIDDEN = '[redacted]'
const SECRET_NAME = /key|token|secret|auth|cookie|password|credential/iu
const SECRET_SHAPE =
  /\b(?:sk|pk|rk|key|xai|gsk)-[\w-]{12,}|\bBearer\s+[\w.~+/-]{8,}=*|\bAIza[\w-]{20,}|\/\/[^/\s:@]+:[^/\s@]+@/giu

/** Takes secrets out of a text: the given ones, and what looks like a key. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) clean = clean.replaceAll(secret, HIDDEN)
  return clean.replaceAll(SECRET_SHAPE, (found) => (found.startsWith('//') ? `//${HIDDEN}@` : HIDDEN))
}

/** Lists the texts of an entry that must never be shown: its key, secret headers and further secrets by name. */
export function secretsOf(entry: Readonly<ConfigEntry>): string[] {
  const secrets: string[] = []
  for (const [key, value] of Object.entries({ ...entry, ...entry.defaultHeaders })) {
    if (typeof value === 'string' && value.length >= 6 && isSecretName(key)) secrets.push(value)
  }
  return secrets
}

/** Gives a copy of an entry for logs and `inspect`: secrets hidden, functions by name, no live objects. */
export function publicEntry(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, publicValue(key, value)]))
}

function publicValue(key: string, value: unknown): unknown {
  if (isSecretName(key)) return value === undefined || value === null ? value : HIDDEN
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`
  if (typeof value === 'string') return redact(value, [])
  if (Array.isArray(value)) return value.map((item: unknown) => publicValue('', item))
  if (typeof value !== 'object' || value === null) return value
  const plain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null
  return plain ? publicEntry(value as Record<string, unknown>) : `[${value.constructor.name}]`
}

// Counts of tokens and the cache key of a prompt are named like secrets and are none.
const isSecretName = (key: string): boolean => SECRET_NAME.test(key) && !/tokens$|^prompt_cache_key$|^tool/iu.test(key)
