/** The comparison of two values. */
export type Comparison = '>' | '<' | '>=' | '<=' | '==' | '!='

/** The truth of a value: nothing, zero, and what is empty do not hold. */
export function holds(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Map || value instanceof Set) return value.size > 0
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}

/** The length of a text, a list or a map; 0 for what has none. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length
  if (Array.isArray(value)) return value.length
  if (value instanceof Map || value instanceof Set) return value.size
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** Compares two values; those of different kinds have no order, and no comparison by order holds for them. */
export function compare(one: unknown, by: Comparison, other: unknown): boolean {
  if (by === '==') return isEqual(one, other)
  if (by === '!=') return !isEqual(one, other)
  const [a, b] = [ordered(one), ordered(other)]
  if (a === null || b === null || typeof a !== typeof b) return false
  if (by === '>') return a > b
  if (by === '<') return a < b
  return by === '>=' ? a >= b : a <= b
}

/** Whether a chain of comparisons holds, as in `1 < x < 9`. */
export function allHold(
  first: unknown,
  rest: readonly { readonly by: Comparison; readonly value: unknown }[],
  holdsFor: typeof compare,
): boolean {
  let left = first
  for (const { by, value } of rest) {
    if (!holdsFor(left, by, value)) return false
    left = value
  }
  return true
}

/** A value that has an order; truth counts as 1 and 0. */
function ordered(value: unknown): number | string | null {
  if (typeof value === 'number' || typeof value === 'string') return value
  return typeof value === 'boolean' ? Number(value) : null
}

function isEqual(one: unknown, other: unknown): boolean {
  const [a, b] = [typeof one === 'boolean' ? Number(one) : one, typeof other === 'boolean' ? Number(other) : other]
  if (a === b || ((a ?? null) === null && (b ?? null) === null)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every(
    (key) =>
      Object.hasOwn(a, key) &&
      Object.hasOwn(b, key) &&
      isEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  )
}
