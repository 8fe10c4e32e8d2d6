/**
 * Computes eight hexadecimal digits over a JSON value, whatever the order of its keys (32 bits of FNV-1a). It finds
 * accidents and no attacks, since anybody can compute it.
 */
export function recordChecksum(value: unknown): string {
  const text = JSON.stringify(value, sortKeys)
  let hash = 0x811c_9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
