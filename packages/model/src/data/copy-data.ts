/** Copies plain data, so that what one holder does to an answer does not reach another. */
export function copyData<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyData) as T
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) copy[key] = copyData((value as Record<string, unknown>)[key])
  return copy as T
}
