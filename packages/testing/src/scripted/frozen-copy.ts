/** Copies plain data deeply and freezes the copy; what is no plain data (functions, instances) stays as it is. */
export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  if (!isPlain(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, frozenCopy(item)])
  return Object.freeze(Object.fromEntries(entries)) as T
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
