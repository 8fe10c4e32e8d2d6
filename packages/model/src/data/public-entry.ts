import { isSecretName, redact } from '@x/kernel/redact'

const HIDDEN = '[redacted]'

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
