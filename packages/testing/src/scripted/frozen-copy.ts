/** Copies plain data deeply and freezes the copy; what is frozen deeply already, or no plain data, stays as it is. */
export function frozenCopy<T>(value: T): T {
  if (isFrozenDeeply(value)) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  if (!isPlain(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, frozenCopy(item)])
  return Object.freeze(Object.fromEntries(entries)) as T
}

function isFrozenDeeply(value: unknown): boolean {
  if (Array.isArray(value)) return Object.isFrozen(value) && value.every(isFrozenDeeply)
  return !isPlain(value) || (Object.isFrozen(value) && Object.values(value).every(isFrozenDeeply))
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
