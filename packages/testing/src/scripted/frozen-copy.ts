const EMPTY_LIST: readonly never[] = Object.freeze([])

/** Copies plain data deeply and freezes the copy; returns deeply frozen values, and values other than plain data, as they are. */
export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value) && value.length === 0) return EMPTY_LIST as T
  if (isFrozenDeeply(value)) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  if (!isPlain(value)) return value
  const copy: Record<string, unknown> = { ...value }
  for (const [key, item] of Object.entries(copy)) if (typeof item === 'object') copy[key] = frozenCopy(item)
  return Object.freeze(copy) as T
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
