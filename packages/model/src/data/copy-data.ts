/** Copies plain data, so that what one holder does to an answer does not reach another. */
export function copyData<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyData) as T
  // The spread copies all at once; most values in it are no objects. It has nothing that a loop could inherit.
  const copy = { ...value } as Record<string, unknown>
  for (const key in copy) {
    const item = copy[key]
    if (typeof item === 'object' && item !== null) copy[key] = copyData(item)
  }
  return copy as T
}
