/** Tells whether a value can never change: a primitive, or frozen together with everything it holds. */
export function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
